package store

import (
	"context"

	"hermes-sessions/model"
)

// Editable says what can be changed: whether the file may be written, as it was
// when [Store.DataVersion] was last called, and whether it has columns for pins
// and for the archive.
func (s *Store) Editable() model.Editable {
	return s.edits.Editable()
}

// Rename gives a conversation a title through its tip, by the rules of SetTitle;
// a blank one removes the title. If the title is no longer the one
// that the person saw, or the conversation continues in another session, nothing
// is done and the error is of [model.KindChanged]; other errors are those of SetTitle.
func (s *Store) Rename(ctx context.Context, r model.Renaming) (model.Edit, error) {
	return s.edits.Rename(ctx, r)
}

// TitleOwner returns the session that has a title, with its conversation and the
// next free title with a number, nil where the title is free. conversation is the
// id of the conversation that is to get the title: it may take it from one of its
// own earlier segments.
func (s *Store) TitleOwner(ctx context.Context, title, conversation string) (*model.TitleOwner, error) {
	return s.edits.TitleOwner(ctx, title, conversation)
}

// SetPinned pins conversations or removes the pins: all segments of each, so
// that every program that shows one finds it pinned. The error is of
// [model.KindNotFound] for an unknown id, of [model.KindInvalid], wrapping
// [errors.ErrUnsupported], where the file has no column for pins, and of
// [model.KindChanged], with nothing done, where another program removes a session at
// the same time.
func (s *Store) SetPinned(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return s.edits.SetPinned(ctx, ids, on)
}

// SetArchived archives or unarchives conversations. It changes all segments of each: with a
// root that is not archived, Hermes lists the conversation again (store/README.md#newer-files).
// Its errors are those of [Store.SetPinned].
func (s *Store) SetArchived(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return s.edits.SetArchived(ctx, ids, on)
}

// UndoEdit undoes an edit, completely or not at all. The error is of
// [model.KindChanged] where another program has changed one of its cells since, of
// [model.KindNotFound] where a session was deleted, of [model.KindTitleInUse] where another
// session has taken a title since.
func (s *Store) UndoEdit(ctx context.Context, e model.Edit) error {
	return s.edits.Undo(ctx, e)
}
