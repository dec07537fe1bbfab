package snapshot

import (
	"context"
	"slices"

	"hermes-sessions/model"
)

// Lineage returns the tree of all sessions tied by their parents to the one
// named: segments, branches and delegates, from the root down, with what each
// and all below it have used (store/README.md#lineage). A parent that does not exist is
// ignored, and a cycle of parents is cut above its oldest session. A root that is marked
// as a delegate has that kind. The error is of [model.KindNotFound] for an unknown session.
func (s *Sessions) Lineage(ctx context.Context, id string) (*model.Node, error) {
	snap, i, err := s.PositionOf(ctx, id)
	if err != nil {
		return nil, err
	}
	root := snap.Lineage.Tree(i)
	return root, s.addTreePreviews(ctx, snap, root, treeNodes(root))
}

// QuickLineage is Lineage for a screen that cannot wait: it uses the cached snapshot,
// however old, and reads previews, and the states that depend on them, only around the
// session named. partial is true when Lineage may give more.
func (s *Sessions) QuickLineage(ctx context.Context, id string) (root *model.Node, partial bool, err error) {
	snap := s.CachedSnapshot()
	i := 0
	known := false
	if snap != nil {
		i, known = snap.Position(id)
	}
	if !known {
		if snap, i, err = s.PositionOf(ctx, id); err != nil {
			return nil, false, err
		}
	}
	root = snap.Lineage.Tree(i)
	all := treeNodes(root)
	at := slices.IndexFunc(all, func(n *model.Node) bool { return n.ID == id })
	near := all[max(0, at-maxQuickNodes):min(at+maxQuickNodes, len(all))]
	return root, known || len(near) < len(all), s.addTreePreviews(ctx, snap, root, near)
}

// maxQuickNodes is how many sessions on either side of the one named get previews: more
// than any terminal shows.
const maxQuickNodes = 60

// treeNodes returns all nodes of a tree in the order in which they are drawn.
func treeNodes(root *model.Node) []*model.Node {
	var all []*model.Node
	root.Walk(func(n *model.Node, _ int) bool {
		all = append(all, n)
		return true
	})
	return all
}

// addTreePreviews fills in Preview and State of some nodes, and the State of the
// others as far as it follows from their rows alone.
func (s *Sessions) addTreePreviews(ctx context.Context, snap *Snapshot, root *model.Node, some []*model.Node) error {
	var ids []string
	for _, n := range some {
		if n.VisibleMessages > 0 {
			ids = append(ids, n.ID)
		}
	}
	found, err := s.PreviewsOf(ctx, ids, snap.PreviewKey)
	if err != nil {
		return err
	}
	now := s.db.Clock()
	root.Walk(func(n *model.Node, _ int) bool {
		d := found[n.ID]
		n.Preview = d.shortened
		if n.Segment == n.SegmentCount || n.VisibleMessages == 0 {
			c := model.Conversation{Session: n.Session, Messages: n.VisibleMessages, LastActive: n.LastActive()}
			if i, ok := snap.Position(n.ID); ok {
				c.Lock = snap.Lineage.LockOf(i, now)
			}
			n.State = model.StateOf(&c, d.lastRole, now)
		}
		return true
	})
	return nil
}

// Ancestors returns the sessions above one, the root of its lineage first and
// its parent last; none for a root. The error is of [model.KindNotFound] for an
// unknown session.
func (s *Sessions) Ancestors(ctx context.Context, id string) ([]model.Session, error) {
	snap, i, err := s.PositionOf(ctx, id)
	if err != nil {
		return nil, err
	}
	path := snap.Lineage.PathFromRoot(i)
	return snap.sessionsAt(path[:len(path)-1]), nil
}

// Descendants returns the sessions below one, to any depth and of every kind:
// each after its parent, siblings oldest first. The error is of
// [model.KindNotFound] for an unknown session.
func (s *Sessions) Descendants(ctx context.Context, id string) ([]model.Session, error) {
	snap, i, err := s.PositionOf(ctx, id)
	if err != nil {
		return nil, err
	}
	return snap.sessionsAt(snap.Lineage.Descendants(i)), nil
}
