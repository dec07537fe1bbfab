package db

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"hermes-sessions/model"
)

// DB is one open session database: its connections, its schema, and the one
// connection that writes. Its methods may be called from several goroutines at
// once.
type DB struct {
	Path            string
	file            os.FileInfo // as it was at opening; nil before that
	closedFile      func()      // see openedBySQLite
	Pool            *sql.DB     // connections that read; each has query_only set
	Schema          Schema
	Clock           func() time.Time
	ProcessExists   func(pid int) bool   // on this machine
	PruneSettings   *model.PruneSettings // of the Hermes that opens the file; nil for none
	Transcripts     string               // folder of transcript files, "" for none
	UndoFolder      string               // folder for what deletes removed, until the delete can no longer be undone; "" for none
	UndoLimits      model.UndoLimits     // of what stays there after the program that deleted
	OwnWrites       atomic.Int64         // write transactions of this process, failed ones too
	readOnly        bool                 // by option, or because the file system allows no more
	whyReadOnly     string               // by option
	toWrite         model.Remedy         // against whyReadOnly
	immutable       bool                 // read without locks and without a log, because the file system allows no more
	Writer          Writer               // the connection that changes the file
	closed          atomic.Bool
	IndexesBypassed atomic.Bool                 // whether BypassIndexes was called
	pagesSound      atomic.Bool                 // see checkPages
	indexPagesSound atomic.Bool                 // see checkIndexPages
	rowsInsertable  atomic.Bool                 // see checkConstraints
	sidecars        sidecars                    // at opening
	lostInLog       int                         // see LostInLog; at opening
	writtenLog      atomic.Pointer[os.FileInfo] // the write-ahead log after the last change of this process
	Patience        time.Duration               // how long a reader waits for a lock, for tests; 0: LockPatience

	statementCache statementCache
	versionWatch   versionWatch
	fileWatch      fileWatch
	fileRights     fileRights
	atClose        []func() error
	keepsLog       bool // see keepLog
	notesMu        sync.Mutex
	notes          []model.HealthNote
}

// New returns the database at a path. [DB.Open] opens it.
func New(path string) *DB { return &DB{Path: path, Clock: time.Now, ProcessExists: processExists} } //nolint:forbidigo // the default clock, and a duration

// Retention returns the rule by which Hermes automatically deletes sessions of a file.
func (d *DB) Retention() model.Retention { return model.RetentionOf(d.PruneSettings, d.Schema.Version) }

// ForbidWrites makes a database read-only, and refuses every change with why and a remedy. It
// is called before [DB.Open].
func (d *DB) ForbidWrites(why string, remedy model.Remedy) {
	d.readOnly, d.Writer.ReadOnly = true, true
	d.whyReadOnly, d.toWrite = why, remedy
}

// Close closes all connections. Calls that come later fail with [model.KindClosed]; another
// Close does nothing.
func (d *DB) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	err := errors.Join(d.versionWatch.close(), d.closeReaders()) // they would keep the log
	if now, gone := os.Stat(d.Path); d.file != nil && (gone != nil || !os.SameFile(now, d.file)) {
		d.Writer.leaveLog(d.ownsLog())
	}
	err = errors.Join(err, d.Writer.Close())
	d.removeSidecars()
	d.sidecars.allowWriting()
	for _, f := range slices.Backward(d.atClose) {
		err = errors.Join(err, f())
	}
	return err
}

// AtClose makes [DB.Close] run f, too.
func (d *DB) AtClose(f func() error) {
	d.notesMu.Lock()
	defer d.notesMu.Unlock()
	d.atClose = append(d.atClose, f)
}

// keepLog prevents SQLite from moving the log into a damaged file. The connection that closes the
// file last would do that; from now on this is one that cannot write.
func (d *DB) keepLog() {
	if d.readOnly || d.keepsLog || d.Pool == nil || d.WalSize() == 0 {
		return
	}
	name, err := FileURI(d.Path)
	if err != nil {
		return
	}
	// Reading the schema version makes the connection open the log.
	last, err := d.Pool.Driver().Open(name + "?mode=ro&_pragma=query_only(1)&_pragma=schema_version")
	if err != nil {
		return // what cannot be opened cannot be moved either
	}
	d.keepsLog = true
	d.atClose = append(d.atClose, last.Close)
}

