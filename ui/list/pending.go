package list

import (
	"slices"

	"hermes-sessions/ui/shell"
)

// pendingMove is where the current row is to go as soon as the rows for that
// have been read.
type pendingMove struct {
	root   string       // the conversation that is to become current, "" for none
	lookup lookup       // how far it has been looked for
	step   shell.Action // a step beyond the rows that have been read, "" for none
	then   shell.Action // what is done with the row when it is there: Open, Lineage, or "" for nothing
}

// lookup is how far a conversation has been looked for.
type lookup int

const (
	lookedInLoaded lookup = iota // in the rows that are read anyway
	lookedInAll                  // it was not among them: all rows are being read
	lookedInVain                 // it is not among all rows either
)

// seek wants a conversation to be current as soon as it appears; "" for none.
func (p *pendingMove) seek(root string) { p.root, p.lookup = root, lookedInLoaded }

// cancel forgets the move: the user has moved by hand.
func (p *pendingMove) cancel() {
	p.step = ""
	if p.lookup == lookedInAll {
		p.seek("")
	}
}

// waits reports whether the row that the user is going to is still being
// read.
func (p *pendingMove) waits() bool { return p.step != "" || p.lookup == lookedInAll }

// find returns the place of the conversation among the rows of a new answer, -1
// where it is missing. whole says that there are no more rows: of a listing they are
// then all read once, of a search they are not. changed says that the query is
// another one than before.
func (p *pendingMove) find(items []Item, whole, changed, searching bool) int {
	if p.root == "" {
		return -1
	}
	i := slices.IndexFunc(items, func(it Item) bool { return it.RootID == p.root })
	switch {
	case i >= 0:
		p.seek("")
	case whole:
		p.lookup = lookedInVain
	case changed, p.lookup == lookedInLoaded:
		p.lookup = lookedInLoaded
		if !searching {
			p.lookup = lookedInAll
		}
	}
	return i
}
