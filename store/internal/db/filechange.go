package db

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"hermes-sessions/model"
)

// fileWatch is the state of the file at the last call of [DB.FileChange].
type fileWatch struct {
	mu          sync.Mutex
	known       bool // the fields below are set
	size        int64
	modified    time.Time
	log         os.FileInfo // of the -wal, nil where there is none
	counters    changeCounters
	identity    databaseIdentity
	overwritten bool // once seen, it stays so
}

// changeCounters tell whether SQLite itself has changed the file: by a commit, or by a
// checkpoint.
type changeCounters struct {
	connection  int   // number of the connection that was asked; others cannot be compared with it
	dataVersion int64 // PRAGMA data_version
	frames      int64 // in the -wal, below zero without one
	moved       int64 // of these, copied into the file
}

// databaseIdentity is what a database keeps through every ordinary change.
type databaseIdentity struct {
	schemaVersion int64  // PRAGMA schema_version, which only grows
	changeCounter int64  // of the file's header, which only grows; 0 where unknown
	lastNumber    int64  // of messages that were ever added, which only grows; 0 where unknown
	firstSession  string // the oldest row
	firstMessage  string
	lastMessage   int64
	lastSession   string // of the last message
	knownLast     string // session of the message that was the last before, "" where it is gone
}

// overwriteDelay is how long a checkpoint of another process may be between writing into
// the file and counting what it wrote, before the file counts as overwritten.
const overwriteDelay = 50 * time.Millisecond

// FileChange reports what has happened to the file since [DB.Open]. It takes about as
// long as [DB.DataVersion], and ctx ends it. The first call remembers the content that
// later ones compare.
func (d *DB) FileChange(ctx context.Context) (model.FileChange, error) {
	w := &d.fileWatch
	w.mu.Lock()
	defer w.mu.Unlock()
	info, err := os.Stat(d.Path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return model.FileUnreadable, nil
	case err != nil:
		return model.FileGone, nil
	case d.file == nil:
		return model.FileUnchanged, nil
	case !os.SameFile(info, d.file):
		return model.FileReplaced, nil
	case w.overwritten && info.Size() > 0:
		return model.FileOverwritten, nil
	case info.Size() == 0 && d.file.Size() > 0:
		return model.FileEmptied, nil
	case mayRead(d.Path) != nil:
		return model.FileUnreadable, nil
	}
	for tried := false; ; tried = true {
		change, err := fileComparison{d}.compareFile(ctx)
		if err != nil || change != model.FileOverwritten {
			return change, err
		}
		if tried {
			w.overwritten = true
			return model.FileOverwritten, nil
		}
		if err := SleepContext(ctx, overwriteDelay); err != nil {
			return model.FileUnchanged, err
		}
	}
}

// fileComparison compares the file of an open database with its last known state.
type fileComparison struct{ *DB }

// compareFile compares the file with what is known of it. A change of the file for which
// SQLite has counted no commit and no checkpoint came from elsewhere; of a file without a
// -wal, whose counter the new content brings along, the rows show it.
func (c fileComparison) compareFile(ctx context.Context) (model.FileChange, error) {
	w := &c.fileWatch
	before, err := c.readCounters(ctx)
	if err != nil {
		return c.compareUnreadable(err)
	}
	info, err := os.Stat(c.Path)
	if err != nil {
		return model.FileGone, nil //nolint:nilerr // the next call says more
	}
	log, err := os.Stat(c.Path + "-wal")
	if err != nil {
		log = nil
	}
	after, err := c.readCounters(ctx)
	if err != nil {
		return c.compareUnreadable(err)
	}
	touched := info.Size() != w.size || !info.ModTime().Equal(w.modified)
	quiet := w.known && before == after && after == w.counters
	if open := after.frames >= 0 && !c.readOnly; open && (log == nil || quiet && w.log != nil && !os.SameFile(log, w.log)) {
		return model.FileLogGone, nil
	}
	if quiet && touched {
		return model.FileOverwritten, nil
	}
	if !w.known || after.dataVersion != w.counters.dataVersion || after.connection != w.counters.connection {
		now, err := c.readIdentity(ctx)
		if err != nil {
			return c.compareUnreadable(err)
		}
		if w.known && now.otherThan(w.identity) {
			return model.FileOverwritten, nil
		}
		w.identity = now
	}
	first := !w.known // a browser reads its first rows meanwhile
	w.size = info.Size()
	w.modified = info.ModTime()
	w.log = log
	w.counters = after
	w.known = before == after
	if first {
		return model.FileUnchanged, nil
	}
	return model.FileUnchanged, c.fillPool(ctx)
}

// fillPool opens as many connections as stay idle. When the file has gone no other can be
// opened, and these still read it.
func (c fileComparison) fillPool(ctx context.Context) error {
	if c.Pool.Stats().Idle >= maxReaders || c.IndexesBypassed.Load() {
		return nil
	}
	var all []*sql.Conn
	for range maxReaders {
		conn, err := c.Pool.Conn(ctx)
		if err != nil {
			break // a read says why
		}
		all = append(all, conn)
	}
	for _, conn := range all {
		_ = conn.Close() // it goes back into the pool
	}
	return ctx.Err()
}

// compareUnreadable says what an error means that SQLite gives when it reads a few rows
// of a file that it could read before.
func (c fileComparison) compareUnreadable(err error) (model.FileChange, error) {
	if code := ResultCode(err); c.fileWatch.known && (code == sqliteCorrupt || code == sqliteNotADB || code == sqliteIO) {
		return model.FileOverwritten, nil
	}
	return model.FileUnchanged, c.WrapError("watch", err)
}

