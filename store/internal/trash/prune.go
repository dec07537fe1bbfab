package trash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Prunable gives the conversations that Prune would remove, longest silent
// first. Total counts are those of [model.Conversation]; nothing is changed.
func (b *Bin) Prunable(ctx context.Context, o model.PruneOptions) ([]model.Conversation, error) {
	if err := b.checkPruneOptions(o); err != nil {
		return nil, err
	}
	c, err := b.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	old, err := b.staleConversations(ctx, c, o)
	if err != nil {
		return nil, err
	}
	page := make([]model.Conversation, len(old))
	for i, at := range old {
		page[i] = c.ConversationAt(at)
	}
	return page, b.sessions.AddPreviews(ctx, page)
}

// Prune removes the conversations that have ended and been silent for as long
// as o says, as Delete does: short ones whole, long ones in parts, all in short
// transactions with pauses (store/README.md#q28). Pinned ones and those that another
// process is writing, or that other tables hold on to, stay (store/README.md#prune
// and #sessions-in-use). The Undo holds what is gone; nothing to do is no
// error.
func (b *Bin) Prune(ctx context.Context, o model.PruneOptions) (model.Undo, error) {
	if err := b.checkPruneOptions(o); err != nil {
		return nil, err
	}
	return b.deleteSelected(ctx, model.DeleteOptions{Backup: o.Backup, NoUndo: o.NoUndo, Progress: o.Progress}, func(c *snapshot.Snapshot) (selection, error) {
		old, err := b.staleConversations(ctx, c, o)
		if err != nil {
			return selection{}, err
		}
		var ch selection
		goes := map[int]bool{}
		for _, at := range old {
			var r model.DeletionGroup
			r.Positions = c.Lineage.SegmentsOf(at)
			for _, i := range r.Positions {
				goes[i] = true
			}
			slices.Reverse(r.Positions)
			r.Requested = len(r.Positions)
			ch.removals = append(ch.removals, r)
		}
		for i, m := range c.All() {
			if p, ok := c.Position(m.ParentID); ok && m.ParentID != "" && goes[p] && !goes[i] {
				ch.orphaned = append(ch.orphaned, i)
			}
		}
		return ch, nil
	})
}

// checkPruneOptions refuses an age that would take what has not happened yet.
func (b *Bin) checkPruneOptions(o model.PruneOptions) error {
	if o.OlderThan < 0 {
		return &db.Error{
			Kind: db.KindInvalid, Path: b.db.Path,
			Message: fmt.Sprintf("%v is no age of a conversation", o.OlderThan), Remedy: "give a number of days, 0 or more",
		}
	}
	return nil
}

// staleConversations gives the first sessions of the conversations to prune, longest silent first,
// without those in use.
func (s *Bin) staleConversations(ctx context.Context, c *snapshot.Snapshot, o model.PruneOptions) (old []int, err error) {
	old = c.Lineage.PruneCandidates(s.db.Clock().Add(-o.OlderThan), o.Source)
	all := make(map[int]model.Conversation, len(old))
	for _, at := range old {
		all[at] = c.ConversationAt(at)
	}
	slices.SortFunc(old, func(a, b int) int {
		return cmp.Or(all[a].LastActive.Compare(all[b].LastActive), strings.Compare(all[a].ID, all[b].ID))
	})
	err = s.db.ReadOnlyTx(ctx, func(t *db.Tx) error {
		var ids []string
		for _, at := range old {
			ids = append(ids, all[at].Segments...)
		}
		held, kept := rowsReferencing(ctx, t, ids)
		old = slices.DeleteFunc(old, func(at int) bool {
			if slices.ContainsFunc(all[at].Segments, func(id string) bool { return held[id] != "" }) {
				return true
			}
			err := s.db.CheckNotHeld(ctx, t, all[at].Segments...)
			if err != nil && !db.IsInUse(err) {
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

// LastAutoPrune is where the time of the last run is kept.
const LastAutoPrune = "last_auto_prune"

// PruneGhosts removes the sessions that the terminal program opened and closed
// more than a day ago without a word or a title, with their transcript files,
// and gives how many (prune_empty_ghost_sessions). Sessions under a ghost stay
// and become roots (store/README.md#q14). Those in use by another process, and those that
// other tables hold on to, stay.
func (b *Bin) PruneGhosts(ctx context.Context) (int, error) {
	u, err := b.deleteSelected(ctx, model.DeleteOptions{NoUndo: true}, func(c *snapshot.Snapshot) (selection, error) {
		var ids []string
		for _, m := range c.All() {
			if m.Source == "tui" && m.Title == "" && !m.EndedAt.IsZero() && b.db.Clock().Sub(m.StartedAt) > minGhostAge && m.VisibleMessages == 0 {
				ids = append(ids, m.ID)
			}
		}
		said, err := b.countMessages(ctx, ids)
		if err != nil {
			return selection{}, b.db.WrapError("count the messages of", err)
		}
		var ch selection
		err = b.db.ReadOnlyTx(ctx, func(t *db.Tx) error {
			held, err := rowsReferencing(ctx, t, ids)
			if err != nil {
				return err
			}
			for _, id := range ids {
				i, _ := c.Position(id)
				switch err := b.db.CheckNotHeld(ctx, t, id); {
				case said[id] > 0 || held[id] != "" || db.IsInUse(err):
				case err != nil:
					return err
				default:
					ch.removals = append(ch.removals, model.DeletionGroup{Positions: []int{i}, Requested: 1})
				}
			}
			return nil
		})
		return ch, err
	})
	if u == nil {
		return 0, err
	}
	return len(u.Deleted().Sessions), errors.Join(err, u.Close())
}
