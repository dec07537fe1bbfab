package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes-sessions/model"
)

// How we write beside other writers: the same patience as Hermes has, so that
// neither starves the other (store/README.md#write-rules).
const (
	writeTries      = 15
	leastPause      = 20 * time.Millisecond
	mostPause       = 150 * time.Millisecond
	busyTimeout     = time.Second
	checkpointEvery = 50
)

// More of SQLite's result codes.
const (
	sqliteFull              = 13
	sqliteIOWrite           = 10 | 3<<8
	sqliteConstraintTrigger = 19 | 7<<8
	sqliteCorruptIndex      = 11 | 1<<8 // what a full-text table says of itself
)

// writer is the one connection that changes the file. It is opened by the
// first change and never where the store is read-only.
type writer struct {
	forbidden bool // by [ReadOnly]

	opening sync.Mutex
	db      *sql.DB // of one connection, so that having it is the turn to write

	// With the connection in hand:
	schema schema
	cookie int64 // PRAGMA schema_version that schema belongs to
	writes int

	busy time.Duration                              // 0: busyTimeout
	wait func(context.Context, time.Duration) error // between two tries; nil: pause
	held func(time.Duration)                        // told how long others could not write; nil: nobody
}

// tx is a write transaction. It is a [queryer], so that what reads a snapshot
// also reads inside a change.
type tx struct {
	conn   *sql.Conn
	schema schema  // asked inside the transaction: a newer Hermes may have changed it since Open
	now    float64 // seconds since the epoch, one moment for the whole change
}

func (t *tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.conn.QueryContext(ctx, query, args...)
}

