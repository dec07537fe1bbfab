package store

import (
	"context"

	"hermes-sessions/model"
)

// PlanDelete says what [Store.Delete] would remove, without changing anything.
// The error says why Delete would refuse; the counts are given all the same.
func (s *Store) PlanDelete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Deletion, error) {
	return s.trash.PlanDelete(ctx, ids, o)
}

// Delete removes the conversations that the sessions with these ids belong
// to: all their segments, and the delegates under them to any depth. Branches
// stay and lose their parent (store/README.md#deletion). See
// [model.DeleteOptions] for a single segment.
//
// A conversation of up to 128 KB, counting a quarter of a kilobyte for each row
// besides its text, is removed in one transaction, completely or not at all;
// several short ones share a transaction. A longer one is removed in chunks of
// about 30 ms with pauses between, newest first, each session with its last
// messages, delegates before the sessions that started them: other writers do
// not wait long, but a crash leaves its beginning. One message is never
// divided; a megabyte of text takes about a second. When ctx ends, or
// something fails, between two transactions, the error is of
// [model.KindIncompleteWrite] and the Undo holds the rows removed so far. The Undo is nil
// where the error came before the first removal.
//
// The error is an [*model.Error]: [model.KindNotFound] where none of ids exists,
// [model.KindChanged] where the sessions are not what o.Expected says or others change
// them all the time, [model.KindInUse] where another process is writing them,
// [model.KindIndex] where the full-text index is damaged and might not take them back,
// [model.KindTokenizer], [model.KindRefused], [model.KindReadOnly], [model.KindLocked], [model.KindDiskFull]. Transcript files are removed
// after their session; those that cannot be are in FilesLeft.
func (s *Store) Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	return s.trash.Delete(ctx, ids, o)
}

// Restore puts back what a Delete removed: every row as it was, ids, parents
// and transcript files included; the triggers of the file bring back the
// full-text index, and what they have changed of rows that stayed is taken back. A row that is already there and equal is left alone, so
// Restore may be called again.
//
// Up to 128 KB, counted as in [Store.Delete], come back in one transaction,
// completely or not at all. More come back in chunks of about 30 ms with pauses,
// sessions first, so that other writers do not wait long; when ctx ends between
// two chunks the error is of [model.KindIncompleteWrite] and Restore can be called
// again to continue.
//
// A session loses the link to its parent where the parent has been deleted since the
// Delete. It keeps a link to a parent that did not exist at the Delete either. A link
// is put back only where the child has not got another parent since. The error is of
// [model.KindTitleInUse] (Matches names the session) or [model.KindExists] where another session
// has taken the title or the id: then nothing was changed.
func (s *Store) Restore(ctx context.Context, u model.Undo, o model.RestoreOptions) error {
	return s.trash.Restore(ctx, u, o)
}

// CleanupFindings finds conversations that are probably no longer needed,
// with the reason: ghosts and other empty ones, work of delegates whose
// conversation was deleted, and numbered duplicates ("deploy #2") all of whose
// messages also begin another conversation of that title. Pinned ones and those
// that were active within a day are left out; nothing is changed. The most
// certain reasons come first, then the conversations inactive for the longest time.
func (s *Store) CleanupFindings(ctx context.Context) ([]model.CleanupFinding, error) {
	return s.trash.CleanupFindings(ctx)
}

// InterruptedUndos finds in the folder of [WithUndoFolder] what processes have left that
// were killed while they deleted from this database or restored, or, without
// [WithUndoLimits], while a delete could still be undone, the last delete first: that is the
// order to finish them in. What others are working on is left out.
func (s *Store) InterruptedUndos(ctx context.Context) ([]model.SavedUndo, error) {
	return s.trash.InterruptedUndos(ctx)
}

// SavedUndos finds all deletes from this database that earlier programs have kept for an undo
// ([WithUndoLimits]), and what [Store.InterruptedUndos] finds, the last first. One whose rows
// are all there again is removed. Blocked says what [Store.FinishUndo] would refuse; whether
// titles are taken is not in it.
func (s *Store) SavedUndos(ctx context.Context) ([]model.SavedUndo, error) {
	return s.trash.SavedUndos(ctx)
}

// FinishUndo restores a saved undo, or the rest of an interrupted one, by the rules of
// [Store.Restore], and removes its file. After an error it may be called again.
func (s *Store) FinishUndo(ctx context.Context, u model.SavedUndo, o model.RestoreOptions) error {
	return s.trash.FinishUndo(ctx, u, o)
}

// DropUndo removes the file of a saved undo: the database stays as it is, and the rows that
// are not back are gone.
func (s *Store) DropUndo(u model.SavedUndo) error { return s.trash.DropUndo(u) }