// readCounters reads the counters on the connection that watches for changes.
func (c fileComparison) readCounters(ctx context.Context) (counters changeCounters, err error) {
	if _, err := c.DataVersion(ctx); err != nil { // opens the connection where it is broken
		return counters, err
	}
	w := &c.versionWatch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return counters, c.NewError(model.KindClosed, nil)
	}
	counters.connection, counters.dataVersion = w.connections, w.pragmaVersion
	var busy int64
	// It moves nothing; where the connection may not even ask, there is no log for it.
	if err := w.conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(NOOP)`).Scan(&busy, &counters.frames, &counters.moved); err != nil {
		counters.frames, counters.moved = -1, -1
	}
	return counters, ctx.Err()
}

// readIdentity reads what an ordinary change leaves as it is.
func (c fileComparison) readIdentity(ctx context.Context) (n databaseIdentity, err error) {
	last := c.fileWatch.identity.lastMessage
	var first, message, owner, known any
	err = c.ReadTx(ctx, func(q Querier) error {
		v, err := QueryValue(ctx, q, `PRAGMA schema_version`)
		if err != nil {
			return err
		}
		n.schemaVersion = AsInt(v)
		key := c.Schema.RowKey("sessions")
		if first, err = QueryValue(ctx, q, `SELECT `+key+` || ' ' || id FROM sessions ORDER BY `+key+` LIMIT 1`); err != nil {
			return err
		}
		if message, err = QueryValue(ctx, q, `SELECT id || ' ' || session_id FROM messages ORDER BY id LIMIT 1`); err != nil {
			return err
		}
		if v, err = QueryValue(ctx, q, `SELECT max(id) FROM messages`); err != nil {
			return err
		}
		n.lastMessage = AsInt(v)
		if owner, err = QueryValue(ctx, q, `SELECT session_id FROM messages WHERE id = ?`, n.lastMessage); err != nil {
			return err
		}
		if known, err = QueryValue(ctx, q, `SELECT session_id FROM messages WHERE id = ?`, last); err != nil {
			return err
		}
		if v, err := QueryValue(ctx, q, `SELECT seq FROM sqlite_sequence WHERE name = 'messages'`); err == nil {
			n.lastNumber = AsInt(v)
		}
		if v, err := QueryValue(ctx, q, `SELECT substr(data, 25, 4) FROM sqlite_dbpage WHERE pgno = 1`); err == nil {
			if b, ok := v.([]byte); ok && len(b) == 4 {
				n.changeCounter = int64(binary.BigEndian.Uint32(b))
			}
		}
		return nil
	})
	n.firstSession = AsText(first)
	n.firstMessage = AsText(message)
	n.lastSession = AsText(owner)
	n.knownLast = AsText(known)
	return n, err
}

// otherThan reports whether the rows are those of another database than before, or of an
// older copy of it.
func (id databaseIdentity) otherThan(before databaseIdentity) bool {
	if id.schemaVersion < before.schemaVersion || id.lastNumber < before.lastNumber || id.changeCounter < before.changeCounter {
		return true
	}
	if before.lastMessage > 0 && id.knownLast != "" && id.knownLast != before.lastSession {
		return true
	}
	// All of these rows may have been deleted. Then no number is new.
	return before.firstSession != "" && id.firstSession != before.firstSession && id.firstMessage != before.firstMessage && id.knownLast == "" &&
		id.lastNumber != before.lastNumber
}

// LeaveLog prepares for opening the path again after a change: what the -wal at the path
// still holds of the database that the connections have read must not be mixed into the
// new content. It is called once, and the database closed after it. The error is of
// [model.KindReplaced] where that cannot be prevented: then the database must not be closed
// either, because SQLite would move the log into the new file.
func (d *DB) LeaveLog(ctx context.Context, change model.FileChange) error {
	if err := d.CheckOpen(); err != nil {
		return err
	}
	d.fileWatch.mu.Lock()
	known, log := d.fileWatch.counters, d.fileWatch.log
	d.fileWatch.mu.Unlock()
	now, err := os.Stat(d.Path + "-wal")
	if err != nil || log == nil || !os.SameFile(now, log) || now.Size() == 0 {
		return nil
	}
	mixed := &model.Error{
		Kind: model.KindReplaced, Path: d.Path,
		Message: "the database was replaced, but the -wal beside it belongs to the previous one: SQLite would mix the two",
		Remedy:  model.AdviseToRun("end all programs that use it, then move its log away", fmt.Sprintf("mv %[1]s-wal %[1]s-wal.old; rm -f %[1]s-shm", model.ShellWord(d.Path))),
	}
	if change != model.FileReplaced {
		if c, err := (fileComparison{d}).readCounters(ctx); err == nil {
			known = c
		}
		if known.frames > known.moved {
			mixed.Err = err
			return mixed
		}
		return nil // all of the log is in the file, or was
	}
	// The log goes into the file that it belongs to, and is empty then.
	d.versionWatch.mu.Lock()
	defer d.versionWatch.mu.Unlock()
	if d.versionWatch.conn != nil {
		_, _ = d.versionWatch.conn.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`) // the size shows whether it could
	}
	if now, err = os.Stat(d.Path + "-wal"); err == nil && now.Size() > 0 && os.SameFile(now, log) {
		return mixed
	}
	return nil
}