// exec runs one or more statements and gives the number of rows that the last
// of them changed.
func (t *tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := t.conn.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// insert runs an INSERT and gives the new row's id.
func (t *tx) insert(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := t.conn.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// one is [firstValue] inside the transaction.
func (t *tx) one(ctx context.Context, query string, args ...any) (v any, ok bool, err error) {
	return firstValue(ctx, t, query, args...)
}

// firstValue reads the single value of the first row; ok is false where there is no
// row.
func firstValue(ctx context.Context, q queryer, query string, args ...any) (v any, ok bool, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(&v); err != nil {
			return nil, false, err
		}
		ok = true
	}
	return v, ok, rows.Err()
}

// write runs f inside one BEGIN IMMEDIATE … COMMIT. All that f did is undone
// when it gives an error, when it panics and when ctx ends first. While others
// hold the lock it is tried again, up to 15 times with a random pause, so f may
// run more than once and must set what it gives back anew each time. doing
// says in an error what was being done ("rename x in").
//
// The error is an [*Error] of kind read-only, locked, disk-full, damaged,
// refused, or what f gave. The readers see the change when write returns.
func (s *Store) write(ctx context.Context, doing string, f func(*tx) error) error {
	return s.change(ctx, doing, true, f)
}

// writeUnreferenced is write without SQLite's check that what a row refers to
// exists.
func (s *Store) writeUnreferenced(ctx context.Context, doing string, f func(*tx) error) error {
	return s.change(ctx, doing, false, f)
}

func (s *Store) change(ctx context.Context, doing string, checked bool, f func(*tx) error) error {
	if s.writer.forbidden {
		return s.readOnlyFault(nil)
	}
	if err := s.sameFile(); err != nil {
		return err
	}
	if err := s.writer.open(s.path, "rw"); err != nil {
		return s.writeFault(doing, err)
	}
	err := s.writer.run(ctx, s.now, checked, f)
	s.ownWrites.Add(1) // whatever came of it
	if c := code(err); c == sqliteReadOnly || c == sqlitePerm || c == sqliteCantOpen {
		s.writer.forget() // the next change may find other rights
	}
	return s.writeFault(doing, err)
}

// sameFile refuses where the path leads to another file than the one that was
// read: what a person saw in the one must not be done to the other.
func (s *Store) sameFile() error {
	if s.file == nil {
		return nil
	}
	now, err := os.Stat(s.path)
	if err == nil && os.SameFile(now, s.file) {
		return nil
	}
	e := &Error{
		Kind: KindReplaced, Path: s.path, Err: err,
		Message: "another file has taken the place of the database since it was opened; nothing was changed",
		Remedy:  "start again, to see what is there now",
	}
	if err != nil {
		e.Message = "the database is not there any more; nothing was changed"
	}
	return e
}

// open makes the pool; the connection itself comes with the first change.
func (w *writer) open(path, mode string) error {
	w.opening.Lock()
	defer w.opening.Unlock()
	if w.db != nil {
		return nil
	}
	name, err := fileURI(path)
	if err != nil {
		return err
	}
	busy := w.busy
	if busy == 0 {
		busy = busyTimeout
	}
	db, err := sql.Open("sqlite", name+"?mode="+mode+
		"&_pragma=busy_timeout("+strconv.FormatInt(busy.Milliseconds(), 10)+")&_pragma=foreign_keys(1)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	w.db = db
	return nil
}

// forget closes the connection, if nobody has it in hand; the next change opens
// a new one. SQLite finds out only then whether it may write.
func (w *writer) forget() {
	w.db.SetMaxIdleConns(0)
	w.db.SetMaxIdleConns(1)
}

// run tries until the change is made or patience ends.
func (w *writer) run(ctx context.Context, now func() time.Time, checked bool, f func(*tx) error) error {
	wait := w.wait
	if wait == nil {
		wait = pause
	}
	for try := 1; ; try++ {
		err := w.once(ctx, now, checked, f)
		if c := code(err); try == writeTries || c != sqliteBusy && c != sqliteLocked {
			return err
		}
		if err := wait(ctx, leastPause+rand.N(mostPause-leastPause)); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *writer) once(ctx context.Context, now func() time.Time, checked bool, f func(*tx) error) (err error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if !checked { // can only be set between transactions
		if _, err := conn.ExecContext(ctx, `PRAGMA foreign_keys = OFF`); err != nil {
			return err
		}
		defer func() { // runs after the rollback
			_, on := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA foreign_keys = ON`)
			err = errors.Join(err, on)
		}()
	}
	if _, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	if w.held != nil {
		began := time.Now()
		defer func() { w.held(time.Since(began)) }()
	}
	committed := false
	defer func() {
		if !committed {
			// Where this fails SQLite has rolled back already, or the
			// connection is broken and thrown away, which rolls back too.
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`)
		}
	}()
	t := &tx{conn: conn, now: seconds(now())}
	if err := w.look(ctx, t); err != nil {
		return err
	}
	if err := f(t); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// From here on there is an outcome: a cancelled COMMIT would have none.
	if _, err := conn.ExecContext(context.WithoutCancel(ctx), `COMMIT`); err != nil {
		return err
	}
	committed = true
	if w.writes++; w.writes%checkpointEvery == 0 {
		checkpoint(context.WithoutCancel(ctx), conn)
	}
	return nil
}

// look gives the transaction the schema of this moment.
func (w *writer) look(ctx context.Context, t *tx) error {
	v, _, err := t.one(ctx, `PRAGMA schema_version`)
	if err != nil {
		return err
	}
	if cookie := number(v); w.schema.tables == nil || cookie != w.cookie {
		if w.schema, err = inspect(ctx, t); err != nil {
			w.schema = schema{}
			return err
		}
		w.cookie = cookie
	}
	t.schema = w.schema
	return nil
}

// checkpoint moves into the file what of the WAL can be moved without making
// anyone wait. It is a courtesy: what is left is moved by whoever comes next,
// so its errors say nothing.
func checkpoint(ctx context.Context, conn *sql.Conn) {
	_, _ = conn.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`)
}

func (w *writer) close() error {
	w.opening.Lock()
	defer w.opening.Unlock()
	if w.db == nil {
		return nil
	}
	if w.writes > 0 {
		_, _ = w.db.Exec(`PRAGMA wal_checkpoint(PASSIVE)`) // see checkpoint
	}
	return closePool(w.db)
}

// seconds gives a moment as the database keeps it. Microseconds are all that a
// float holds of today's times, and give the same float as Python's clock.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// writeFault is wrap for what only a change can meet.
func (s *Store) writeFault(doing string, err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	e := &Error{Path: s.path, Err: err}
	switch c := code(err); {
	case c == sqliteReadOnly || c == sqlitePerm || c == sqliteCantOpen:
		return s.readOnlyFault(err)
	case unshared(err):
		return s.unsharedFault(KindReadOnly, err)
	case full(err) == sqliteCorruptIndex:
		return s.indexFault(err)
	case c == sqliteFull || full(err) == sqliteIOWrite:
		e.Kind, e.Message = KindDiskFull, "the disk is full or over its quota; nothing was changed"
		e.Remedy = "free some space, then try again: df -h " + model.ShellWord(filepath.Dir(s.path))
		return e
	case c == sqliteNotADB:
		return s.fault(KindDamaged, err)
	case full(err) == sqliteConstraintTrigger:
		e.Kind, e.Message = KindRefused, raised(err)
		e.Remedy = "make this change with the Hermes that wrote the file"
		return e
	}
	return s.wrap(doing, err)
}

func (s *Store) readOnlyFault(err error) *Error {
	e := &Error{Kind: KindReadOnly, Path: s.path, Err: err}
	if err == nil {
		e.Message, e.Remedy = "it was opened for reading only", "run again without --read-only"
		return e
	}
	e.Message = "the database can not be written: " + why(err)
	e.Remedy = fmt.Sprintf("ls -ld %s %s; chmod u+w %[1]s %[2]s", model.ShellWord(filepath.Dir(s.path)), model.ShellWord(s.path))
	return e
}

// raised gives the words of a trigger's RAISE as they were written.
func raised(err error) string {
	words := strings.TrimPrefix(why(err), "constraint failed: ")
	return strings.TrimSuffix(words, " ("+strconv.Itoa(full(err))+")")
}
