package model

// Edit is a change of columns of sessions, with enough information to report and to
// undo it.
type Edit struct {
	Changes []CellChange
	Besides []CellChange // what triggers of the database have changed besides
	Opening int          // for the undo, set by a store that reopens its database or combines several; else 0
}

// CellChange is the change of one column of one session, or of a message of it, with the
// stored values.
type CellChange struct {
	Session, Column string
	Message         any // id; nil for a column of the session itself
	Before, After   any
}

// Sessions returns the ids of the changed sessions, each once.
func (e Edit) Sessions() (ids []string) {
	seen := map[string]bool{}
	for _, c := range e.Changes {
		if !seen[c.Session] {
			seen[c.Session] = true
			ids = append(ids, c.Session)
		}
	}
	return ids
}

// Editable says which edits a database allows.
type Editable struct {
	ReadOnly     error // why nothing can be changed, else nil
	Pin, Archive bool  // the schema has a column for it
}

// Renaming gives a conversation another title, by the rules of Hermes's set_title.
type Renaming struct {
	ID    string // of the conversation's tip
	Was   string // the title that the person saw; if it has changed since, nothing is done
	Title string // a blank one removes the title
}
