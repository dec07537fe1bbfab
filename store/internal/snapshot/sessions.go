package snapshot

import (
	"hash/maphash"
	"sync/atomic"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/salvage"
)

// Sessions reads the sessions of a database and keeps the newest [Snapshot] of them,
// with caches of previews and of the roles of messages, which only messages have. Its methods
// may be called from several goroutines at once.
type Sessions struct {
	db       *db.DB
	cache    snapshotCache
	RoleSets RoleSetsCache // for the search, see the package comment
	Indexes  IndexTrust    // whether they can be trusted
	Salvage  *salvage.Reader

	// ReadsMessageSessions makes a snapshot of all sessions come with the message → session
	// map, which costs little beside the counts of messages.
	ReadsMessageSessions atomic.Bool
}

// New returns the sessions of a database. They are read when they are first needed.
func New(d *db.DB) *Sessions {
	s := &Sessions{db: d, Salvage: salvage.New(d)}
	s.Indexes.db, s.Indexes.seed = d, maphash.MakeSeed()
	s.cache.readLock, s.cache.previews = make(chan struct{}, 1), map[previewKey]preview{}
	return s
}

// DropRoles removes all cached roles of messages.
func (s *Sessions) DropRoles() { s.RoleSets.dropDeleted(nil) }
