package model

import (
	"slices"
)

// Deletion says what deleting sessions takes and what it leaves: before, for
// the question whether to go on, and after, for the report.
type Deletion struct {
	Sessions        []string        // ids of all that goes, subagents included
	Requested       int             // of them: sessions of the conversations that were asked for
	Delegates       int             // of them: subagent sessions that go along
	Messages        int             // rows, rewound and compacted ones included
	Files           int             // transcript files of these sessions
	Orphaned        []string        // sessions that stay and lose their parent: branches, and what goes on from a single segment
	Running         []string        // of Sessions: open and written to within RunningWindow
	NotFound        []string        // ids asked for that are not there
	FilesLeft       []string        // why a file could not be removed, one line each
	PerConversation []DeletionShare // of a plan: what goes with each conversation
	Skipped         []SkippedConversation
}

// DeletionShare is how much goes with one conversation.
type DeletionShare struct {
	ID                 string // of its first segment
	Sessions, Messages int
}

// SkippedConversation is a conversation that was passed over because it can not go.
type SkippedConversation struct {
	ID     string // of its first segment
	Reason string
}

// DeleteOptions change what a delete takes and what it tells.
type DeleteOptions struct {
	// SegmentOnly deletes exactly the sessions named, and their subagents, instead
	// of whole conversations. What went on from such a session becomes a
	// conversation of its own; Deletion.Stay names it.
	SegmentOnly bool
	// Expected is what the user said yes to. If something else would go by now,
	// nothing is done and the error says so.
	Expected *Deletion
	// SkipBlocked passes over conversations that can not go, because another process
	// is writing them or has changed them since Expect, instead of removing
	// nothing at all. Deletion.Refused names them. Not together with Segment.
	SkipBlocked bool
	// Backup names a new file that keeps what is removed, for Import. ""
	// keeps it with the Undo alone.
	Backup string
	// NoUndo keeps nothing where there is no Backup: the Undo then only says
	// what is gone. A delete of gigabytes needs no room for them.
	NoUndo bool
	// Progress is told from time to time how many messages of how many are
	// gone. It is called from the goroutine of the call; nil for none.
	Progress func(done, total int)
}

// Undo holds what a delete removed. It may keep a temporary file until it is
// closed.
type Undo interface {
	// Deleted says what was removed.
	Deleted() Deletion
	// Close forgets it.
	Close() error
}

// RestoreOptions change how an Undo is carried out.
type RestoreOptions struct {
	// DropTitles gives sessions back without their title where another session
	// has taken it meanwhile; otherwise that is an error and nothing is done.
	DropTitles bool
	// Progress is told how many messages of how many are back; nil for none.
	Progress func(done, total int)
}

// DeletionGroup is one thing to delete that only makes sense as a whole: sessions
// and the delegates that go with them.
type DeletionGroup struct {
	Positions []int // positions; every session comes before the one it hangs on
	Requested int   // how many of them were not taken along as delegates
}

// PlanDeletion finds what goes when the sessions at the given positions are
// deleted (store/README.md#deletion). Of each, the whole
// conversation goes, or the session alone if segment is set, and with it the
// delegates under it to any depth, with all their segments. Branches stay.
// In a file whose software marks delegates only those go that carry the mark or
// whose source says it: one that merely looks like a delegate there may be the
// user's own.
//
// stay are the sessions left that lose their parent. No position is in two
// removals.
func (l *Lineage) PlanDeletion(positions []int, segment bool) (all []DeletionGroup, stay []int) {
	going := make([]bool, l.Len())
	children := make(map[string][]int) // by the parent's id as stored
	marked := make(map[string][]int)   // by the id in the mark
	for i := range l.Len() {
		s := l.Session(i)
		if s.ParentID != "" {
			children[s.ParentID] = append(children[s.ParentID], i)
		}
		if s.DelegateFrom != "" && s.DelegateFrom != s.ParentID {
			marked[s.DelegateFrom] = append(marked[s.DelegateFrom], i)
		}
	}
	for _, seed := range positions {
		if going[seed] {
			continue
		}
		chain := []int{seed}
		if !segment {
			chain = l.SegmentsOf(seed)
		}
		var r DeletionGroup
		add := func(chain []int) {
			for _, i := range chain {
				if !going[i] {
					going[i] = true
					r.Positions = append(r.Positions, i)
				}
			}
		}
		add(chain)
		r.Requested = len(r.Positions)
		for next := 0; next < len(r.Positions); next++ {
			id := l.Session(r.Positions[next]).ID
			for _, i := range slices.Concat(children[id], marked[id]) {
				if !going[i] && l.deletedWithParent(i) {
					add(l.SegmentsOf(i))
				}
			}
		}
		slices.Reverse(r.Positions)
		all = append(all, r)
	}
	for _, r := range all {
		for _, i := range r.Positions {
			for _, c := range children[l.Session(i).ID] {
				if !going[c] {
					stay = append(stay, c)
				}
			}
		}
	}
	slices.Sort(stay)
	return all, slices.Compact(stay)
}

// deletedWithParent reports whether a child is a delegate that is deleted together
// with the session that started it.
func (l *Lineage) deletedWithParent(i int) bool {
	s := l.Session(i)
	if l.Link[i] != LinkDelegate || s.BranchedFrom != "" {
		return false
	}
	return !l.delegatesMarked || s.DelegateFrom != "" || s.Source == "subagent" || s.Source == "tool"
}
