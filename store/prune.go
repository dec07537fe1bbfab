package store

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/trash"
)

// Prunable returns the conversations that [Store.Prune] would remove, the longest
// inactive first, and counts those that are old enough and stay, by the reason. Total counts
// are those of [model.Conversation]; nothing is changed.
func (s *Store) Prunable(ctx context.Context, o model.PruneOptions) (model.Prunable, error) {
	return s.trash.Prunable(ctx, o)
}

// PlanPrune says what [Store.Prune] would remove, with the bytes of its texts, and what is as
// old and stays; nothing is changed.
func (s *Store) PlanPrune(ctx context.Context, o model.PruneOptions) (model.Deletion, error) {
	return s.trash.PlanPrune(ctx, o)
}

// Prune removes the conversations that have ended and been inactive for as long
// as o says: short ones completely, long ones in chunks, all in short
// transactions with pauses, as [Store.Delete] does (store/README.md#q28). Archived and
// pinned ones stay unless o includes them, and so do those that another process is writing,
// has used since, or that rows of other tables refer to (store/README.md#prune and
// #sessions-in-use). The Undo holds the removed rows; where there was nothing to do it holds
// none, and the error is nil.
func (s *Store) Prune(ctx context.Context, o model.PruneOptions) (model.Undo, error) {
	return s.trash.Prune(ctx, o)
}

// ArchivePrunable archives the conversations that [Store.Prune] would remove, instead of
// removing them. It returns the change, for [Store.UndoEdit], and counts those that are old
// enough and stay; archived ones are among them, whatever o includes.
func (s *Store) ArchivePrunable(ctx context.Context, o model.PruneOptions) (model.Edit, model.Left, error) {
	o.IncludeArchived = false
	old, err := s.trash.Prunable(ctx, o)
	if err != nil {
		return model.Edit{}, old.Left, err
	}
	tips := make([]string, len(old.Conversations))
	for i := range old.Conversations {
		tips[i] = old.Conversations[i].ID
	}
	edit, err := s.edits.SetArchived(ctx, tips, true)
	return edit, old.Left, err
}

// PruneGhosts removes the sessions that the terminal program opened and closed
// more than a day ago without a message or a title, with their transcript files,
// and returns how many (prune_empty_ghost_sessions). Sessions under a ghost stay
// and become roots (store/README.md#q14). Ghosts stay that are in use by another
// process, or that rows of other tables refer to.
func (s *Store) PruneGhosts(ctx context.Context) (int, error) {
	return s.trash.PruneGhosts(ctx)
}

// AutoPrune is the maintenance that Hermes does at its start when it is switched
// on (maybe_auto_prune_and_vacuum, store/README.md#prune): it prunes, archived conversations
// too, at most once per interval, and vacuums if it removed anything. Pruned sessions cannot be
// restored. A vacuum that fails, for instance because others have the file open, is
// no error.
func (s *Store) AutoPrune(ctx context.Context, o model.AutoPruneOptions) (model.AutoPruned, error) {
	var done model.AutoPruned
	last, _, err := s.Meta(ctx, trash.LastAutoPrune)
	if err != nil {
		return done, err
	}
	now := db.Seconds(s.db.Clock())
	if at, err := strconv.ParseFloat(strings.TrimSpace(last), 64); err == nil && now-at < o.MinInterval.Seconds() {
		done.Skipped = true
		return done, nil
	}
	u, err := s.trash.Prune(ctx, model.PruneOptions{OlderThan: o.Retention, IncludeArchived: true, NoUndo: true})
	if u != nil {
		done.Pruned = len(u.Deleted().Sessions)
		err = errors.Join(err, u.Close())
	}
	if err != nil {
		return done, err
	}
	if o.Vacuum && done.Pruned > 0 {
		done.NoVacuum = s.upkeep.Vacuum(ctx)
		done.Vacuumed = done.NoVacuum == nil
	}
	return done, s.SetMeta(ctx, trash.LastAutoPrune, string(pyjson.Append(nil, now)))
}
