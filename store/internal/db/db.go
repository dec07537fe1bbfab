package db

import (
	"database/sql"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"hermes-sessions/model"
)

// DB is one open session database: its connections, its schema, and the one
// connection that writes. Its methods may be called from several goroutines at
// once.
type DB struct {
	Path        string
	file        os.FileInfo // as it was at opening, nil before
	Pool        *sql.DB     // readers: query_only
	Schema      Schema
	Clock       func() time.Time
	Transcripts string       // folder of transcript files, "" for none
	OwnWrites   atomic.Int64 // how often this process has written
	readOnly    bool         // asked for, or all that the file allows
	Writer      Writer       // the connection that changes the file

	statementCache statementCache
	versionWatch   versionWatch
	fileRights     fileRights
	notesMu        sync.Mutex
	notes          []model.HealthNote
}

// New gives the database at a path. [DB.Open] opens it.
func New(path string) *DB { return &DB{Path: path, Clock: time.Now} }

// ForbidWrites keeps a database that is not open yet from ever being written.
func (d *DB) ForbidWrites() { d.readOnly, d.Writer.ReadOnly = true, true }

// Close closes all connections.
func (d *DB) Close() error {
	err := errors.Join(d.Writer.Close(), d.versionWatch.close(), closePool(d.Pool))
	d.removeSidecars()
	return err
}

// WithIdleClosed closes every connection that no call is using, runs f, and lets
// connections open again. What f does may then have the file for itself; a call that
// is running meanwhile still has it open.
func (d *DB) WithIdleClosed(f func() error) error {
	d.versionWatch.mu.Lock() // DataVersion waits until f is done
	defer d.versionWatch.mu.Unlock()
	if d.versionWatch.conn != nil {
		if err := d.versionWatch.conn.Close(); err != nil {
			return err
		}
		d.versionWatch.conn = nil
	}
	d.Pool.SetMaxIdleConns(0)
	defer d.Pool.SetMaxIdleConns(MaxReaders)
	if err := d.Writer.suspend(); err != nil {
		return err
	}
	return f()
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
