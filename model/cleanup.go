package model

import "time"

// CleanupReason is why a conversation can be cleaned up.
type CleanupReason int

// The reasons, most certain first.
const (
	CleanupGhost     CleanupReason = iota // opened in Hermes's terminal program and closed without a message
	CleanupEmpty                          // no messages
	CleanupOrphan                         // a delegate whose parent no longer exists
	CleanupDuplicate                      // every message is also in another conversation with the same title
)

// String names a reason.
func (r CleanupReason) String() string {
	return [...]string{"ghost", "empty", "orphaned subagent", "numbered duplicate"}[r]
}

// CleanupFinding is a conversation that can be cleaned up.
type CleanupFinding struct {
	Conversation
	Reason   CleanupReason
	Original string // of a duplicate: the title of the conversation that has all its messages; of an orphan: the id of the missing parent
}

// Why returns the reason, with the original of a duplicate or the missing parent of an orphan.
func (f *CleanupFinding) Why() string {
	if f.Original != "" {
		return f.Reason.String() + " of " + f.Original
	}
	return f.Reason.String()
}

// minCleanupAge is the minimum time since the last activity of a finding.
const minCleanupAge = 24 * time.Hour

// CleanupFindings returns empty conversations and orphaned delegates. It leaves out
// conversations that are pinned, archived, have a title, or were active within a day. An
// empty conversation has no visible messages, branches or delegates; the caller
// must check whether it has other messages.
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
		if c.Pinned || c.Archived || c.Title != "" || now.Sub(c.LastActive) < minCleanupAge {
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
