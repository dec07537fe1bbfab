package model

// Edit is what a change of columns did to sessions: enough to say what was
// done, and to take it back.
type Edit struct{ Changes []CellChange }

// CellChange is one column of one session, before and after, as stored.
type CellChange struct {
	Session, Column string
	Before, After   any
}

// Sessions gives the ids of the sessions that were changed, each once.
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

// Editable are what can be changed in a database at all.
type Editable struct {
	ReadOnly     error // why nothing can be changed, nil where something can
	Pin, Archive bool  // whether there is a place for these
}
