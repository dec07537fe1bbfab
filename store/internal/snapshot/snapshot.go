package snapshot

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessiontable"
)

// Snapshot is all sessions as of one read transaction, without their messages. It is
// never changed after it was built, except for values that are computed when they are
// first needed.
type Snapshot struct {
	DataVersion int64 // [db.DB.DataVersion] before it was read
	readAt      time.Time
	retention   model.Retention
	locks       model.Locks
	stale       bool         // it was refreshed: some columns of sessions may be older
	fingerprint *fingerprint // of its transaction; nil where the file lacks the indexes for it
	ownWrites   int64        // [db.DB.OwnWrites] before it was read
	*sessiontable.Table
	Lineage         *model.Lineage
	Conversations   *ConversationIndex
	MessageSessions atomic.Pointer[MessageSessions] // nil until a search reads it
	Derived         lazyValue
	doubts          doubts // whether its indexes were sound
	part            *part  // nil where it has every session
	longCounted     bool   // it is a family, with all messages counted
}

// newSnapshot begins a snapshot with what processes do in the sessions.
func (s *Sessions) newSnapshot(ctx context.Context, q db.Querier) (*Snapshot, error) {
	locks, err := s.readLocks(ctx, q)
	return &Snapshot{readAt: s.db.Clock(), ownWrites: s.db.OwnWrites.Load(), retention: s.db.Retention(), locks: locks}, err
}

// readLocks reads what processes do in the sessions. The list of a damaged file does without.
func (s *Sessions) readLocks(ctx context.Context, q db.Querier) (model.Locks, error) {
	locks, err := s.db.Locks(ctx, q)
	if db.IsCorrupt(err) {
		s.db.AddNote(model.NoteDamaged)
		return model.Locks{}, nil
	}
	return locks, err
}

// linkConversations builds the lineage and the conversations of the sessions.
func (snap *Snapshot) linkConversations(schema db.Schema) {
	snap.Lineage = model.BuildLineage(snap.Table, schema.MarksDelegates())
	snap.Lineage.Retention, snap.Lineage.Locks = snap.retention, snap.locks
	snap.Conversations = newConversationIndex(snap, snap.readAt, false)
}

// ConversationAt returns the conversation of the session at a position.
func (snap *Snapshot) ConversationAt(i int) model.Conversation {
	return snap.Conversations.Conversation(snap.Lineage.Root[i])
}

// ConversationOf returns the conversation of the session with an id; ok is false where
// there is no such session.
func (snap *Snapshot) ConversationOf(id string) (m model.Conversation, ok bool) {
	i, ok := snap.Position(id)
	if !ok {
		return model.Conversation{}, false
	}
	return snap.ConversationAt(i), true
}

// SessionNumber returns the position of the session with an id, as [MessageSessions] has
// it: a number below zero where there is no such session. A part notes that it is
// requested.
func (snap *Snapshot) SessionNumber(id string) int32 {
	if i, ok := snap.Position(id); ok {
		return int32(i)
	}
	snap.Request(id)
	return orphaned
}

// sessionsAt returns sessions by their positions.
func (snap *Snapshot) sessionsAt(at []int) []model.Session {
	out := make([]model.Session, len(at))
	for k, i := range at {
		out[k] = snap.Session(i)
	}
	return out
}

// IsListed reports whether the documented list shows the session at a position by
// itself: roots, and branches that the user made. Marked delegates are hidden
// (store/README.md#lists).
func (snap *Snapshot) IsListed(i int) bool {
	m := snap.Session(i)
	switch snap.Lineage.Link[i] {
	case model.LinkRoot:
		return true
	case model.LinkBranch:
		p := snap.Session(int(snap.Lineage.Parent[i]))
		// Second continuations and children of reopened parents are in
		// Sessions.Conversations alone.
		return m.BranchedFrom != "" || m.ResetFrom != "" || p.EndReason == "branched" || m.Replaces(&p)
	}
	return false
}

// lazyValue is a value that a search computes from a snapshot. It is made when it is
// first needed, and dropped with the snapshot.
type lazyValue struct {
	once  sync.Once
	value any
}

// GetOrCreate returns the value. The first call makes it with create.
func (v *lazyValue) GetOrCreate(create func() any) any {
	v.once.Do(func() { v.value = create() })
	return v.value
}
