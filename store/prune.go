package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
)

// Prunable gives the conversations that Prune would remove, longest silent
// first. Total counts are those of [model.Conversation]; nothing is changed.
func (s *Store) Prunable(ctx context.Context, o model.PruneOptions) ([]model.Conversation, error) {
	if err := s.sensible(o); err != nil {
		return nil, err
	}
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	old, err := s.oldOnes(ctx, c, o)
	if err != nil {
		return nil, err
	}
	page := make([]model.Conversation, len(old))
	for i, at := range old {
		page[i] = c.conversation(at)
	}
	return page, s.dress(ctx, page)
}

// Prune removes the conversations that have ended and been silent for as long
// as o says, as Delete does: short ones whole, long ones in parts, all in short
// transactions with pauses (store/README.md#q28). Pinned ones and those that another
// process is writing, or that other tables hold on to, stay (store/README.md#prune
// and #sessions-in-use). The Undo holds what is gone; nothing to do is no
// error.
func (s *Store) Prune(ctx context.Context, o model.PruneOptions) (model.Undo, error) {
	if err := s.sensible(o); err != nil {
		return nil, err
	}
	return s.delete(ctx, model.DeleteOptions{Backup: o.Backup, Forget: o.Forget, Progress: o.Progress}, func(c *catalog) (choice, error) {
		old, err := s.oldOnes(ctx, c, o)
		if err != nil {
			return choice{}, err
		}
		var ch choice
		goes := map[int]bool{}
		for _, at := range old {
			var r model.Removal
			r.Goes = c.lineage.Chain(at)
			for _, i := range r.Goes {
				goes[i] = true
			}
			slices.Reverse(r.Goes)
			r.Asked = len(r.Goes)
			ch.goes = append(ch.goes, r)
		}
		for i, m := range c.all() {
			if p, ok := c.find(m.ParentID); ok && m.ParentID != "" && goes[p] && !goes[i] {
				ch.stay = append(ch.stay, i)
			}
		}
		return ch, nil
	})
}

// sensible refuses an age that would take what has not happened yet.
func (s *Store) sensible(o model.PruneOptions) error {
	if o.OlderThan < 0 {
		return &Error{
			Kind: KindInvalid, Path: s.path,
			Message: fmt.Sprintf("%v is no age of a conversation", o.OlderThan), Remedy: "give a number of days, 0 or more",
		}
	}
	return nil
}

// oldOnes gives the first sessions of the conversations to prune, longest silent first,
// without those in use.
func (s *Store) oldOnes(ctx context.Context, c *catalog, o model.PruneOptions) (old []int, err error) {
	old = c.lineage.Prune(s.now().Add(-o.OlderThan), o.Source)
	all := make(map[int]model.Conversation, len(old))
	for _, at := range old {
		all[at] = c.conversation(at)
	}
	slices.SortFunc(old, func(a, b int) int {
		return cmp.Or(all[a].LastActive.Compare(all[b].LastActive), strings.Compare(all[a].ID, all[b].ID))
	})
	err = s.look(ctx, func(t *tx) error {
		var ids []string
		for _, at := range old {
			ids = append(ids, all[at].Segments...)
		}
		held, kept := holding(ctx, t, ids)
		old = slices.DeleteFunc(old, func(at int) bool {
			if slices.ContainsFunc(all[at].Segments, func(id string) bool { return held[id] != "" }) {
				return true
			}
			err := s.notInUse(ctx, t, all[at].Segments...)
			if err != nil && !inUse(err) {
				kept = err
			}
			return err != nil
		})
		return kept
	})
	return old, err
}

// AutoPruneOptions say when and what AutoPrune does.
type AutoPruneOptions struct {
	Retention   time.Duration // see [model.PruneOptions]; Hermes's default is 90 days
	MinInterval time.Duration // between two runs; Hermes's default is 24 hours
	Vacuum      bool          // give the space back if something went
}

// AutoPruned is what AutoPrune did.
type AutoPruned struct {
	Skipped  bool  // the last run was too short a time ago
	Pruned   int   // sessions
	Vacuumed bool  // the space was given back
	NoVacuum error // why it was not, where it should have been
}

// lastAutoPrune is where the time of the last run is kept.
const lastAutoPrune = "last_auto_prune"

// AutoPrune is the upkeep that Hermes does at its start when it is switched on
// (maybe_auto_prune_and_vacuum, store/README.md#prune): prune, at most once per
// interval, and vacuum if anything went. What was pruned can not be restored.
// A vacuum that fails, for instance because others have the file open, is no
// error.
func (s *Store) AutoPrune(ctx context.Context, o AutoPruneOptions) (AutoPruned, error) {
	var done AutoPruned
	last, _, err := s.Meta(ctx, lastAutoPrune)
	if err != nil {
		return done, err
	}
	now := seconds(s.now())
	if at, err := strconv.ParseFloat(strings.TrimSpace(last), 64); err == nil && now-at < o.MinInterval.Seconds() {
		done.Skipped = true
		return done, nil
	}
	u, err := s.Prune(ctx, model.PruneOptions{OlderThan: o.Retention, Forget: true})
	if u != nil {
		done.Pruned = len(u.Gone().Sessions)
		err = errors.Join(err, u.Close())
	}
	if err != nil {
		return done, err
	}
	if o.Vacuum && done.Pruned > 0 {
		done.NoVacuum = s.Vacuum(ctx)
		done.Vacuumed = done.NoVacuum == nil
	}
	return done, s.SetMeta(ctx, lastAutoPrune, string(model.AppendJSON(nil, now)))
}
