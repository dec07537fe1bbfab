package live

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/store"
)

// undo is what a delete removed, with the database that it was removed from.
type undo struct {
	model.Undo
	from int // number of the opening
}

// otherDatabaseError refuses to undo a change of one database in another.
func otherDatabaseError(o *opened, advice string) error {
	return &model.Error{
		Kind: model.KindReplaced, Path: o.db.Path(), Message: "this change was made in the database that was here before; nothing was undone",
		Remedy: model.Advise(advice),
	}
}

// PlanDelete is [store.Store.PlanDelete].
func (l *Store) PlanDelete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Deletion, error) {
	return Ask(ctx, l, func(ctx context.Context, s *store.Store) (model.Deletion, error) { return s.PlanDelete(ctx, ids, o) })
}

// Editable is [store.Store.Editable]: nothing, where the file at the path is not the one
// that is open.
func (l *Store) Editable() model.Editable {
	o, lost := l.state()
	e := o.db.Editable()
	if lost != nil {
		e.ReadOnly = lost.err
	}
	return e
}

// Delete is [store.Store.Delete].
func (l *Store) Delete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	return change(ctx, l, func(ctx context.Context, s *opened) (model.Undo, error) {
		u, err := s.db.Delete(ctx, ids, o)
		if u == nil {
			return nil, err
		}
		return undo{u, s.number}, err
	})
}

// Restore is [store.Store.Restore] for deletions from the same database. Rows that it does not
// restore are left for the next program.
func (l *Store) Restore(ctx context.Context, u model.Undo, o model.RestoreOptions) error {
	of, _ := u.(undo)
	_, err := change(ctx, l, func(ctx context.Context, s *opened) (struct{}, error) {
		if of.from != s.number {
			return struct{}{}, otherDatabaseError(s, "put that database back and start again: the deleted rows are kept until then")
		}
		return struct{}{}, s.db.Restore(ctx, of.Undo, o)
	})
	if log, ok := of.Undo.(interface{ Keep() }); ok && err != nil {
		log.Keep()
	}
	return err
}

// Rename is [store.Store.Rename].
func (l *Store) Rename(ctx context.Context, r model.Renaming) (model.Edit, error) {
	return change(ctx, l, func(ctx context.Context, s *opened) (model.Edit, error) {
		return s.edited(s.db.Rename(ctx, r))
	})
}

// SetPinned is [store.Store.SetPinned].
func (l *Store) SetPinned(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return change(ctx, l, func(ctx context.Context, s *opened) (model.Edit, error) {
		return s.edited(s.db.SetPinned(ctx, ids, on))
	})
}

// SetArchived is [store.Store.SetArchived].
func (l *Store) SetArchived(ctx context.Context, ids []string, on bool) (model.Edit, error) {
	return change(ctx, l, func(ctx context.Context, s *opened) (model.Edit, error) {
		return s.edited(s.db.SetArchived(ctx, ids, on))
	})
}

// UndoEdit is [store.Store.UndoEdit], of an edit of the same database.
func (l *Store) UndoEdit(ctx context.Context, e model.Edit) error {
	_, err := change(ctx, l, func(ctx context.Context, s *opened) (struct{}, error) {
		if e.Opening != s.number {
			return struct{}{}, otherDatabaseError(s, "put that database back, and change it there")
		}
		return struct{}{}, s.db.UndoEdit(ctx, e)
	})
	return err
}

// edited marks an edit with the opening that it was made in.
func (o *opened) edited(e model.Edit, err error) (model.Edit, error) {
	e.Opening = o.number
	return e, err
}

// FinishUndo is [store.Store.FinishUndo].
func (l *Store) FinishUndo(ctx context.Context, u model.SavedUndo, o model.RestoreOptions) error {
	_, err := change(ctx, l, func(ctx context.Context, s *opened) (struct{}, error) { return struct{}{}, s.db.FinishUndo(ctx, u, o) })
	return err
}
