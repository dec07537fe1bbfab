package db

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"modernc.org/sqlite"

	"hermes-sessions/model"
)

// ForbidWrites keeps a database that is not open yet from ever being written.
func (d *DB) ForbidWrites() { d.readOnly, d.Writer.ReadOnly = true, true }

// Notes says what is wrong with the database although it can be read: what
// showed at opening, and what reading came across since.
func (d *DB) Notes() []model.HealthNote {
	d.notesMu.Lock()
	defer d.notesMu.Unlock()
	return slices.Clone(d.notes)
}

// Close closes all connections.
func (d *DB) Close() error {
	err := errors.Join(d.Writer.Close(), d.VersionWatch.close(), closePool(d.Pool))
	d.removeSidecars()
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

// removeSidecars sees to it that no -wal and -shm stay that nobody uses. SQLite removes
// them with the last connection that closes, but of two that close at the same
// moment each still finds the other's lock, and then neither does. One that
// comes and goes alone makes up for it. It is a courtesy: where another process
// has the file open, or it can not be opened now, they stay as they are.
func (d *DB) removeSidecars() {
	if d.readOnly {
		return
	}
	if _, err := os.Stat(d.Path + "-shm"); err != nil {
		return
	}
	now, err := os.Stat(d.Path)
	if err != nil || !os.SameFile(now, d.file) {
		return // these files belong to another database
	}
	name, err := FileURI(d.Path)
	if err != nil {
		return
	}
	// Reading the version of the schema is what makes it take part in the log.
	last, err := d.Pool.Driver().Open(name + "?mode=rw&_pragma=query_only(1)&_pragma=schema_version")
	if err == nil {
		_ = last.Close() // what it was opened for is done, or is left to the next
	}
}

// Querier is what a query needs: the pool, a connection, or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// ReadTx runs f inside one read transaction, so that all it reads is of one
// moment whatever others write.
func (d *DB) ReadTx(ctx context.Context, f func(Querier) error) error {
	tx, err := d.Pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return d.WrapError("read", err)
	}
	defer tx.Rollback() // ends the read; there is nothing to undo
	return f(tx)
}

// versionWatch is the connection that tells when others change the file: SQLite's
// data_version is comparable only within one connection.
type versionWatch struct {
	Mu            sync.Mutex
	Conn          *sql.Conn
	pragmaVersion int64 // data_version of conn
	dataVersion   int64
}

func (w *versionWatch) close() error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if w.Conn == nil {
		return nil
	}
	return w.Conn.Close()
}

// DataVersion gives a number that grows when another process has changed the
// database. It takes well under a millisecond.
func (d *DB) DataVersion(ctx context.Context) (int64, error) {
	d.checkRights() // they change as rarely, and nothing else tells
	w := &d.VersionWatch
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for fresh := false; ; fresh = true {
		if w.Conn == nil {
			c, err := d.Pool.Conn(ctx)
			if err != nil {
				return 0, d.WrapError("watch", err)
			}
			// What happened while nobody watched is unknown.
			w.Conn, w.pragmaVersion = c, -1
		}
		var v int64
		err := w.Conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&v)
		if err == nil {
			if v != w.pragmaVersion {
				w.pragmaVersion = v
				w.dataVersion++
			}
			return w.dataVersion, nil
		}
		w.Conn.Close() // broken by a cancelled query; its error says nothing new
		w.Conn = nil
		if fresh || ctx.Err() != nil {
			return 0, d.WrapError("watch", err)
		}
	}
}

// ResultCode gives SQLite's primary result code, 0 when err is of another kind.
func ResultCode(err error) int { return ExtendedCode(err) & 0xff }

// ExtendedCode gives SQLite's extended result code, 0 when err is of another kind.
func ExtendedCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}
