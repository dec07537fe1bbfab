package model

import (
	"strconv"
	"strings"
	"time"
)

// PruneOptions are the options of a prune, the delete of old conversations.
type PruneOptions struct {
	// OlderThan is the minimum time since the last activity of a conversation. The age of
	// its start does not matter (store/README.md#q12).
	OlderThan time.Duration
	// BySource are shorter ones of some sources; see [Retention].
	BySource map[string]time.Duration
	Source   string // of the conversation's tip; "" for all
	// IncludeArchived and IncludePinned take what a prune spares without them.
	IncludeArchived, IncludePinned bool
	// Expected is the plan that the user confirmed: no session goes that is not in it.
	Expected *Deletion
	// Backup, NoUndo and Progress are as in DeleteOptions.
	Backup   string
	NoUndo   bool
	Progress func(done, total int)
}

// Retention returns the rule of a prune by hand.
func (o *PruneOptions) Retention() Retention {
	return Retention{
		Rule: RetentionByActivity, After: o.OlderThan, AfterBySource: o.BySource,
		KeepsArchived: !o.IncludeArchived, TakesPinned: o.IncludePinned,
	}
}

// Age says the ages of the options: "90 days", or "90 days (cron: 30 days)".
func (o *PruneOptions) Age() string {
	r := o.Retention()
	return inDays(o.OlderThan) + r.sooner()
}

// Prunable is what a prune would take.
type Prunable struct {
	Conversations []Conversation // the longest inactive first
	Left          Left
}

// Left counts the conversations that are old enough for a prune and stay all the same. Of
// several reasons the first counts.
type Left struct {
	Open       int // not ended
	Pinned     int
	Archived   int
	Running    int // another process works in them
	Referenced int // rows of an unknown table refer to them
}

// String says how many stay and why: "2 open, 1 pinned"; "" for none.
func (l Left) String() string {
	var all []string
	for _, of := range []struct {
		n   int
		why string
	}{
		{l.Open, "open"}, {l.Pinned, "pinned"}, {l.Archived, "archived"}, {l.Running, "running"}, {l.Referenced, "in use by a newer Hermes"},
	} {
		if of.n > 0 {
			all = append(all, strconv.Itoa(of.n)+" "+of.why)
		}
	}
	return strings.Join(all, ", ")
}

// Add returns the sum of two counts.
func (l Left) Add(o Left) Left {
	return Left{
		Open: l.Open + o.Open, Pinned: l.Pinned + o.Pinned, Archived: l.Archived + o.Archived,
		Running: l.Running + o.Running, Referenced: l.Referenced + o.Referenced,
	}
}

// PruneCandidates returns the positions of the roots of all conversations that go by the
// rule of a prune by hand at a time, and counts the others that are old enough. A
// conversation is pruned as a whole, so that no chain loses its first segments
// (store/README.md#q13). A delegate is a conversation of its own here: it stays if
// it is open, recently active, archived or pinned, even if its parent is pruned.
func (l *Lineage) PruneCandidates(o *PruneOptions, now time.Time) (old []int, left Left) {
	rule := o.Retention()
	for root, first := range l.Root {
		if int(first) != root {
			continue
		}
		var tip Session
		var e expiry
		for i := root; i >= 0; i = int(l.Next[i]) {
			tip = l.Session(i)
			e.add(&rule, &tip)
		}
		if o.Source != "" && tip.Source != o.Source || !e.at.Before(now) {
			continue
		}
		switch e.kept {
		case staysOpen:
			left.Open++
		case staysPinned:
			left.Pinned++
		case staysArchived:
			left.Archived++
		default:
			old = append(old, root)
		}
	}
	return old, left
}

// AutoPruneOptions say when the maintenance of Hermes's start runs and what it does.
type AutoPruneOptions struct {
	Retention   time.Duration // see [PruneOptions]; Hermes's default is 90 days
	MinInterval time.Duration // between two runs; Hermes's default is 24 hours
	Vacuum      bool          // give the space back if something was removed
}

// AutoPruned is what the maintenance of Hermes's start did.
type AutoPruned struct {
	Skipped  bool  // the last run was too recent
	Pruned   int   // sessions
	Vacuumed bool  // the space was given back
	NoVacuum error // the error of a vacuum that failed
}
