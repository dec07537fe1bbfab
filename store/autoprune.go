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

// AutoPrune is the upkeep that Hermes does at its start when it is switched on
// (maybe_auto_prune_and_vacuum, store/README.md#prune): prune, at most once per
// interval, and vacuum if anything went. What was pruned can not be restored.
// A vacuum that fails, for instance because others have the file open, is no
// error.
func (s *Store) AutoPrune(ctx context.Context, o trash.AutoPruneOptions) (trash.AutoPruned, error) {
	var done trash.AutoPruned
	last, _, err := s.Meta(ctx, trash.LastAutoPrune)
	if err != nil {
		return done, err
	}
	now := db.Seconds(s.db.Clock())
	if at, err := strconv.ParseFloat(strings.TrimSpace(last), 64); err == nil && now-at < o.MinInterval.Seconds() {
		done.Skipped = true
		return done, nil
	}
	u, err := s.trash.Prune(ctx, model.PruneOptions{OlderThan: o.Retention, NoUndo: true})
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
