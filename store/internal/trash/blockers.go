package trash

import (
	"context"
	"errors"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// isBlocker reports whether an error is about some sessions and not about the
// whole database, so that the other sessions can be deleted.
func isBlocker(err error) bool {
	if errors.Is(err, errPlanChanged) {
		return true
	}
	e, ok := errors.AsType[*model.Error](err)
	return ok && (e.Kind == model.KindInUse || e.Kind == model.KindRefused || e.Kind == model.KindChanged)
}

// passesOver reports whether the delete goes on with the other conversations after an error. A
// prune, which names no conversation that it passes over, ends at a refusal: it may hold for the
// whole file.
func (d *deleter) passesOver(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	return d.skipBlocked && isBlocker(err) && !(d.plan.byAge && ok && e.Kind == model.KindRefused)
}

// addBlocked records a conversation that stays, with the reason.
func addBlocked(d *model.Deletion, r removal, err error) {
	text := err.Error()
	if errors.Is(err, errPlanChanged) {
		text = "another program has changed it"
	} else if e, ok := errors.AsType[*model.Error](err); ok {
		text = e.Message
	}
	if db.IsInUse(err) {
		d.Left.Running++
	}
	d.Skipped = append(d.Skipped, model.SkippedConversation{ID: r.root(), Reason: text})
}

// planUnblocked plans the delete of those conversations that nothing blocks, and
// records the others with their reasons. want is the deletion that the user confirmed, nil for none.
// The error is the first reason where every conversation is blocked.
func (b *Bin) planUnblocked(ctx context.Context, ids []string, want *model.Deletion) (*deletePlan, error) {
	var stay model.Deletion
	for {
		p, err := b.makeDeletePlan(ctx, func(snap *snapshot.Snapshot) (selection, error) { return selectSessions(snap, ids, false), nil })
		if err != nil {
			return nil, err
		}
		bad, err := b.findBlockers(ctx, p, want)
		if err != nil {
			return nil, err
		}
		for i, r := range p.removals {
			if bad[i] != nil {
				addBlocked(&stay, r, bad[i])
			}
		}
		if len(bad) == 0 {
			p.Skipped, p.NotFound = stay.Skipped, append(stay.NotFound, p.NotFound...)
			return p, nil
		}
		if len(bad) == len(p.removals) {
			return nil, bad[0]
		}
		stay.NotFound = append(stay.NotFound, p.NotFound...) // they are not planned again
		goes := map[string]bool{}
		for i, r := range p.removals {
			if bad[i] == nil {
				for _, id := range r.ids {
					goes[id] = true
				}
			}
		}
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !goes[id] })
	}
}

// findBlockers finds which removals of a plan are blocked, by their position in the
// plan.
func (b *Bin) findBlockers(ctx context.Context, p *deletePlan, want *model.Deletion) (map[int]error, error) {
	bad := map[int]error{}
	if want != nil {
		agreed := map[string]bool{}
		for _, id := range want.Sessions {
			agreed[id] = true
		}
		parts := map[string]model.DeletionShare{}
		for _, part := range want.PerConversation {
			parts[part.ID] = part
		}
		for i, r := range p.removals {
			if r.deletionShare() != parts[r.root()] || slices.ContainsFunc(r.ids, func(id string) bool { return !agreed[id] }) {
				bad[i] = errPlanChanged
			}
		}
	}
	return bad, b.db.ReadOnlyTx(ctx, func(t *db.Tx) error {
		if p.Messages > 0 {
			if err := b.db.CheckIndexWritable(t); err != nil {
				return err
			}
		}
		held, err := rowsReferencing(ctx, t, p.Sessions)
		if err != nil {
			return err
		}
		// What blocks a removal says more than that it is not what was agreed to: what was blocked
		// when the user was asked is not.
		for i, r := range p.removals {
			if at := slices.IndexFunc(r.ids, func(id string) bool { return held[id] != "" }); at >= 0 {
				bad[i] = b.referencedError(held[r.ids[at]])
				continue
			}
			err := b.db.CheckNotInUse(ctx, t, r.ids...)
			switch {
			case err == nil:
			case isBlocker(err):
				bad[i] = err
			default:
				return err
			}
		}
		return nil
	})
}

// deleteUnblocked deletes those conversations that nothing blocks.
func (b *Bin) deleteUnblocked(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	p, err := b.planUnblocked(ctx, ids, o.Expected)
	if err != nil {
		if errors.Is(err, errPlanChanged) {
			err = b.changedError(err)
		}
		return nil, err
	}
	u, err := b.executePlan(ctx, p, o)
	if u == nil {
		return nil, err
	}
	return u, err
}

// checkBlockers returns the error with which a transaction of the plan would fail
// now.
func (b *Bin) checkBlockers(ctx context.Context, p *deletePlan) error {
	if err := b.db.WriteProblem(); err != nil {
		return err
	}
	if err := b.db.CheckIndexIntegrity(ctx); err != nil {
		return err
	}
	return b.db.ReadOnlyTx(ctx, func(t *db.Tx) error {
		if p.Messages > 0 {
			if err := b.db.CheckIndexWritable(t); err != nil {
				return err
			}
		}
		held, err := rowsReferencing(ctx, t, p.Sessions)
		if err != nil {
			return err
		}
		for _, table := range held {
			return b.referencedError(table)
		}
		return b.db.CheckNotInUse(ctx, t, p.Sessions...)
	})
}
