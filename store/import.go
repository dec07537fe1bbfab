package store

import "slices"

// ImportReport says what an import did.
type ImportReport struct {
	Sessions   int      // that are new
	Messages   int      // that are new
	Skipped    int      // sessions that were there already
	Renumbered int      // messages whose number another message had
	Unlinked   int      // sessions whose parent is not there
	Unknown    []string // columns and tables that the database does not have
}

// unknown takes note of something that the database has no place for.
func (r *ImportReport) unknown(name string) {
	if !slices.Contains(r.Unknown, name) {
		r.Unknown = append(r.Unknown, name)
	}
}
