package model

import (
	"slices"
	"time"
)

// Deletion says what a delete removes and what it leaves. The same type is the plan,
// for the confirmation, and the report afterwards.
type Deletion struct {
	Sessions         []string              // ids of all removed sessions, delegates included
	Requested        int                   // of them: sessions of the requested conversations
	Delegates        int                   // of them: delegates removed along with their parents
	Messages         int                   // removed rows, rewound and compacted ones included
	DelegateMessages int                   // of them: rows of the delegates
	Bytes            int64                 // of the texts of these rows, in the plan of a prune
	Files            int                   // transcript files of these sessions
	Orphaned         []string              // ids of sessions that stay and lose their parent: branches, and the continuation of a single segment
	Running          []string              // of Sessions: open and written to within RunningWindow
	NotFound         []string              // requested ids that do not exist
	FilesLeft        []string              // why a file could not be removed, one line each
	PerConversation  []DeletionShare       // of a plan: the share of each conversation
	Skipped          []SkippedConversation // with DeleteOptions.SkipBlocked
	Left             Left                  // of a prune: the conversations that are old enough and stay
	Kept             bool                  // Close leaves the rows for the undo of a later program
}

// DeletionShare is what a delete removes with one conversation.
type DeletionShare struct {
	ID                 string // of its first segment
	Sessions, Messages int
}

// SkippedConversation is a conversation that could not be deleted and was skipped.
type SkippedConversation struct {
	ID     string // of its first segment
	Reason string
}

// DeleteOptions are the options of a delete.
type DeleteOptions struct {
	// SegmentOnly deletes only the named sessions and their delegates, instead
	// of whole conversations. The continuation of such a session becomes a
	// conversation of its own; it is in Deletion.Orphaned.
	SegmentOnly bool
	// Expected is the plan that the user confirmed. If the delete would remove
	// anything else by now, it fails and changes nothing.
	Expected *Deletion
	// SkipBlocked skips conversations that cannot be deleted, because another
	// process is writing to them or has changed them since Expected, instead of
	// failing as a whole. They are in Deletion.Skipped. It cannot be combined
	// with SegmentOnly.
	SkipBlocked bool
	// Backup is the path of a new file that receives what is removed, for
	// Import. With "" only the Undo holds it.
	Backup string
	// NoUndo saves nothing if there is no Backup: the Undo then only has the
	// report. A conversation that is too long for one transaction is saved to a
	// temporary file until all of it is deleted. If the delete stops before that,
	// the file stays, and the error names it for Import.
	NoUndo bool
	// Progress, if not nil, is called from time to time with the number of
	// messages removed so far, in the goroutine of the delete.
	Progress func(done, total int)
}

// Undo holds what a delete removed, for a restore. It may own a file until it is closed.
type Undo interface {
	// Deleted returns the report of the delete.
	Deleted() Deletion
	// Close discards the saved rows, or where they are kept, leaves them for a later program.
	Close() error
}

// UndoState is the stage that a deletion or its undo had reached when its process was killed.
type UndoState int

// The states of an interrupted undo.
const (
	DeleteInterrupted UndoState = iota // some of the rows were deleted
	DeleteNotUndone                    // all rows were deleted, and can be restored
	UndoInterrupted                    // some of the rows were restored
)

// SavedUndo is a file with what a delete removed, left behind by a process that has ended.
type SavedUndo struct {
	State    UndoState
	File     string    // that holds the rows
	At       time.Time // of the last of them
	Titles   []string  // of the first few of the sessions
	Sessions int       // in the file
	Messages int
	Back     int    // messages of the file that are in the database again
	Bytes    int64  // of the file
	Blocked  string // why it cannot be restored any more, "" where it can
}

// UndoLimits say how long what a delete removed can be restored by later runs of the
// program. The last delete is kept whatever its size.
type UndoLimits struct {
	Days  int   // 0 keeps nothing after the program that deleted
	Bytes int64 // of all deletes, beyond which the oldest are dropped first
}

// Kept says for how long a delete can be undone: "7 days".
func (l UndoLimits) Kept() string { return inDays(time.Duration(l.Days) * 24 * time.Hour) }

// Expired reports whether a delete that was made at a time is kept no more.
func (l UndoLimits) Expired(at, now time.Time) bool {
	return now.Sub(at) >= time.Duration(l.Days)*24*time.Hour
}

// RestoreOptions are the options of a restore.
type RestoreOptions struct {
	// DropTitles restores a session without its title if another session has
	// taken the title since. Without it the restore fails and changes nothing.
	DropTitles bool
	// Progress, if not nil, is called with the number of messages restored so
	// far.
	Progress func(done, total int)
}

// DeletionGroup is a conversation, or a single session, and the delegates that are
// deleted with it.
type DeletionGroup struct {
	Positions []int // every session comes before its parent
	Requested int   // number of positions that are not delegates deleted along
}

// PlanDeletion returns what is deleted with the sessions at some positions
// (store/README.md#deletion): of each session the whole conversation, or only the
// session itself if segment is set, and the delegates below it to any depth, with
// all their segments. Branches stay. In a file that marks delegates, only those
// with the mark or with the source of a delegate are deleted: a session without
// them that looks like a delegate may be the user's own.
//
// stay are the sessions that stay and lose their parent. No position is in two
// groups.
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
		var group DeletionGroup
		add := func(chain []int) {
			for _, i := range chain {
				if !going[i] {
					going[i] = true
					group.Positions = append(group.Positions, i)
				}
			}
		}
		add(chain)
		group.Requested = len(group.Positions)
		for next := 0; next < len(group.Positions); next++ {
			id := l.Session(group.Positions[next]).ID
			for _, i := range slices.Concat(children[id], marked[id]) {
				if !going[i] && l.deletedWithParent(i) {
					add(l.SegmentsOf(i))
				}
			}
		}
		slices.Reverse(group.Positions)
		all = append(all, group)
	}
	for _, group := range all {
		for _, i := range group.Positions {
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

// deletedWithParent reports whether session i is a delegate that is deleted with its
// parent.
func (l *Lineage) deletedWithParent(i int) bool {
	s := l.Session(i)
	if l.Link[i] != LinkDelegate || s.BranchedFrom != "" {
		return false
	}
	return !l.delegatesMarked || s.DelegateFrom != "" || s.Source == "subagent" || s.Source == "tool"
}
