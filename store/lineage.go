package store

import (
	"context"
	"slices"

	"hermes-sessions/model"
)

// Lineage gives the tree of all sessions tied by their parents to the one
// named: segments, branches and delegates, from the root down, with what each
// and all below it have used (store/README.md#lineage). A parent that is not there
// is none, and a ring of parents is cut above its oldest session. A root that
// carries the mark of a delegate is of that kind. The error is of
// [KindNotFound] for an unknown session.
func (s *Store) Lineage(ctx context.Context, id string) (*model.Node, error) {
	c, i, err := s.placed(ctx, id)
	if err != nil {
		return nil, err
	}
	root := c.lineage.Tree(i)
	return root, s.dressTree(ctx, c, root, nodes(root))
}

// LineageGlance is Lineage for a screen that can not wait: it makes do with
// what was known a moment ago, and looks up what was said, and the states that
// follow from it, only around the session named. partial is true when Lineage
// would tell more.
func (s *Store) LineageGlance(ctx context.Context, id string) (root *model.Node, partial bool, err error) {
	c, i, known := s.cached(), 0, false
	if c != nil {
		i, known = c.find(id)
	}
	if !known {
		if c, i, err = s.placed(ctx, id); err != nil {
			return nil, false, err
		}
	}
	root = c.lineage.Tree(i)
	all := nodes(root)
	at := slices.IndexFunc(all, func(n *model.Node) bool { return n.ID == id })
	near := all[max(0, at-glanceNodes):min(at+glanceNodes, len(all))]
	return root, known || len(near) < len(all), s.dressTree(ctx, c, root, near)
}

// glanceNodes is how many sessions are looked at on either side of the one
// that is asked for: more than any terminal shows.
const glanceNodes = 60

// nodes gives all nodes of a tree in the order in which they are drawn.
func nodes(root *model.Node) []*model.Node {
	var all []*model.Node
	root.Each(func(n *model.Node, _ int) bool {
		all = append(all, n)
		return true
	})
	return all
}

// dressTree fills in Preview and State of some nodes, and the State of the
// others as far as it follows from their rows alone.
func (s *Store) dressTree(ctx context.Context, c *catalog, root *model.Node, some []*model.Node) error {
	var ids []string
	for _, n := range some {
		if n.Visible > 0 {
			ids = append(ids, n.ID)
		}
	}
	found, err := s.dresses(ctx, ids, c.dressKey)
	if err != nil {
		return err
	}
	now := s.now()
	root.Each(func(n *model.Node, _ int) bool {
		d := found[n.ID]
		n.Preview = d.preview
		if n.Segment == n.Of || n.Visible == 0 {
			n.State = model.StateOf(&model.Conversation{Session: n.Session, Messages: n.Visible, LastActive: n.LastActive()}, d.lastRole, now)
		}
		return true
	})
	return nil
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
	return c.pick(path[:len(path)-1]), nil
}

// Descendants gives the sessions below one, to any depth and of every kind:
// each after its parent, siblings oldest first. The error is of
// [KindNotFound] for an unknown session.
func (s *Store) Descendants(ctx context.Context, id string) ([]model.Session, error) {
	c, i, err := s.placed(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.pick(c.lineage.Below(i)), nil
}

// pick gives sessions by their positions.
func (c *catalog) pick(at []int) []model.Session {
	out := make([]model.Session, len(at))
	for k, i := range at {
		out[k] = c.Session(i)
	}
	return out
}

// placed gives the sessions around one, or all, and its place among them.
func (s *Store) placed(ctx context.Context, id string) (*catalog, int, error) {
	c, err := s.relatives(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	i, ok := c.find(id)
	if !ok {
		return nil, 0, s.notFound(id)
	}
	return c, i, nil
}

// relatives is familyOf with the messages of giants counted as well.
func (s *Store) relatives(ctx context.Context, id string) (*catalog, error) {
	c, err := s.familyOf(ctx, id)
	if err != nil || c == s.cached() {
		return c, err
	}
	var giants []string
	for i, m := range c.all() {
		if m.MessageCount >= giant {
			giants = append(giants, m.ID)
			c.heard(i, 0, m.LastMessageAt)
		}
	}
	if len(giants) == 0 {
		return c, nil
	}
	err = s.snapshot(ctx, func(q queryer) error { return s.readActivity(ctx, q, c.roll, giants) })
	if corrupt(err) {
		return s.catalog(ctx)
	}
	return c, s.wrap("read "+id+" of", err)
}
