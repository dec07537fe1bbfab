package ui

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
	// Delete removes conversations. What is gone when it ends is in the Undo,
	// also where there is an error; nil where nothing is.
	Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error)
	// Restore puts back what a Delete removed; it may be called again after an
	// error.
	Restore(ctx context.Context, u model.Undo, o model.RestoreOptions) error
}

// readOnly is why nothing can be changed where there are no [Changes].
const readOnly = "opened with --read-only: nothing can be changed"

// offered reports whether an action belongs on menus and help pages. Where
// nothing may be changed, changing is not offered; who presses its key all the
// same is told why.
func (a action) offered() bool { return a.why != readOnly }
