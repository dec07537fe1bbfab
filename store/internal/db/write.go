package db

import (
	"context"
	"errors"
	"os"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/btree"
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
// may run more than once and must set its results again each time. doing names the change
// in errors ("rename x in").
//
// The error is what f returned, or an [*model.Error] that says why nothing was changed. Readers
// see the change when Write returns.
func (d *DB) Write(ctx context.Context, doing string, f func(*Tx) error) error {
	return d.writeTx(ctx, doing, true, f)
}

// WriteWithoutForeignKeys is [DB.Write] without SQLite's check that a row refers to
// rows that exist.
func (d *DB) WriteWithoutForeignKeys(ctx context.Context, doing string, f func(*Tx) error) error {
	return d.writeTx(ctx, doing, false, f)
}

// writeTx is [DB.Write]; checked is false to let rows refer to rows that do not exist.
func (d *DB) writeTx(ctx context.Context, doing string, checked bool, f func(*Tx) error) error {
	if err := d.CheckOpen(); err != nil {
		return err
	}
	if d.Writer.ReadOnly {
		return d.ReadOnlyError(nil)
	}
	if err := d.CheckSameFile(ctx); err != nil {
		return err
	}
	if err := d.CheckSound(ctx); err != nil {
		return err
	}
	// With a rollback journal, a power cut right after a commit must not bring the journal
	// back, which would undo it. With a write-ahead log EXTRA is the default, FULL.
	if err := d.Writer.Open(d.Path, "rw", "EXTRA"); err != nil {
		return d.WriteError(doing, err)
	}
	err := d.Writer.Run(ctx, d.Clock, checked, func(t *Tx) error { return t.watched(ctx, d, f) })
	d.OwnWrites.Add(1) // a failed one too: it may have been committed
	if log, err := os.Stat(d.Path + "-wal"); err == nil {
		d.writtenLog.Store(&log)
	}
	if c := ResultCode(err); c == sqliteReadOnly || c == sqlitePerm || c == sqliteCantOpen {
		d.Writer.disconnect() // the next change may find other rights
	}
	if IsDiskFull(err) {
		d.Writer.disconnect() // it would keep the -shm file
		removeTornShm(d.Path)
	}
	return d.WriteError(doing, err)
}

// CheckSound returns an error of [model.KindDamaged] where a change might be made to the wrong
// rows, or write over others.
func (d *DB) CheckSound(ctx context.Context) error {
	if d.IndexesBypassed.Load() {
		return d.damagedIndexError()
	}
	return d.checkPages(ctx)
}

// SharedPage says what [DB.SharesPages] has found.
const SharedPage = "a page of the database is in use twice, or in use and listed as free"

// SharesPages reports whether two tables or indexes have a page in common, or one of them
// and the list of free pages, and how many pages belong to none of them; see [btree.Shared].
func (d *DB) SharesPages(ctx context.Context) (shared bool, unused int, err error) {
	err = d.ReadTx(ctx, func(q Querier) (err error) {
		shared, unused, err = btree.Shared(ctx, q)
		return err
	})
	return shared, unused, err
}

// checkPages returns an error where a change would write over rows: it would take a page for
// free that holds some, or change one that another table has, too. It is checked once.
func (d *DB) checkPages(ctx context.Context) error {
	if d.pagesSound.Load() {
		return nil
	}
	if err := d.CheckLog(); err != nil { // the change would be written over what is behind the damage
		return err
	}
	complaint, ok, err := FirstValue(ctx, d.Pool, `PRAGMA integrity_check(sqlite_schema)`)
	switch {
	case ctx.Err() != nil:
		return d.WrapError("check", ctx.Err())
	case IsCorrupt(err) || err == nil && ok && AsText(complaint) != "ok":
		return &model.Error{
			Kind: model.KindDamaged, Path: d.Path, Err: err,
			Message: "the list of free pages of the database is damaged, so a change might overwrite other pages; " + unchanged,
			Remedy:  d.AdviseRecovery(),
		}
	}
	shared := false
	if err == nil {
		shared, _, err = d.SharesPages(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return d.WrapError("check", ctx.Err())
	case shared:
		return &model.Error{
			Kind: model.KindDamaged, Path: d.Path,
			Message: SharedPage + ", so a change might overwrite other pages; " + unchanged,
			Remedy:  d.AdviseRecovery(),
		}
	}
	if err := d.CheckNames(d.Schema); err != nil {
		return err
	}
	if err == nil {
		err = d.checkFreeSpace(ctx)
		if e, ok := errors.AsType[*model.Error](err); ok {
			return e
		}
	}
	d.pagesSound.Store(err == nil) // any other error is that of the change, too
	return nil
}

// CheckNames returns an error of [model.KindRefused] where names that Hermes writes in small letters
// have large ones: some of its statements compare them with stored names.
func (d *DB) CheckNames(s Schema) error {
	if !s.otherCase {
		return nil
	}
	return &model.Error{
		Kind: model.KindRefused, Path: d.Path,
		Message: "names of tables or columns differ in case from Hermes's; " + unchanged, Remedy: d.AdviseRecovery(),
	}
}

// checkFreeSpace returns an error where a page of sessions or messages states that rows are free
// space, over which SQLite would write the next row. It looks at files of moderate size: 12 MB
// take 5 ms.
func (d *DB) checkFreeSpace(ctx context.Context) error {
	if d.tooLargeToCheck() {
		return nil
	}
	complaint, ok, err := FirstValue(ctx, d.Pool, `SELECT quick_check FROM temp.pragma_table_list l, temp.pragma_quick_check(l.name) WHERE l.schema = 'main' AND l.type = 'table'
		AND l.name IN ('sessions', 'messages') AND (quick_check GLOB '* Offset * out of range *' OR quick_check GLOB '*Multiple uses for byte *')`)
	if err != nil || !ok {
		return err
	}
	return &model.Error{
		Kind: model.KindDamaged, Path: d.Path, Err: errors.New(AsText(complaint)),
		Message: "a page of the database lists rows as free space, so a change might overwrite them; " + unchanged,
		Remedy:  d.AdviseRecovery(),
	}
}

// CheckSameFile returns an error of [model.KindReplaced] where the path leads to another file
// than at opening, or the file has other content: what a person chose in the one must not
// be done to the other. The content is compared where [DB.FileChange] was called before.
func (d *DB) CheckSameFile(ctx context.Context) error {
	if d.file == nil {
		return nil
	}
	now, err := os.Stat(d.Path)
	if err != nil {
		return fileChangeError(d.Path, model.FileGone, err)
	}
	if !os.SameFile(now, d.file) {
		return fileChangeError(d.Path, model.FileReplaced, nil)
	}
	d.fileWatch.mu.Lock()
	known := d.fileWatch.known
	d.fileWatch.mu.Unlock()
	if !known {
		return nil
	}
	change, err := d.FileChange(ctx)
	if err != nil || change == model.FileUnchanged || change == model.FileUnreadable {
		return err
	}
	return fileChangeError(d.Path, change, nil)
}

// fileChangeError says what has happened to the file, for a change that was refused.
func fileChangeError(path string, change model.FileChange, err error) *model.Error {
	e := &model.Error{Kind: model.KindReplaced, Path: path, Err: err, Remedy: model.Advise("restart to see the current file")}
	switch change {
	case model.FileGone:
		e.Message = "the database no longer exists"
	case model.FileEmptied:
		e.Message = "the database was emptied after it was opened"
	case model.FileLogGone:
		e.Message = "the -wal of the database was removed while the database was open"
	case model.FileOverwritten:
		e.Message = "the database was overwritten with another after it was opened"
	default:
		e.Message = "the database was replaced by another file after it was opened"
	}
	e.Message += "; " + unchanged
	return e
}
