package db

import (
	"context"
	"os"
	"time"
)

// How we write beside other writers: the same patience as Hermes has, so that
// neither starves the other (store/README.md#write-rules).
const (
	MaxWriteTries   = 15
	MinRetryPause   = 20 * time.Millisecond
	MaxRetryPause   = 150 * time.Millisecond
	busyTimeout     = time.Second
	CheckpointEvery = 50
)

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

// WriteWithoutForeignKeys is write without SQLite's check that what a row refers to
// exists.
func (d *DB) WriteWithoutForeignKeys(ctx context.Context, doing string, f func(*Tx) error) error {
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
