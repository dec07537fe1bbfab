package live

import (
	"context"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/model/query"
	"hermes-sessions/model/usage"
	"hermes-sessions/store"
)

// undo is what a delete removed, with the database that it was removed from.
type undo struct {
	model.Undo
	from int // number of the opening
}

// otherDatabaseError refuses to undo a change of one database in another.
func otherDatabaseError(o *opened, advice string) error {
	return &store.Error{
		Kind: store.KindReplaced, Path: o.db.Path(), Message: "this change was made in the database that was here before; nothing was undone",
		Remedy: model.Advise(advice),
	}
}

// Conversations is [store.Store.Conversations].
func (l *Store) Conversations(ctx context.Context, q query.ListOptions) (model.ConversationPage, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (model.ConversationPage, error) {
		return s.Conversations(ctx, q)
	})
}

// NewestActivity is [store.NewestActivity].
func (l *Store) NewestActivity(ctx context.Context, n int) ([]time.Time, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) ([]time.Time, error) { return store.NewestActivity(ctx, s, n) })
}

// Search is [store.Store.Search].
func (l *Store) Search(ctx context.Context, q query.Query, list query.ListOptions) (model.SearchResults, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (model.SearchResults, error) { return s.Search(ctx, q, list) })
}

// Hits is [store.Store.Hits].
func (l *Store) Hits(ctx context.Context, q query.Query, id string, limit int) ([]model.Hit, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) ([]model.Hit, error) { return s.Hits(ctx, q, id, limit) })
}

// HitIDs is [store.Store.HitIDs].
func (l *Store) HitIDs(ctx context.Context, q query.Query, id string) ([]int64, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) ([]int64, error) { return s.HitIDs(ctx, q, id) })
}

// Outline is [store.Store.Outline].
func (l *Store) Outline(ctx context.Context, id string) (model.Outline, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (model.Outline, error) { return s.Outline(ctx, id) })
}

// MessagesNear is [store.Store.MessagesNear].
func (l *Store) MessagesNear(ctx context.Context, id string, at int64, n int) ([]model.Message, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) ([]model.Message, error) {
		return s.MessagesNear(ctx, id, at, n)
	})
}

// MessagesOf is [store.Store.MessagesOf].
func (l *Store) MessagesOf(ctx context.Context, id string, ids []int64) ([]model.Message, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) ([]model.Message, error) { return s.MessagesOf(ctx, id, ids) })
}

// Tail is [store.Store.Tail].
func (l *Store) Tail(ctx context.Context, id string, n int) ([]model.Message, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) ([]model.Message, error) { return s.Tail(ctx, id, n) })
}

// Lineage is [store.Store.Lineage].
func (l *Store) Lineage(ctx context.Context, id string) (*model.Node, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (*model.Node, error) { return s.Lineage(ctx, id) })
}

// Fork is [store.Store.Fork].
func (l *Store) Fork(ctx context.Context, id string) (model.Fork, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (model.Fork, error) { return s.Fork(ctx, id) })
}

// Details is [store.Store.Details].
func (l *Store) Details(ctx context.Context, id string) (model.Details, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (model.Details, error) { return s.Details(ctx, id) })
}

// Files is [store.Store.Files].
func (l *Store) Files(ctx context.Context, id string) ([]files.File, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) ([]files.File, error) { return s.Files(ctx, id) })
}

// ResumeCheck is [store.Store.ResumeCheck].
func (l *Store) ResumeCheck(ctx context.Context, id string) (model.ResumeCheck, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (model.ResumeCheck, error) { return s.ResumeCheck(ctx, id) })
}

// FieldValues is [store.Store.FieldValues].
func (l *Store) FieldValues(ctx context.Context, field query.Field) ([]query.FieldValue, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) ([]query.FieldValue, error) {
		return s.FieldValues(ctx, field)
	})
}

// UsageReport is [store.Store.UsageReport].
func (l *Store) UsageReport(ctx context.Context) (usage.Report, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (usage.Report, error) { return s.UsageReport(ctx) })
}

// ToolCounts is [store.Store.ToolCounts].
func (l *Store) ToolCounts(ctx context.Context, sessions []string) ([]usage.ToolCount, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) ([]usage.ToolCount, error) {
		return s.ToolCounts(ctx, sessions)
	})
}

// PlanDelete is [store.Store.PlanDelete].
func (l *Store) PlanDelete(ctx context.Context, ids []string, o model.DeleteOptions) (model.Deletion, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (model.Deletion, error) { return s.PlanDelete(ctx, ids, o) })
}

// Conversation is [store.Store.Conversation].
func (l *Store) Conversation(ctx context.Context, id string) (model.Conversation, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (model.Conversation, error) { return s.Conversation(ctx, id) })
}

// TitleOwner is [store.Store.TitleOwner].
func (l *Store) TitleOwner(ctx context.Context, title, conversation string) (*model.TitleOwner, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (*model.TitleOwner, error) {
		return s.TitleOwner(ctx, title, conversation)
	})
}

// CleanupFindings is [store.Store.CleanupFindings].
func (l *Store) CleanupFindings(ctx context.Context) ([]model.CleanupFinding, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) ([]model.CleanupFinding, error) {
		return s.CleanupFindings(ctx)
	})
}

// Prunable is [store.Store.Prunable].
func (l *Store) Prunable(ctx context.Context, o model.PruneOptions) (model.Prunable, error) {
	return ask(ctx, l, func(ctx context.Context, s *store.Store) (model.Prunable, error) { return s.Prunable(ctx, o) })
}

// Prepare is [store.Store.Prepare].
func (l *Store) Prepare(ctx context.Context) error {
	_, err := ask(ctx, l, func(ctx context.Context, s *store.Store) (struct{}, error) { return struct{}{}, s.Prepare(ctx) })
	return err
}

// QuickLineage is [store.Store.QuickLineage].
func (l *Store) QuickLineage(ctx context.Context, id string) (root *model.Node, partial bool, err error) {
	root, err = ask(ctx, l, func(ctx context.Context, s *store.Store) (n *model.Node, err error) {
		n, partial, err = s.QuickLineage(ctx, id)
		return n, err
	})
	return root, partial, err
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
func (l *Store) Rename(ctx context.Context, tip, was, title string) (model.Edit, error) {
	return change(ctx, l, func(ctx context.Context, s *opened) (model.Edit, error) {
		return s.edited(s.db.Rename(ctx, tip, was, title))
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
func (l *Store) FinishUndo(ctx context.Context, u model.InterruptedUndo, o model.RestoreOptions) error {
	_, err := change(ctx, l, func(ctx context.Context, s *opened) (struct{}, error) { return struct{}{}, s.db.FinishUndo(ctx, u, o) })
	return err
}
