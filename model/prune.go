package model

import "time"

// PruneOptions say which conversations have become old.
type PruneOptions struct {
	// OlderThan is how long a conversation must have been silent: since its
	// last message, not since its start (store/README.md#q12).
	OlderThan time.Duration
	Source    string // of the conversation's tip; "" for all
	// Backup, Forget and Progress are as in DeleteOptions.
	Backup   string
	NoUndo   bool
	Progress func(done, total int)
}

// PruneCandidates finds the conversations that nobody has touched since a moment: all of
// whose segments have ended and none of which is pinned. A conversation goes
// as a whole or stays as a whole, so that no chain loses its beginning
// (store/README.md#q13). Subagents are conversations of their own here: one that is
// still open, young or pinned stays when the conversation that started it goes.
//
// They are given by the positions of their roots.
func (l *Lineage) PruneCandidates(before time.Time, source string) (old []int) {
	for root, first := range l.Root {
		if int(first) != root {
			continue
		}
		tip, active, kept := Session{}, time.Time{}, false
		for i := root; i >= 0; i = int(l.Next[i]) {
			tip = l.Session(i)
			if at := tip.lastActive(); at.After(active) {
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
