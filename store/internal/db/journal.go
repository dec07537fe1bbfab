package db

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// A write-ahead log needs memory that all processes with the file open share. Some network
// and foreign file systems have none: there a database keeps a rollback journal, or cannot
// be used (store/README.md#journal-mode).

// The results with which SQLite says that it got no such memory:
// SQLITE_IOERR_SHMOPEN, _SHMLOCK and _SHMMAP. For _SHMSIZE see [IsDiskFull].
var sharedMemoryResults = [...]int{sqliteIO | 18<<8, sqliteIO | 20<<8, sqliteIO | 21<<8}

// lacksSharedMemory reports whether the file system of the file has no shared memory.
func lacksSharedMemory(err error) bool {
	return slices.Contains(sharedMemoryResults[:], ExtendedCode(err))
}

// ChooseJournal puts a new file into WAL mode, or leaves it with a rollback
// journal where the file system can do no better.
func (d *DB) ChooseJournal(ctx context.Context) error {
	// The pragma only writes into the file that it has a log. Whether it can
	// have one shows when something is to be written.
	err := d.Writer.runExclusive(ctx, `PRAGMA journal_mode = WAL`, `BEGIN IMMEDIATE`, `ROLLBACK`)
	if err == nil || ResultCode(err) == SQLiteBusy || ResultCode(err) == SQLiteLocked {
		return nil // busy: another process is making the same file
	}
	if IsDiskFull(err) {
		return err // with room the file can have a log
	}
	words := strings.ToLower(err.Error())
	for _, known := range []string{"locking protocol", "not authorized", "disk i/o error"} {
		if strings.Contains(words, known) {
			// A process that has the file alone needs no shared memory to remove the log.
			return d.Writer.runExclusive(ctx, `PRAGMA locking_mode = EXCLUSIVE`, `PRAGMA journal_mode = DELETE`)
		}
	}
	return err
}

// JournalMode returns the journal mode of the file of d, as SQLite names it.
func (d *DB) JournalMode(ctx context.Context, q Querier) (string, error) {
	mode, err := QueryValue(ctx, q, `PRAGMA journal_mode`)
	if d.immutable { // of a file that is read without its log, SQLite names another
		withoutSQLite(d.Path, func() { // whose connections of d have no locks that could be lost
			f, err := os.Open(d.Path)
			if err != nil {
				return
			}
			var version [1]byte // of the format, for writing
			if _, err := f.ReadAt(version[:], 18); err == nil && version[0] == 2 {
				mode = "wal"
			}
			_ = f.Close() // it was only read
		})
	}
	return AsText(mode), err
}

// runExclusive runs statements on a separate connection, so that neither their settings
// nor their failure affects the next one.
func (w *Writer) runExclusive(ctx context.Context, statements ...string) error {
	conn, err := w.Pool.Conn(ctx)
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, _, err = FirstValue(ctx, conn, statement); err != nil {
			break
		}
	}
	err = errors.Join(err, conn.Close())
	w.Pool.SetMaxIdleConns(0) // closes the connection
	w.Pool.SetMaxIdleConns(1)
	return err
}

// adviseJournal advises to give a database a rollback journal.
func (d *DB) adviseJournal() model.Remedy {
	return d.AdviseStatement("end the programs that use it, then give it a rollback journal", `PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE`)
}

// sharedMemoryError says why a database in WAL mode cannot be read or changed on its
// file system.
func (d *DB) sharedMemoryError(kind string, err error) *model.Error {
	return &model.Error{
		Kind: kind, Path: d.Path, Err: err,
		Message: "the database has a write-ahead log, which needs shared memory that its file system does not provide",
		Remedy:  d.adviseJournal(),
	}
}
