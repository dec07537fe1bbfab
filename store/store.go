// Package store is the session database of Hermes Agent: one SQLite file,
// usually ~/.hermes/state.db, of any schema version from 1 to 31. It is the
// only package that speaks SQL.
//
// [Open] opens a file of any version as it is, [Migrate] makes a new one or
// brings one of version 1 to 10 to 11, [Demo] makes an invented one. What a
// [Store] does then:
//
//   - lists: [Store.Conversations], and as documented [Store.Sessions] and
//     [Store.RecentSessions]; counts and sums: [Store.Stats],
//     [Store.UsageByModel]
//   - reads: [Store.Session], [Store.Messages], [Store.ChatMessages];
//     windows of a conversation: [Store.Outline] and [Store.MessagesByID]
//   - finds: [Store.Search] by conversation, [Store.SearchMessages] by
//     message; ids and titles: [Store.Resolve], [Store.ResolveTitle],
//     [Store.Tip]; relatives: [Store.Lineage]
//   - writes: [Store.CreateSession], [Store.AppendMessage],
//     [Store.EndSession], [Store.SetTitle], [Store.AddUsage]
//   - removes and brings back: [Store.PlanDelete], [Store.Delete],
//     [Store.Restore], [Store.Prune]
//   - moves: [Store.Export], [Store.Import]
//   - looks after the file: [Store.Check], [Store.Notes], [Store.Vacuum]
//
// What goes wrong is an [*Error] with a kind, a sentence and a remedy where
// the file, a name or another program is at fault. Writing is as patient with
// other writers as Hermes is, and as short.
package store

import (
	"errors"
	"time"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/internal/transcript"
	"hermes-sessions/store/internal/transfer"
	"hermes-sessions/store/internal/trash"
	"hermes-sessions/store/internal/upkeep"
	"hermes-sessions/store/search"
	"hermes-sessions/store/sessiondb"
)

// WithTranscripts names the folder where Hermes keeps files that belong to
// sessions, usually the folder "sessions" beside the database. Deleting a
// session then removes its files too, and restoring it brings them back:
//
//	ID.json  ID.jsonl  session_ID.json  request_dump_ID_20260102_030405_678901.json
//
// Exactly those: a file that another session could own stays, and no id leads
// out of the folder (store/README.md#q19).
func WithTranscripts(dir string) Option { return func(s *Store) { s.db.Transcripts = dir } }

// WithoutBackup lets [Migrate] change a file without a copy of it. [Open] does
// not heed it.
func WithoutBackup() Option { return func(s *Store) { s.upkeep.NoBackup = true } }

// Store is an open session database. Its methods may be called from several
// goroutines at once. A call that is cancelled costs one connection, which is
// replaced by itself.
type Store struct {
	*sessiondb.DB // the calls of Hermes's SessionDB

	db          *db.DB
	sessions    *snapshot.Sessions
	engine      *search.Engine
	transcripts *transcript.Reader
	transfer    *transfer.Transfer
	trash       *trash.Bin
	upkeep      *upkeep.Upkeep
	onClose     func() error // what is left to do after closing, nil for nothing
}

// Option changes how a database is opened.
type Option func(*Store)

// WithClock sets what counts as now.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.db.Clock = now } }

// ReadOnly opens the file without the right to write, so that nothing in this
// process can. SQLite then leaves -wal and -shm files behind where the
// database is in WAL mode.
func ReadOnly() Option {
	return func(s *Store) { s.db.ForbidWrites() }
}

// newStore makes a store as the options want it. Nothing is open yet.
func newStore(path string, opts []Option) *Store {
	d := db.New(path)
	sessions := snapshot.New(d)
	engine := search.New(d, sessions)
	moves := transfer.New(d, sessions)
	s := &Store{
		DB: sessiondb.New(d, sessions), db: d, sessions: sessions, engine: engine,
		transcripts: transcript.New(d, sessions), transfer: moves,
		trash: trash.New(d, sessions, moves), upkeep: upkeep.New(d, sessions, engine),
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Path gives the file that was opened.
func (s *Store) Path() string { return s.db.Path }

// Close closes the database. Running calls are waited for, up to a second:
// cancel them first.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.onClose != nil {
		err = errors.Join(err, s.onClose())
	}
	return err
}
