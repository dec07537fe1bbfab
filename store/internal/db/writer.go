package db

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

// Writer is the one connection that changes the file. It is opened by the
// first change and never where the store is read-only.
type Writer struct {
	ReadOnly bool // by [ReadOnly]

	opening sync.Mutex
	Pool    *sql.DB // of one connection, so that having it is the turn to write

	// With the connection in hand:
	schema       Schema
	schemaCookie int64 // PRAGMA schema_version that schema belongs to
	writes       int

	BusyTimeout time.Duration                              // 0: busyTimeout
	Sleep       func(context.Context, time.Duration) error // between two tries; nil: pause
	OnLockHeld  func(time.Duration)                        // told how long others could not write; nil: nobody
}

// Open makes the pool; the connection itself comes with the first change.
func (w *Writer) Open(path, mode string) error {
	w.opening.Lock()
	defer w.opening.Unlock()
	if w.Pool != nil {
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
	w.Pool = db
	return nil
}

// disconnect closes the connection, if nobody has it in hand; the next change opens
// a new one. SQLite finds out only then whether it may write.
func (w *Writer) disconnect() {
	w.Pool.SetMaxIdleConns(0)
	w.Pool.SetMaxIdleConns(1)
}

// Run tries until the change is made or patience ends.
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

func (w *Writer) Close() error {
	w.opening.Lock()
	defer w.opening.Unlock()
	if w.Pool == nil {
		return nil
	}
	if w.writes > 0 {
		_, _ = w.Pool.Exec(`PRAGMA wal_checkpoint(PASSIVE)`) // see checkpoint
	}
	return closePool(w.Pool)
}

// suspend closes the writing connection until the next change.
func (w *Writer) suspend() error {
	err := w.Close()
	w.opening.Lock()
	defer w.opening.Unlock()
	w.Pool, w.schema, w.writes = nil, Schema{}, 0
	return err
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
