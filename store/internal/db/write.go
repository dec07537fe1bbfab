package db

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

// ReadOnlyTx runs f with what a transaction gives, on a connection that can not
// write, so that f finds out beforehand what a change would meet.
func (d *DB) ReadOnlyTx(ctx context.Context, f func(*Tx) error) error {
	conn, err := d.Pool.Conn(ctx)
	if err != nil {
		return d.WrapError("look at", err)
	}
	defer conn.Close()
	t := &Tx{conn: conn, Timestamp: Seconds(d.Clock())}
	if t.Schema, err = ReadSchema(ctx, t); err != nil {
		return d.WrapError("look at", err)
	}
	return d.WrapError("look at", f(t))
}

// How we write beside other writers: the same patience as Hermes has, so that
// neither starves the other (store/README.md#write-rules).
const (
	MaxWriteTries   = 15
	MinRetryPause   = 20 * time.Millisecond
	MaxRetryPause   = 150 * time.Millisecond
	busyTimeout     = time.Second
	CheckpointEvery = 50
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
	ReadOnly bool // by [ReadOnly]

	opening sync.Mutex
	Db      *sql.DB // of one connection, so that having it is the turn to write

	// With the connection in hand:
	schema       Schema
	schemaCookie int64 // PRAGMA schema_version that schema belongs to
	writes       int

	BusyTimeout time.Duration                              // 0: busyTimeout
	Sleep       func(context.Context, time.Duration) error // between two tries; nil: pause
	OnLockHeld  func(time.Duration)                        // told how long others could not write; nil: nobody
}

// Tx is a write transaction. It is a [Querier], so that what reads a snapshot
// also reads inside a change.
type Tx struct {
	conn      *sql.Conn
	Schema    Schema  // asked inside the transaction: a newer Hermes may have changed it since Open
	Timestamp float64 // seconds since the epoch, one moment for the whole change
}

func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.conn.QueryContext(ctx, query, args...)
}

