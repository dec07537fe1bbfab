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
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite" // the driver, pure Go

	"hermes-sessions/model"
)

// Store is an open session database. Its methods may be called from several
// goroutines at once. A call that is cancelled costs one connection, which is
// replaced by itself.
type Store struct {
	path   string
	file   os.FileInfo // as it was at opening, nil where nobody looked
	db     *sql.DB     // readers: query_only
	schema schema
	now    func() time.Time
	closed func() error // what is left to do after closing, nil if nothing

	transcripts string // folder of transcript files, "" for none

	readOnly   bool // asked for, or all that the file allows
	bare       bool // for Migrate: make no copy first
	statements statements
	ownWrites  atomic.Int64 // how often this store has written
	watch      watch
	known      known
	unshown    unshown
	speakers   speakers
	writings   writings
	casting    casting
	spelling   spelling
	absences   absences
	pages      pages
	choir      choir
	spare      spare

	preparing chan struct{} // held by Prepare

	notesMu sync.Mutex
	notes   []model.Note
	writer  writer
	rights  rights
}

// Option changes how a database is opened.
type Option func(*Store)

// WithClock sets what counts as now.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// ReadOnly opens the file without the right to write, so that nothing in this
// process can. SQLite then leaves -wal and -shm files behind where the
// database is in WAL mode.
func ReadOnly() Option {
	return func(s *Store) { s.forbidWrites() }
}

// forbidWrites keeps a database that is not open yet from ever being written.
func (s *Store) forbidWrites() { s.readOnly, s.writer.forbidden = true, true }

// newStore makes a store as the options want it. Nothing is open yet.
func newStore(path string, opts []Option) *Store {
	s := &Store{path: path, now: time.Now}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Path gives the file that was opened.
func (s *Store) Path() string { return s.path }

// Notes says what is wrong with the database although it can be read: what
// showed at opening, and what reading came across since.
func (s *Store) Notes() []model.Note {
	s.notesMu.Lock()
	defer s.notesMu.Unlock()
	return slices.Clone(s.notes)
}

// Close closes the database. Running calls are waited for, up to a second:
// cancel them first.
func (s *Store) Close() error {
	err := s.closeFile()
	if s.closed != nil {
		err = errors.Join(err, s.closed())
	}
	return err
}

// closeFile closes all connections.
func (s *Store) closeFile() error {
	err := errors.Join(s.writer.close(), s.watch.close(), closePool(s.db))
	s.sweep()
	return err
}

// closePool closes the connections, those in use too. Close of database/sql
// leaves these to whoever uses them, and a process that ends before they are
// done leaves -wal and -shm behind. A call that goes on for longer than a
// second is not waited for.
func closePool(db *sql.DB) error {
	err := db.Close()
	for began := time.Now(); db.Stats().OpenConnections > 0 && time.Since(began) < time.Second; {
		time.Sleep(time.Millisecond)
	}
	return err
}

// sweep sees to it that no -wal and -shm stay that nobody uses. SQLite removes
// them with the last connection that closes, but of two that close at the same
// moment each still finds the other's lock, and then neither does. One that
// comes and goes alone makes up for it. It is a courtesy: where another process
// has the file open, or it can not be opened now, they stay as they are.
func (s *Store) sweep() {
	if s.readOnly {
		return
	}
	if _, err := os.Stat(s.path + "-shm"); err != nil {
		return
	}
	now, err := os.Stat(s.path)
	if err != nil || !os.SameFile(now, s.file) {
		return // these files belong to another database
	}
	name, err := fileURI(s.path)
	if err != nil {
		return
	}
	// Reading the version of the schema is what makes it take part in the log.
	last, err := s.db.Driver().Open(name + "?mode=rw&_pragma=query_only(1)&_pragma=schema_version")
	if err == nil {
		_ = last.Close() // what it was opened for is done, or is left to the next
	}
}

// queryer is what a query needs: the pool, a connection, or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// snapshot runs f inside one read transaction, so that all it reads is of one
// moment whatever others write.
func (s *Store) snapshot(ctx context.Context, f func(queryer) error) error {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return s.wrap("read", err)
	}
	defer tx.Rollback() // ends the read; there is nothing to undo
	return f(tx)
}

// watch is the connection that tells when others change the file: SQLite's
// data_version is comparable only within one connection.
type watch struct {
	mu      sync.Mutex
	conn    *sql.Conn
	seen    int64 // data_version of conn
	version int64
}

func (w *watch) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	return w.conn.Close()
}

// DataVersion gives a number that grows when another process has changed the
// database. It takes well under a millisecond.
func (s *Store) DataVersion(ctx context.Context) (int64, error) {
	s.lookAtRights() // they change as rarely, and nothing else tells
	w := &s.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	for fresh := false; ; fresh = true {
		if w.conn == nil {
			c, err := s.db.Conn(ctx)
			if err != nil {
				return 0, s.wrap("watch", err)
			}
			// What happened while nobody watched is unknown.
			w.conn, w.seen = c, -1
		}
		var v int64
		err := w.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&v)
		if err == nil {
			if v != w.seen {
				w.seen = v
				w.version++
			}
			return w.version, nil
		}
		w.conn.Close() // broken by a cancelled query; its error says nothing new
		w.conn = nil
		if fresh || ctx.Err() != nil {
			return 0, s.wrap("watch", err)
		}
	}
}

// code gives SQLite's primary result code, 0 when err is of another kind.
func code(err error) int { return full(err) & 0xff }

// full gives SQLite's extended result code, 0 when err is of another kind.
func full(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}
