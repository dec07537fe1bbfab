package model

import "time"

// CleanupReason is why a conversation can be cleaned up.
type CleanupReason int

// The reasons, most certain first.
const (
	CleanupGhost     CleanupReason = iota // begun in the terminal program and left without a word
	CleanupEmpty                          // nothing was ever said in it
	CleanupOrphan                         // a subagent's work whose conversation is gone
	CleanupDuplicate                      // all that it says stands in another one of the same title
)

// String says it in a word.
func (r CleanupReason) String() string {
	return [...]string{"ghost", "empty", "orphaned subagent", "numbered duplicate"}[r]
}

// CleanupFinding is a conversation that can be cleaned up.
type CleanupFinding struct {
	Conversation
	Reason   CleanupReason
	Original string // of a duplicate: the title of the one that says it all; of an orphan: the id that is gone
}

// minCleanupAge is how long a conversation must have been silent to be one.
const minCleanupAge = 24 * time.Hour

// CleanupFindings looks for conversations that nobody misses: empty ones and orphaned
// delegates, without those that are pinned, titled, young, or that others hang
// on. An empty one has no visible messages; whether it has others is not known
// here.
func (l *Lineage) CleanupFindings(now time.Time) (found []CleanupFinding) {
	there := make(map[string]bool, l.Len())
	for i := range l.Len() {
		there[l.Session(i).ID] = true
	}
	missing := func(id string) bool { return id != "" && id != "?" && !there[id] }
	for i, first := range l.Root {
		if int(first) != i {
			continue
		}
		c := l.Conversation(i, now)
		if c.Pinned || c.Title != "" || now.Sub(c.LastActive) < minCleanupAge {
			continue
		}
		root := l.Session(i)
		gone := ""
		switch {
		case missing(root.DelegateFrom) && (root.ParentID == "" || missing(root.ParentID)):
			gone = root.DelegateFrom
		case missing(root.ParentID) && root.Source == "subagent":
			gone = root.ParentID
		}
		f := CleanupFinding{Conversation: c, Reason: CleanupEmpty}
		switch {
		case gone != "":
			f.Reason, f.Original = CleanupOrphan, gone
		case c.Messages > 0 || c.Branches > 0 || c.Delegates > 0:
			continue
		case c.Source == "tui" && !c.EndedAt.IsZero():
			f.Reason = CleanupGhost
		}
		found = append(found, f)
	}
	return found
}
