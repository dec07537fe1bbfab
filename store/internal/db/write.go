package db

import (
	"context"
	"os"
	"time"
)

// How long a change waits for other writers: as long as Hermes does, so that neither
// starves the other (store/README.md#write-rules).
const (
	MaxWriteTries   = 15
	MinRetryPause   = 20 * time.Millisecond
	MaxRetryPause   = 150 * time.Millisecond
	busyTimeout     = time.Second
	CheckpointEvery = 50
)

// Write runs f inside one BEGIN IMMEDIATE … COMMIT. All that f did is undone
// when it returns an error, when it panics and when ctx ends first. While other
// processes hold the lock it is tried again, up to 15 times with a random pause, so f
// may run more than once and must set its results anew each time. doing says in an
// error what was being done ("rename x in").
//
// The error is an [*Error] of kind read-only, locked, disk-full, damaged,
// refused, or what f returned. Readers see the change when Write returns.
func (d *DB) Write(ctx context.Context, doing string, f func(*Tx) error) error {
	return d.writeTx(ctx, doing, true, f)
}

// WriteWithoutForeignKeys is [DB.Write] without SQLite's check that a row refers to
// rows that exist.
func (d *DB) WriteWithoutForeignKeys(ctx context.Context, doing string, f func(*Tx) error) error {
	return d.writeTx(ctx, doing, false, f)
}

func (d *DB) writeTx(ctx context.Context, doing string, checked bool, f func(*Tx) error) error {
	if err := d.CheckOpen(); err != nil {
		return err
	}
	if d.Writer.ReadOnly {
		return d.ReadOnlyError(nil)
	}
	if err := d.checkSameFile(); err != nil {
		return err
	}
	if d.IndexesBypassed.Load() {
		return damagedIndexError(d)
	}
	if err := d.Writer.Open(d.Path, "rw"); err != nil {
		return d.WriteError(doing, err)
	}
	err := d.Writer.Run(ctx, d.Clock, checked, f)
	d.OwnWrites.Add(1) // a failed one too: it may have been committed
	if c := ResultCode(err); c == sqliteReadOnly || c == sqlitePerm || c == sqliteCantOpen {
		d.Writer.disconnect() // the next change may find other rights
	}
	if IsDiskFull(err) {
		d.Writer.disconnect() // it would keep the -shm file
		removeTornIndex(d.Path)
	}
	return d.WriteError(doing, err)
}

// checkSameFile gives an error of [KindReplaced] where the path leads to another file
// than at opening: what a person chose in the one must not be done to the other.
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
