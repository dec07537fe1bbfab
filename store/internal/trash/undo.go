package trash

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/transfer"
)

// UndoLog is what a delete removed, as the lines of a backup. It is a
// [model.Undo].
type UndoLog struct {
	deletion model.Deletion
	Rows     *transfer.Spool
	keep     bool // Close leaves the file in the folder for undos
}

// Deleted describes the deletion that u can undo.
func (u *UndoLog) Deleted() model.Deletion { return u.deletion }

// Close discards the backup. A named backup file stays, and so does a file in the undo folder:
// until the limits drop it, or until its rows are restored if that has failed. After a delete
// that was stopped, the file is renamed to that of one that can be undone.
func (u *UndoLog) Close() error {
	if u.keep {
		u.Rows.Rename(deletedName(u.Rows.Path()))
		return u.Rows.Release()
	}
	return u.Rows.Close()
}

// Keep makes Close leave the rows for the next program: they are wanted, and are not back.
func (u *UndoLog) Keep() { u.keep = true }

// Restore puts back what a delete removed; see store.Store.Restore for the
// contract.
func (b *Bin) Restore(ctx context.Context, u model.Undo, o model.RestoreOptions) error {
	log, ok := u.(*UndoLog)
	if !ok || log == nil || log.Rows.Discard {
		return fmt.Errorf("restore into %s: the undo has no data", b.db.Path)
	}
	log.Rows.Rename(strings.Replace(filepath.Base(log.Rows.Path()), deletedPrefix, restoringPrefix, 1))
	err := b.transfer.Restore(ctx, log.Rows, o)
	log.keep = err != nil
	return err
}
