package trash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// Prunable returns the conversations that Prune would remove, and counts what it would
// leave; see store.Store.Prunable.
func (b *Bin) Prunable(ctx context.Context, o model.PruneOptions) (model.Prunable, error) {
	snap, err := b.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return model.Prunable{}, err
	}
	old, left, err := b.staleConversations(ctx, snap, &o)
	if err != nil {
		return model.Prunable{}, err
	}
	page := make([]model.Conversation, len(old))
	for i, at := range old {
		page[i] = snap.ConversationAt(at)
	}
	return model.Prunable{Conversations: page, Left: left}, b.sessions.AddPreviews(ctx, page)
}

// Prune removes conversations that have been inactive for long; see store.Store.Prune
// for the contract.
func (b *Bin) Prune(ctx context.Context, o model.PruneOptions) (model.Undo, error) {
	how := model.DeleteOptions{Backup: o.Backup, NoUndo: o.NoUndo, Progress: o.Progress, SkipBlocked: true}
	return b.deleteSelected(ctx, how, b.selectStale(ctx, &o))
}

// PlanPrune says what Prune would remove; see store.Store.PlanPrune.
func (b *Bin) PlanPrune(ctx context.Context, o model.PruneOptions) (model.Deletion, error) {
	p, err := b.makeDeletePlan(ctx, b.selectStale(ctx, &o))
	if err != nil {
		return model.Deletion{}, err
	}
	if err := b.countTranscripts(p); err != nil {
		return p.Deletion, err
	}
	return p.Deletion, b.db.WrapError("measure", b.db.ReadTx(ctx, func(q db.Querier) (err error) {
		p.Bytes, err = db.TextBytes(ctx, q, p.Sessions)
		return err
	}))
}

// selectStale chooses the conversations to prune.
func (b *Bin) selectStale(ctx context.Context, o *model.PruneOptions) selector {
	return func(snap *snapshot.Snapshot) (selection, error) {
		old, left, err := b.staleConversations(ctx, snap, o)
		if err != nil {
			return selection{}, err
		}
		ch := selection{byAge: true, left: left}
		goes := map[int]bool{}
		for _, at := range old {
			var r model.DeletionGroup
			r.Positions = snap.Lineage.SegmentsOf(at)
			for _, i := range r.Positions {
				goes[i] = true
			}
			slices.Reverse(r.Positions)
			r.Requested = len(r.Positions)
			ch.removals = append(ch.removals, r)
		}
		for i, m := range snap.All() {
			if p, ok := snap.Position(m.ParentID); ok && m.ParentID != "" && goes[p] && !goes[i] {
				ch.orphaned = append(ch.orphaned, i)
			}
		}
		return ch, nil
	}
}

// stillOld reports whether a session has not changed since a prune chose it: it was not reopened,
// used, pinned or archived.
func stillOld(now, was *model.Session) bool {
	return now.EndedAt.Equal(was.EndedAt) && now.LastActivityAt.Equal(was.LastActivityAt) &&
		now.Pinned == was.Pinned && now.Archived == was.Archived
}

// checkAge refuses a negative age, which would take what has not happened yet.
func (b *Bin) checkAge(o *model.PruneOptions) error {
	if o.OlderThan < 0 {
		return &model.Error{
			Kind: model.KindInvalid, Path: b.db.Path,
			Message: fmt.Sprintf("%v is not an age", o.OlderThan), Remedy: model.Advise("give a number of days, 0 or more"),
		}
	}
	return nil
}

// staleConversations returns the positions of the first segments of the conversations
// to prune, the longest inactive first, and counts those that are old enough and stay.
func (b *Bin) staleConversations(ctx context.Context, snap *snapshot.Snapshot, o *model.PruneOptions) (old []int, left model.Left, err error) {
	if err := b.checkAge(o); err != nil {
		return nil, left, err
	}
	old, left = snap.Lineage.PruneCandidates(o, b.db.Clock())
	all := make(map[int]model.Conversation, len(old))
	for _, at := range old {
		all[at] = snap.ConversationAt(at)
	}
	sort.Slice(old, func(i, j int) bool {
		a, b := all[old[i]], all[old[j]]
		return cmp.Or(a.LastActive.Compare(b.LastActive), strings.Compare(a.ID, b.ID)) < 0
	})
	err = b.db.ReadOnlyTx(ctx, func(t *db.Tx) error {
		var ids []string
		for _, at := range old {
			ids = append(ids, all[at].Segments...)
		}
		held, failed := rowsReferencing(ctx, t, ids)
		old = slices.DeleteFunc(old, func(at int) bool {
			if slices.ContainsFunc(all[at].Segments, func(id string) bool { return held[id] != "" }) {
				left.Referenced++
				return true
			}
			err := b.db.CheckNotInUse(ctx, t, all[at].Segments...)
			switch {
			case db.IsInUse(err):
				left.Running++
			case err != nil:
				failed = err
			}
			return err != nil
		})
		return failed
	})
	if o.Expected != nil {
		agreed := map[string]bool{}
		for _, id := range o.Expected.Sessions {
			agreed[id] = true
		}
		old = slices.DeleteFunc(old, func(at int) bool {
			return slices.ContainsFunc(snap.Lineage.SegmentsOf(at), func(i int) bool { return !agreed[snap.ID(i)] })
		})
	}
	return old, left, err
}

// LastAutoPrune is the key of state_meta with the time of the last run.
const LastAutoPrune = "last_auto_prune"

// PruneGhosts removes sessions without a message; see store.Store.PruneGhosts.
func (b *Bin) PruneGhosts(ctx context.Context) (int, error) {
	u, err := b.deleteSelected(ctx, model.DeleteOptions{NoUndo: true}, func(snap *snapshot.Snapshot) (selection, error) {
		var ids []string
		for _, m := range snap.All() {
			if m.Source == "tui" && m.Title == "" && !m.EndedAt.IsZero() && b.db.Clock().Sub(m.StartedAt) > minGhostAge && m.VisibleMessages == 0 {
				ids = append(ids, m.ID)
			}
		}
		messages, err := b.countMessages(ctx, b.db.Pool, ids)
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
				i, _ := snap.Position(id)
				err := b.db.CheckNotInUse(ctx, t, id)
				switch {
				case messages[id] > 0 || held[id] != "" || db.IsInUse(err):
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
