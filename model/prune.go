package model

import (
	"slices"
	"time"
)

// PruneOptions say which conversations have become old.
type PruneOptions struct {
	// OlderThan is how long a conversation must have been silent: since its
	// last message, not since its start (quirk Q12).
	OlderThan time.Duration
	Source    string // of the conversation's tip; "" for all
	// Backup, Forget and Progress are as in DeleteOptions.
	Backup   string
	Forget   bool
	Progress func(done, total int)
}

// Prune finds the conversations that nobody has touched since a moment: all of
// whose segments have ended and none of which is pinned. A conversation goes
// as a whole or stays as a whole, so that no chain loses its beginning (quirk
// Q13). Subagents are conversations of their own here: one that is still open,
// young or pinned stays when the conversation that started it goes.
func (l *Lineage) Prune(conv []Conversation, before time.Time, source string) (old []int) {
	at := make(map[string]int, len(l.Sessions))
	for i := range l.Sessions {
		at[l.Sessions[i].ID] = i
	}
	for c := range conv {
		if source != "" && conv[c].Source != source || !conv[c].LastActive.Before(before) {
			continue
		}
		kept := slices.ContainsFunc(conv[c].Segments, func(id string) bool {
			s := &l.Sessions[at[id]]
			return s.EndedAt.IsZero() || s.Pinned
		})
		if !kept {
			old = append(old, c)
		}
	}
	return old
}
