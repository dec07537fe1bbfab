package store

import (
	"context"

	"hermes-sessions/model"
)

// Lineage gives the tree of all sessions tied by their parents to the one
// named: segments, branches and delegates, from the root down, with what each
// and all below it have used (store-behaviour 3.5). A parent that is not there
// is none, and a ring of parents is cut above its oldest session. A root that
// carries the mark of a delegate is of that kind. The error is of
// [KindNotFound] for an unknown session.
func (s *Store) Lineage(ctx context.Context, id string) (*model.Node, error) {
	c, i, err := s.placed(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.lineage.Tree(i), nil
}

// Ancestors gives the sessions above one, the root of its lineage first and
// its parent last; none for a root. The error is of [KindNotFound] for an
// unknown session.
func (s *Store) Ancestors(ctx context.Context, id string) ([]model.Session, error) {
	c, i, err := s.placed(ctx, id)
	if err != nil {
		return nil, err
	}
	path := c.lineage.Path(i)
	above := make([]model.Session, 0, len(path)-1)
	for _, j := range path[:len(path)-1] {
		above = append(above, c.sessions[j])
	}
	return above, nil
}

// Descendants gives the sessions below one, to any depth and of every kind:
// each after its parent, siblings oldest first. The error is of
// [KindNotFound] for an unknown session.
func (s *Store) Descendants(ctx context.Context, id string) ([]model.Session, error) {
	root, err := s.Lineage(ctx, id)
	if err != nil {
		return nil, err
	}
	below := []model.Session{}
	from := -1 // the depth at which the session stands, once it was come across
	root.Each(func(n *model.Node, depth int) bool {
		switch {
		case n.ID == id:
			from = depth
		case from < 0:
		case depth > from:
			below = append(below, n.Session)
		default:
			return false // past all that is below it
		}
		return true
	})
	return below, nil
}

// placed gives the catalog and the place of a session in it.
func (s *Store) placed(ctx context.Context, id string) (*catalog, int, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, 0, err
	}
	i, ok := c.index[id]
	if !ok {
		return nil, 0, s.notFound(id)
	}
	return c, i, nil
}