// Exec runs one or more statements and gives the number of rows that the last
// of them changed.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := t.conn.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// Insert runs an INSERT and gives the new row's id.
func (t *Tx) Insert(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := t.conn.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// One is [FirstValue] inside the transaction.
func (t *Tx) One(ctx context.Context, query string, args ...any) (v any, ok bool, err error) {
	return FirstValue(ctx, t, query, args...)
}

// FirstValue reads the single value of the first row; ok is false where there is no
// row.
func FirstValue(ctx context.Context, q Querier, query string, args ...any) (v any, ok bool, err error) {
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

// Write runs f inside one BEGIN IMMEDIATE … COMMIT. All that f did is undone
// when it gives an error, when it panics and when ctx ends first. While others
// hold the lock it is tried again, up to 15 times with a random pause, so f may
// run more than once and must set what it gives back anew each time. doing
// says in an error what was being done ("rename x in").
//
// The error is an [*Error] of kind read-only, locked, disk-full, damaged,
// refused, or what f gave. The readers see the change when write returns.
func (d *DB) Write(ctx context.Context, doing string, f func(*Tx) error) error {
	return d.writeTx(ctx, doing, true, f)
}

// WriteUnreferenced is write without SQLite's check that what a row refers to
// exists.
func (d *DB) WriteUnreferenced(ctx context.Context, doing string, f func(*Tx) error) error {
	return d.writeTx(ctx, doing, false, f)
}

func (d *DB) writeTx(ctx context.Context, doing string, checked bool, f func(*Tx) error) error {
	if d.Writer.ReadOnly {
		return d.ReadOnlyError(nil)
	}
	if err := d.checkSameFile(); err != nil {
		return err
	}
	if err := d.Writer.Open(d.Path, "rw"); err != nil {
		return d.WriteError(doing, err)
	}
	err := d.Writer.Run(ctx, d.Clock, checked, f)
	d.OwnWrites.Add(1) // whatever came of it
	if c := ResultCode(err); c == sqliteReadOnly || c == sqlitePerm || c == sqliteCantOpen {
		d.Writer.disconnect() // the next change may find other rights
	}
	return d.WriteError(doing, err)
}

// checkSameFile refuses where the path leads to another file than the one that was
// read: what a person saw in the one must not be done to the other.
func (d *DB) checkSameFile() error {
	if d.file == nil {
		return nil
	}
	now, err := os.Stat(d.Path)
	if err == nil && os.SameFile(now, d.file) {
		return nil
	}
	e := &Error{
		Kind: KindReplaced, Path: d.Path, Err: err,
		Message: "another file has taken the place of the database since it was opened; nothing was changed",
		Remedy:  "start again, to see what is there now",
	}
	if err != nil {
		e.Message = "the database is not there any more; nothing was changed"
	}
	return e
}

// Open makes the pool; the connection itself comes with the first change.
func (w *writer) Open(path, mode string) error {
	w.opening.Lock()
	defer w.opening.Unlock()
	if w.Db != nil {
		return nil
	}
	name, err := FileURI(path)
	if err != nil {
		return err
	}
	busy := w.BusyTimeout
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
	w.Db = db
	return nil
}

// disconnect closes the connection, if nobody has it in hand; the next change opens
// a new one. SQLite finds out only then whether it may write.
func (w *writer) disconnect() {
	w.Db.SetMaxIdleConns(0)
	w.Db.SetMaxIdleConns(1)
}

// Run tries until the change is made or patience ends.
func (w *writer) Run(ctx context.Context, now func() time.Time, checked bool, f func(*Tx) error) error {
	wait := w.Sleep
	if wait == nil {
		wait = SleepContext
	}
	for try := 1; ; try++ {
		err := w.tryOnce(ctx, now, checked, f)
		if c := ResultCode(err); try == MaxWriteTries || c != SqliteBusy && c != SqliteLocked {
			return err
		}
		if err := wait(ctx, MinRetryPause+rand.N(MaxRetryPause-MinRetryPause)); err != nil {
			return err
		}
	}
}

func SleepContext(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *writer) tryOnce(ctx context.Context, now func() time.Time, checked bool, f func(*Tx) error) (err error) {
	conn, err := w.Db.Conn(ctx)
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
	if w.OnLockHeld != nil {
		began := time.Now()
		defer func() { w.OnLockHeld(time.Since(began)) }()
	}
	committed := false
	defer func() {
		if !committed {
			// Where this fails SQLite has rolled back already, or the
			// connection is broken and thrown away, which rolls back too.
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`)
		}
	}()
	t := &Tx{conn: conn, Timestamp: Seconds(now())}
	if err := w.refreshSchema(ctx, t); err != nil {
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
	if w.writes++; w.writes%CheckpointEvery == 0 {
		checkpoint(context.WithoutCancel(ctx), conn)
	}
	return nil
}

// refreshSchema gives the transaction the schema of this moment.
func (w *writer) refreshSchema(ctx context.Context, t *Tx) error {
	v, _, err := t.One(ctx, `PRAGMA schema_version`)
	if err != nil {
		return err
	}
	if cookie := AsInt(v); w.schema.Tables == nil || cookie != w.schemaCookie {
		if w.schema, err = ReadSchema(ctx, t); err != nil {
			w.schema = Schema{}
			return err
		}
		w.schemaCookie = cookie
	}
	t.Schema = w.schema
	return nil
}

// checkpoint moves into the file what of the WAL can be moved without making
// anyone wait. It is a courtesy: what is left is moved by whoever comes next,
// so its errors say nothing.
func checkpoint(ctx context.Context, conn *sql.Conn) {
	_, _ = conn.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`)
}

func (w *writer) Close() error {
	w.opening.Lock()
	defer w.opening.Unlock()
	if w.Db == nil {
		return nil
	}
	if w.writes > 0 {
		_, _ = w.Db.Exec(`PRAGMA wal_checkpoint(PASSIVE)`) // see checkpoint
	}
	return closePool(w.Db)
}

// Seconds gives a moment as the database keeps it. Microseconds are all that a
// float holds of today's times, and give the same float as Python's clock.
func Seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// WriteError is wrap for what only a change can meet.
func (d *DB) WriteError(doing string, err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	e := &Error{Path: d.Path, Err: err}
	switch c := ResultCode(err); {
	case c == sqliteReadOnly || c == sqlitePerm || c == sqliteCantOpen:
		return d.ReadOnlyError(err)
	case lacksSharedMemory(err):
		return d.sharedMemoryError(KindReadOnly, err)
	case ExtendedCode(err) == sqliteCorruptIndex:
		return d.indexProblem(err)
	case c == sqliteFull || ExtendedCode(err) == sqliteIOWrite:
		e.Kind, e.Message = KindDiskFull, "the disk is full or over its quota; nothing was changed"
		e.Remedy = "free some space, then try again: df -h " + model.ShellWord(filepath.Dir(d.Path))
		return e
	case c == sqliteNotADB:
		return d.NewError(KindDamaged, err)
	case ExtendedCode(err) == sqliteConstraintTrigger:
		e.Kind, e.Message = KindRefused, triggerMessage(err)
		e.Remedy = "make this change with the Hermes that wrote the file"
		return e
	}
	return d.WrapError(doing, err)
}

func (d *DB) ReadOnlyError(err error) *Error {
	e := &Error{Kind: KindReadOnly, Path: d.Path, Err: err}
	if err == nil {
		e.Message, e.Remedy = "it was opened for reading only", "run again without --read-only"
		return e
	}
	e.Message = "the database can not be written: " + CauseOf(err)
	e.Remedy = fmt.Sprintf("ls -ld %s %s; chmod u+w %[1]s %[2]s", model.ShellWord(filepath.Dir(d.Path)), model.ShellWord(d.Path))
	return e
}

// triggerMessage gives the words of a trigger's RAISE as they were written.
func triggerMessage(err error) string {
	words := strings.TrimPrefix(CauseOf(err), "constraint failed: ")
	return strings.TrimSuffix(words, " ("+strconv.Itoa(ExtendedCode(err))+")")
}
