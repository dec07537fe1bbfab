package model

// Salvaged says what of a damaged database a new file holds, and what is lost.
type Salvaged struct {
	Path    string // the file that was read
	Out     string // the new file
	Version int    // its schema version, 0 where none is stated

	Sessions, Messages int // rows of the new file

	Lost       []LostConversation // the conversations that lack something, by id
	LostRows   []LostRows         // rows of other tables
	Incomplete bool               // pages of tables are damaged, which may have held more than that
	LogDamaged bool               // changes in the write-ahead log come after its damage; a note says how many
	Notes      []string           // what is otherwise in the new file than it was, one sentence each
}

// LostConversation is what one conversation lacks.
type LostConversation struct {
	ID       string // of its newest session
	Title    string
	Sessions int // rows of sessions that are lost; where messages of one are left, a row stands in for it
	Messages int // messages that are lost
	Left     int // messages that are left
}

// LostRows counts the rows of another table that could not be read or stored.
type LostRows struct {
	Table string
	Rows  int // 0 where it is not known how many
}

// Whole reports whether nothing is lost.
func (s *Salvaged) Whole() bool {
	return len(s.Lost) == 0 && len(s.LostRows) == 0 && !s.Incomplete && !s.LogDamaged
}
