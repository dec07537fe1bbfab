package store

import (
	"context"
	"errors"
	"slices"

	"hermes-sessions/model"
)

// A delete of many conversations can pass over those that can not go
// ([model.DeleteOptions.Skip]): each goes whole or stays whole, and what stays
// is told with its reason.

// passesOver reports whether an error is about some sessions and not about the
// whole database, so that the others can go on.
func passesOver(err error) bool {
	if errors.Is(err, errChanged) {
		return true
	}
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Kind == KindInUse || e.Kind == KindRefused || e.Kind == KindChanged)
}

// refuse takes note of a conversation that stays.
func refuse(d *model.Deletion, r removal, err error) {
	text := err.Error()
	if errors.Is(err, errChanged) {
		text = "another program has changed it meanwhile"
	} else if e, ok := errors.AsType[*Error](err); ok {
		text = e.Message
	}
	d.Refused = append(d.Refused, model.Refusal{ID: r.root(), Why: text})
}

// root is the first segment of what goes.
func (r removal) root() string { return r.ids[len(r.ids)-1] }

// fit plans the removal of those conversations that can go, and says which can
// not. want is what was agreed to, nil before that. The error is the first
// reason where none can go.
func (s *Store) fit(ctx context.Context, ids []string, want *model.Deletion) (*plan, error) {
	var stay model.Deletion
	for {
		p, err := s.plan(ctx, func(c *catalog) (choice, error) { return chosen(c, ids, false), nil })
		if err != nil {
			return nil, err
		}
		bad, err := s.unfit(ctx, p, want)
		if err != nil {
			return nil, err
		}
		for i, r := range p.removals {
			if bad[i] != nil {
				refuse(&stay, r, bad[i])
			}
		}
		if len(bad) == 0 {
			p.Refused, p.Missing = stay.Refused, append(stay.Missing, p.Missing...)
			return p, nil
		}
		if len(bad) == len(p.removals) {
			return nil, bad[0]
		}
		stay.Missing = append(stay.Missing, p.Missing...) // they are asked for no more
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

// unfit finds what of a plan can not go, by its place in the plan.
func (s *Store) unfit(ctx context.Context, p *plan, want *model.Deletion) (map[int]error, error) {
	bad := map[int]error{}
	if want != nil {
		agreed := map[string]bool{}
		for _, id := range want.Sessions {
			agreed[id] = true
		}
		parts := map[string]model.Part{}
		for _, part := range want.Parts {
			parts[part.ID] = part
		}
		for i, r := range p.removals {
			if r.part() != parts[r.root()] || slices.ContainsFunc(r.ids, func(id string) bool { return !agreed[id] }) {
				bad[i] = errChanged
			}
		}
	}
	return bad, s.look(ctx, func(t *tx) error {
		if p.Messages > 0 {
			if err := s.mayChangeMessages(t); err != nil {
				return err
			}
		}
		held, err := holding(ctx, t, p.Sessions)
		if err != nil {
			return err
		}
		for i, r := range p.removals {
			for _, id := range r.ids {
				if table := held[id]; table != "" && bad[i] == nil {
					bad[i] = s.heldBy(table)
				}
			}
			if bad[i] != nil {
				continue
			}
			switch err := s.notInUse(ctx, t, r.ids...); {
			case err == nil:
			case passesOver(err):
				bad[i] = err
			default:
				return err
			}
		}
		return nil
	})
}

// part says how much goes.
func (r removal) part() model.Part {
	return model.Part{ID: r.root(), Sessions: len(r.ids), Messages: r.messages}
}

// deleteFit deletes those conversations that can go.
func (s *Store) deleteFit(ctx context.Context, ids []string, o model.DeleteOptions) (model.Undo, error) {
	p, err := s.fit(ctx, ids, o.Expect)
	if err != nil {
		if errors.Is(err, errChanged) {
			err = s.changed(err)
		}
		return nil, err
	}
	u, err := s.carryOut(ctx, p, o)
	if u == nil {
		return nil, err
	}
	return u, err
}
