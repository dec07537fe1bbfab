package model

import "time"

// PruneOptions are the options of a prune, the delete of old conversations.
type PruneOptions struct {
	// OlderThan is the minimum age of a conversation's last message. The age of
	// its start does not matter (store/README.md#q12).
	OlderThan time.Duration
	Source    string // of the conversation's tip; "" for all
	// Backup, NoUndo and Progress are as in DeleteOptions.
	Backup   string
	NoUndo   bool
	Progress func(done, total int)
}

// PruneCandidates returns the positions of the roots of all conversations that were
// last active before a time. All segments must have ended and none may be pinned. A
// conversation is pruned as a whole, so that no chain loses its first segments
// (store/README.md#q13). A delegate is a conversation of its own here: it stays if
// it is open, recently active or pinned, even if its parent is pruned.
func (l *Lineage) PruneCandidates(before time.Time, source string) (old []int) {
	for root, first := range l.Root {
		if int(first) != root {
			continue
		}
		tip, active, kept := Session{}, time.Time{}, false
		for i := root; i >= 0; i = int(l.Next[i]) {
			tip = l.Session(i)
			if at := tip.LastActive(); at.After(active) {
				active = at
			}
			kept = kept || tip.EndedAt.IsZero() || tip.Pinned
		}
		if !kept && (source == "" || tip.Source == source) && active.Before(before) {
			old = append(old, root)
		}
	}
	return old
}