// ownsLog reports whether the write-ahead log is as the last change of this process left
// it. Otherwise it has changes of other processes too, perhaps to another file.
func (d *DB) ownsLog() bool {
	last := d.writtenLog.Load()
	now, err := os.Stat(d.Path + "-wal")
	return last != nil && err == nil && os.SameFile(*last, now) && (*last).Size() == now.Size() && (*last).ModTime().Equal(now.ModTime())
}

// CheckOpen returns an error of [model.KindClosed] after Close.
func (d *DB) CheckOpen() error {
	if d.closed.Load() {
		return d.NewError(model.KindClosed, nil)
	}
	return nil
}

// WithIdleClosed closes every connection that no call is using, runs f, and lets
// connections open again. f may then have the file for itself; a call that is running
// at the same time still has it open.
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
	defer func() { d.Pool.SetMaxIdleConns(d.idleConnections()) }()
	if err := d.Writer.suspend(); err != nil {
		return err
	}
	return f()
}

// closeReaders closes the connections that read.
func (d *DB) closeReaders() error {
	err := closePool(d.Pool)
	if d.Pool.Stats().OpenConnections == 0 && d.closedFile != nil {
		d.closedFile()
	}
	return err
}

// closePool closes all connections and waits up to a second for those in use. Close of
// database/sql does not wait for them, and a process that ends before they are closed
// leaves -wal and -shm behind.
func closePool(db *sql.DB) error {
	err := db.Close()
	for began := time.Now(); db.Stats().OpenConnections > 0 && time.Since(began) < time.Second; { //nolint:forbidigo // the default clock, and a duration
		time.Sleep(time.Millisecond)
	}
	return err
}

// shmSize is the smallest size of a -shm file in use.
const shmSize = 32 << 10

// findRoomForShm returns an error where the disk has no room for a -shm file. SQLite would
// leave the first three bytes of one, which beside a log with content have to stay: see
// removeTornShm.
func findRoomForShm(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-room-*")
	if err != nil {
		return err
	}
	_ = os.Remove(f.Name()) // at once, so that a kill leaves nothing
	_, err = f.Write(make([]byte, shmSize))
	_ = f.Close()           // the error of the write is what counts
	_ = os.Remove(f.Name()) // where an open file cannot be removed
	return err
}

// removeTornShm removes a -shm file that a full disk has kept at its first three
// bytes, which SQLite leaves. A connection in exclusive mode needs no such file; while it
// has the lock no process has one open, and at its end it removes an empty -wal.
func removeTornShm(path string) {
	info, err := os.Stat(path + "-shm")
	if err != nil || !info.Mode().IsRegular() || info.Size() >= shmSize {
		return
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return // the connection would move it into the file
	}
	name, err := FileURI(path)
	if err != nil {
		return
	}
	alone, err := new(sqlite.Driver).Open(name + "?mode=rw&_pragma=query_only(1)&_pragma=busy_timeout(0)&_pragma=locking_mode(exclusive)&_pragma=schema_version")
	if err != nil {
		return // another process has the file open
	}
	_ = os.Remove(path + "-shm") // what cannot be removed stays
	_ = alone.Close()            // it has only read
}

// removeSidecars removes -wal and -shm files that are not in use. SQLite removes them
// when the last connection closes, but of two that close at the same time each still
// sees the other's lock, and both leave the files. Opening and closing one more
// connection removes them. Where another process has the file open, or the file can
// not be opened now, they stay.
func (d *DB) removeSidecars() {
	if d.readOnly || d.keepsLog {
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
	// Reading the schema version makes the connection open the WAL.
	last, err := d.Pool.Driver().Open(name + "?mode=rw&_pragma=query_only(1)&_pragma=schema_version")
	if err == nil {
		_ = last.Close() // where this fails, the next close of the file removes them
	}
}
