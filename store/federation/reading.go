package federation

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/model/query"
	"hermes-sessions/store/live"
)

// at returns the member of a session, its store, and the id of the session in it. The error
// is of [store.KindNotFound] where that member is not open.
func (f *Federation) at(id string) (m *member, s *live.Store, local string, err error) {
	if m, local = f.find(id); m != nil {
		s, _, _ = m.state()
	}
	if s == nil {
		return nil, nil, "", notOpenError(id)
	}
	return m, s, local, nil
}

// Hits is [live.Store.Hits].
func (f *Federation) Hits(ctx context.Context, q query.Query, id string, limit int) ([]model.Hit, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return nil, err
	}
	hits, err := s.Hits(ctx, m.query(q), local, limit)
	for i := range hits {
		m.hit(&hits[i])
	}
	return hits, err
}

// HitIDs is [live.Store.HitIDs].
func (f *Federation) HitIDs(ctx context.Context, q query.Query, id string) ([]int64, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return nil, err
	}
	return s.HitIDs(ctx, m.query(q), local)
}

// query returns a query for the member, without the filters on profiles, which it has passed.
func (m *member) query(q query.Query) query.Query {
	var rest []query.Filter
	for _, filter := range m.filters(q.Filters) {
		if filter.Field != query.FieldProfile {
			rest = append(rest, filter)
		}
	}
	q.Filters = rest
	return q
}

// Outline is [live.Store.Outline].
func (f *Federation) Outline(ctx context.Context, id string) (model.Outline, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return model.Outline{}, err
	}
	o, err := s.Outline(ctx, local)
	m.conversation(&o.Conversation)
	return o, err
}

// MessagesNear is [live.Store.MessagesNear].
func (f *Federation) MessagesNear(ctx context.Context, id string, message int64, n int) ([]model.Message, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return nil, err
	}
	all, err := s.MessagesNear(ctx, local, message, n)
	m.messages(all)
	return all, err
}

// MessagesOf is [live.Store.MessagesOf].
func (f *Federation) MessagesOf(ctx context.Context, id string, ids []int64) ([]model.Message, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return nil, err
	}
	all, err := s.MessagesOf(ctx, local, ids)
	m.messages(all)
	return all, err
}

// Tail is [live.Store.Tail].
func (f *Federation) Tail(ctx context.Context, id string, n int) ([]model.Message, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return nil, err
	}
	all, err := s.Tail(ctx, local, n)
	m.messages(all)
	return all, err
}

// Lineage is [live.Store.Lineage]: a tree of one database.
func (f *Federation) Lineage(ctx context.Context, id string) (*model.Node, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return nil, err
	}
	root, err := s.Lineage(ctx, local)
	m.tree(root)
	return root, err
}

// QuickLineage is [live.Store.QuickLineage].
func (f *Federation) QuickLineage(ctx context.Context, id string) (root *model.Node, partial bool, err error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return nil, false, err
	}
	root, partial, err = s.QuickLineage(ctx, local)
	m.tree(root)
	return root, partial, err
}

// Fork is [live.Store.Fork].
func (f *Federation) Fork(ctx context.Context, id string) (model.Fork, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return model.Fork{}, err
	}
	fork, err := s.Fork(ctx, local)
	fork.Parent = m.qualified(fork.Parent)
	return fork, err
}

// Files is [live.Store.Files].
func (f *Federation) Files(ctx context.Context, id string) ([]files.File, error) {
	_, s, local, err := f.at(id)
	if err != nil {
		return nil, err
	}
	return s.Files(ctx, local)
}

// Details is [live.Store.Details]. The rows are as stored.
func (f *Federation) Details(ctx context.Context, id string) (model.Details, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return model.Details{}, err
	}
	d, err := s.Details(ctx, local)
	m.conversation(&d.Conversation)
	d.Sessions = append([]model.Session(nil), d.Sessions...)
	for i := range d.Sessions {
		m.session(&d.Sessions[i])
	}
	return d, err
}

// ResumeCheck is [live.Store.ResumeCheck].
func (f *Federation) ResumeCheck(ctx context.Context, id string) (model.ResumeCheck, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return model.ResumeCheck{}, err
	}
	check, err := s.ResumeCheck(ctx, local)
	m.session(&check.Tip)
	m.session(&check.ParentTip)
	return check, err
}

// Conversation is [live.Store.Conversation].
func (f *Federation) Conversation(ctx context.Context, id string) (model.Conversation, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		return model.Conversation{}, err
	}
	c, err := s.Conversation(ctx, local)
	m.conversation(&c)
	return c, err
}

// TitleOwner is [live.Store.TitleOwner], in the database of the conversation.
func (f *Federation) TitleOwner(ctx context.Context, title, conversation string) (*model.TitleOwner, error) {
	m, s, local, err := f.at(conversation)
	if err != nil {
		return nil, err
	}
	owner, err := s.TitleOwner(ctx, title, local)
	if owner == nil || err != nil {
		return nil, err
	}
	of := *owner
	of.Session = m.qualified(of.Session)
	m.conversation(&of.Conversation)
	return &of, nil
}

// CleanupFindings is [live.Store.CleanupFindings] of all members, in their order.
func (f *Federation) CleanupFindings(ctx context.Context) ([]model.CleanupFinding, error) {
	members := f.open()
	found := make([][]model.CleanupFinding, len(members))
	answered, err := f.each(ctx, members, func(i int, s *live.Store) (err error) {
		found[i], err = s.CleanupFindings(ctx)
		return err
	})
	var all []model.CleanupFinding
	for _, i := range answered {
		for _, c := range found[i] {
			members[i].conversation(&c.Conversation)
			if c.Reason == model.CleanupOrphan {
				c.Original = members[i].qualified(c.Original)
			}
			all = append(all, c)
		}
	}
	return all, err
}

// Prunable is [live.Store.Prunable] of all members, in their order.
func (f *Federation) Prunable(ctx context.Context, o model.PruneOptions) (all model.Prunable, err error) {
	members := f.open()
	found := make([]model.Prunable, len(members))
	answered, err := f.each(ctx, members, func(i int, s *live.Store) (err error) {
		found[i], err = s.Prunable(ctx, o)
		return err
	})
	for _, i := range answered {
		for _, c := range found[i].Conversations {
			members[i].conversation(&c)
			all.Conversations = append(all.Conversations, c)
		}
		all.Left = all.Left.Add(found[i].Left)
	}
	return all, err
}
