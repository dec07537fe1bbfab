package snapshot

import (
	"time"

	"hermes-sessions/model"
)

// LastActive is the time that orders a session in the documented lists.
func (c *Snapshot) LastActive(i int) time.Time {
	m := c.Session(i)
	at := m.LastMessageAt
	if at.IsZero() {
		at = m.StartedAt
	}
	if m.LastActivityAt.After(at) {
		at = m.LastActivityAt
	}
	return at
}

// IsListed reports whether the documented list shows a session by itself: roots,
// and what the user forked. Delegates that carry their mark are hidden.
func (c *Snapshot) IsListed(i int) bool {
	m := c.Session(i)
	switch c.Lineage.Link[i] {
	case model.LinkRoot:
		return true
	case model.LinkBranch:
		p := c.Session(int(c.Lineage.Parent[i]))
		// Second continuations and children of reopened parents are listed by
		// Conversations alone.
		return m.BranchedFrom != "" || m.ResetFrom != "" || p.EndReason == "branched"
	}
	return false
}
