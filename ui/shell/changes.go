package shell

import (
	"context"

	"hermes-sessions/model"
)

// Changes is what the screens may do to the session database. Every call may
// block and is made from a command, never from Update or View. Where nothing
// may be changed there is none: the screens then offer nothing of it.
type Changes interface {
	// PlanDelete says what Delete would remove. Where it would refuse, the
	// error says why and the counts hold all the same.
	PlanDelete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Deletion, error)
	// Delete removes conversations. The Undo has what was removed, also where there
	// is an error; it is nil where nothing was.
	Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error)
	// Restore puts back what a Delete removed; it may be called again after an
	// error.
	Restore(ctx context.Context, u model.Undo, o model.RestoreOptions) error

	// Editable says what can be changed at all, and may be asked all the time:
	// unlike the others it does not block.
	Editable() model.Editable
	// Rename gives a conversation a title. was is the title that the user has seen;
	// if the stored one is another by now, nothing is done, and an error says so.
	Rename(ctx context.Context, r model.Renaming) (model.Edit, error)
	// SetPinned and SetArchived change whole conversations.
	SetPinned(ctx context.Context, ids []string, on bool) (model.Edit, error)
	SetArchived(ctx context.Context, ids []string, on bool) (model.Edit, error)
	// UndoEdit undoes one of these edits, unless the same has been changed since.
	UndoEdit(ctx context.Context, e model.Edit) error

	// Vacuum gives the free pages of the database of a session back. Every other call waits
	// until it has ended.
	Vacuum(ctx context.Context, session string) error
	// Checkpoint empties its write-ahead log; emptied is false where another process keeps it.
	Checkpoint(ctx context.Context, session string) (emptied bool, err error)
}
