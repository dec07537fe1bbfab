package snapshot

import (
	"context"
	"hash/maphash"
	"sync/atomic"

	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/salvage"
	"hermes-sessions/store/internal/sessionroles"
)

// Sessions reads the sessions of a database and keeps the newest [Snapshot] of them,
// with caches of previews and roles, which only messages have. Its methods may be called
// from several goroutines at once.
type Sessions struct {
	db           *db.DB
	cache        snapshotCache
	RoleSets     RoleSetsCache // for the search, see the package comment
	sessionRoles sessionroles.Cache
	Indexes      IndexTrust // whether they can be trusted
	Salvage      *salvage.Reader

	// WithFile returns the ids of the sessions of a snapshot that pass a filter file:. The
	// search engine has it; nil finds none.
	WithFile  func(context.Context, *Snapshot, query.Filter) (map[string]bool, error)
	FileNames func(context.Context) ([]query.FieldValue, error) // values of file:

	// FailedResults counts the failed results of each session by tool, "" for unnamed. The
	// search engine has it; ok is false where all results have to be read instead.
	FailedResults func(context.Context) (all map[string]sessionroles.Failures, ok bool, err error)
	// ReadFailuresUpTo is the number of messages up to which reading all of them takes less
	// time than FailedResults.
	ReadFailuresUpTo int

	// ReadsMessageSessions makes a snapshot of all sessions come with the message → session
	// map, which costs little beside the counts of messages.
	ReadsMessageSessions atomic.Bool
}

// New returns the sessions of a database. They are read when they are first needed.
func New(d *db.DB) *Sessions {
	s := &Sessions{db: d, Salvage: salvage.New(d), ReadFailuresUpTo: 20_000}
	s.Indexes.db, s.Indexes.seed = d, maphash.MakeSeed()
	s.cache.readLock, s.cache.previews = make(chan struct{}, 1), map[previewKey]preview{}
	return s
}

// DropRoles removes all cached roles of messages.
func (s *Sessions) DropRoles() { s.RoleSets.dropDeleted(nil) }
