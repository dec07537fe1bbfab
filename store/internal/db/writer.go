package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

// Writer is the connection that changes the file. It is opened by the first change,
// and never where the database was opened for reading only. Its fields for tests are
// set before the first change.
type Writer struct {
	ReadOnly bool // as [DB.ForbidWrites] says

	opening    sync.Mutex
	Pool       *sql.DB // of one connection: a goroutine that holds it is the one that may write
	closedFile func()  // see openedBySQLite

	// Guarded by the connection:
	schema       Schema
	cascades     map[string][]cascade
	schemaCookie int64 // PRAGMA schema_version of schema and cascades
	writes       int   // transactions committed

	BusyTimeout time.Duration                              // how long SQLite waits for a lock; 0: busyTimeout
	MaxStall    time.Duration                              // how long a statement may change no row; 0: maxStall
	Sleep       func(context.Context, time.Duration) error // pause between two tries; nil: SleepContext
	OnLockHeld  func(time.Duration)                        // called with the time that the lock was held; may be nil
}

// Open prepares the connection; the first statement opens it. mode is that of a SQLite
// URI. synchronous is for PRAGMA synchronous, "" for what SQLite takes by itself: to set it
// reads the database, which a file without shared memory cannot be until its journal is
// another one.
func (w *Writer) Open(path, mode, synchronous string) error {
	w.opening.Lock()
	defer w.opening.Unlock()
	if w.Pool != nil {
		return nil
	}
	name, err := FileURI(path)
	if err == nil {
		err = registerFunctions()
	}
	if err != nil {
		return err
	}
	busy := cmp.Or(w.BusyTimeout, busyTimeout)
	if synchronous != "" {
		synchronous = "&_pragma=synchronous(" + synchronous + ")"
	}
	db, err := sql.Open("sqlite", name+"?mode="+mode+
		"&_pragma=busy_timeout("+strconv.FormatInt(busy.Milliseconds(), 10)+")&_pragma=foreign_keys(1)"+synchronous)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	w.Pool, w.closedFile = db, openedBySQLite(path)
	return nil
}

// disconnect closes the connection unless a change is using it; the next change opens
// a new one. SQLite checks only then whether it may write.
func (w *Writer) disconnect() {
	w.Pool.SetMaxIdleConns(0)
	w.Pool.SetMaxIdleConns(1)
}

// Run runs f in a write transaction, up to [MaxWriteTries] times while other processes
// hold the lock. checked is false to let rows refer to rows that do not exist.
func (w *Writer) Run(ctx context.Context, now func() time.Time, checked bool, f func(*Tx) error) error {
	wait := w.Sleep
	if wait == nil {
		wait = SleepContext
	}
	for try := 1; ; try++ {
		err := w.tryOnce(ctx, now, checked, f)
		if c := ResultCode(err); try == MaxWriteTries || c != SQLiteBusy && c != SQLiteLocked {
			return err
		}
		if err := wait(ctx, MinRetryPause+rand.N(MaxRetryPause-MinRetryPause)); err != nil {
			return err
		}
	}
}

// tryOnce makes one BEGIN IMMEDIATE … COMMIT.
func (w *Writer) tryOnce(ctx context.Context, now func() time.Time, checked bool, f func(*Tx) error) (err error) {
	conn, err := w.Pool.Conn(ctx)
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
		began := time.Now() //nolint:forbidigo // a duration is measured, by the real clock
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
	defer t.closeStatements()
	if err := w.refreshSchema(ctx, t); err != nil {
		return err
	}
	if err := f(t); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// A canceled COMMIT would leave it open whether the change was made.
	if _, err := conn.ExecContext(context.WithoutCancel(ctx), `COMMIT`); err != nil {
		return err
	}
	committed = true
	if w.writes++; w.writes%CheckpointEvery == 0 {
		checkpoint(context.WithoutCancel(ctx), conn)
	}
	return nil
}

// refreshSchema gives the transaction its present schema, read again only if
// PRAGMA schema_version has changed.
func (w *Writer) refreshSchema(ctx context.Context, t *Tx) error {
	v, _, err := t.One(ctx, `PRAGMA schema_version`)
	if err != nil {
		return err
	}
	if cookie := AsInt(v); w.schema.Tables == nil || cookie != w.schemaCookie {
		if w.schema, err = ReadSchema(ctx, t); err != nil {
			w.schema = Schema{}
			return err
		}
		if w.cascades, err = readCascades(ctx, t); err != nil {
			w.schema = Schema{}
			return err
		}
		w.schemaCookie = cookie
	}
	t.Schema = w.schema
	return nil
}

// checkpoint moves into the file those pages of the WAL that can be moved without
// making another process wait. The next checkpoint moves the rest, so errors are
// ignored.
func checkpoint(ctx context.Context, conn *sql.Conn) {
	_, _ = conn.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`)
}

// Close moves the WAL into the file as far as possible and closes the connection.
func (w *Writer) Close() error {
	w.opening.Lock()
	defer w.opening.Unlock()
	if w.Pool == nil {
		return nil
	}
	if w.writes > 0 {
		// As in checkpoint, what cannot be moved now is moved by the next one.
		_, _ = w.Pool.Exec(`PRAGMA wal_checkpoint(PASSIVE)`) //nolint:noctx // closing has no context, and it ends soon
	}
	err := closePool(w.Pool)
	if w.Pool.Stats().OpenConnections == 0 {
		w.closedFile()
	}
	return err
}

// leaveLog prepares for closing where the file is no longer at its path. SQLite leaves the
// log there then, and applies it to the next file of this name: a log that only this process
// has written is moved into the file that it belongs to. One that others have written too
// is not touched, since a part of it may belong to a new file.
func (w *Writer) leaveLog(own bool) {
	w.opening.Lock()
	defer w.opening.Unlock()
	if own && w.Pool != nil && w.Pool.Stats().Idle > 0 { // a new connection would have the new file
		_, _ = w.Pool.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`) //nolint:noctx // closing has no context, and it ends soon
	}
	w.writes = 0
}

// suspend closes the writing connection until the next change.
func (w *Writer) suspend() error {
	err := w.Close()
	w.opening.Lock()
	defer w.opening.Unlock()
	w.Pool = nil
	w.schema = Schema{}
	w.writes = 0
	return err
}

// SleepContext waits for d, or until ctx ends; the error is then that of ctx.
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
