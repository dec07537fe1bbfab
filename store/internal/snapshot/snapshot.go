package snapshot

import (
	"sync"
	"sync/atomic"
	"time"

	"hermes-sessions/model"
)

// Snapshot is all sessions of one moment in memory, without their texts: what
// the list, the search and the lineage are made of. It is never changed after
// it was built.
type Snapshot struct {
	DataVersion int64 // DataVersion when it was read
	readAt      time.Time
	stale       bool         // it has caught up: some things of sessions are as they were
	fingerprint *fingerprint // of its moment, nil where they can not be told
	ownWrites   int64        // how often this store had written before
	*SessionTable
	Lineage         *model.Lineage
	Conversations   *ConversationIndex              // conversations
	MessageSessions atomic.Pointer[MessageSessions] // nil until a search asks
	Derived         lazyValue
}

func (s *Sessions) newSnapshot() *Snapshot {
	return &Snapshot{readAt: s.db.Clock(), ownWrites: s.db.OwnWrites.Load()}
}

// linkConversations makes conversations of the sessions that were read.
func (s *Sessions) linkConversations(c *Snapshot) {
	c.Lineage = model.BuildLineage(c.SessionTable, s.db.Schema.MarksDelegates())
	c.Conversations = NewConversationIndex(c, c.readAt, false)
}

// ConversationAt makes the one that the session at a position belongs to.
func (c *Snapshot) ConversationAt(i int) model.Conversation {
	return c.Conversations.Conversation(c.Lineage.Root[i])
}

// ConversationOf makes the one that the session with an id belongs to.
func (c *Snapshot) ConversationOf(id string) (model.Conversation, bool) {
	i, ok := c.Position(id)
	if !ok {
		return model.Conversation{}, false
	}
	return c.ConversationAt(i), true
}

// SessionNumber gives the number of a session.
func (c *Snapshot) SessionNumber(id string) int32 {
	if i, ok := c.Position(id); ok {
		return int32(i)
	}
	return orphaned
}

// sessionsAt gives sessions by their positions.
func (c *Snapshot) sessionsAt(at []int) []model.Session {
	out := make([]model.Session, len(at))
	for k, i := range at {
		out[k] = c.Session(i)
	}
	return out
}

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

// lazyValue is what a search engine works out of a catalog: made when it is first
// asked for, and dropped with the catalog.
type lazyValue struct {
	once  sync.Once
	value any
}

// GetOrCreate gives what create makes, always the same.
func (d *lazyValue) GetOrCreate(create func() any) any {
	d.once.Do(func() { d.value = create() })
	return d.value
}
