package federation

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/store/live"
)

// at returns the member of a session, its store, and the id of the session in it. The error
// is of [model.KindNotFound] where that member is not open.
func (f *Federation) at(id string) (m *member, s *live.Store, local string, err error) {
	if m, local = f.find(id); m != nil {
		s, _, _ = m.state()
	}
	if s == nil {
		return nil, nil, "", notOpenError(id)
	}
	return m, s, local, nil
}

// readOne reads something of one conversation in the member that its id names. read gets the
// id that it has there, and gives the answer the ids that it has here.
func readOne[T any](ctx context.Context, f *Federation, id string, read func(ctx context.Context, m *member, s *store.Store, id string) (T, error)) (T, error) {
	m, s, local, err := f.at(id)
	if err != nil {
		var none T
		return none, err
	}
	return live.Ask(ctx, s, func(ctx context.Context, s *store.Store) (T, error) { return read(ctx, m, s, local) })
}

// readAll reads the same of all members, and adds their answers up in their order. The answer
// of an only database is given as it is.
func readAll[T any](ctx context.Context, f *Federation, read func(context.Context, *member, *store.Store) (T, error), add func(all *T, m *member, one T)) (all T, err error) {
	if f.only != nil {
		return live.Ask(ctx, f.only, func(ctx context.Context, s *store.Store) (T, error) { return read(ctx, f.members[0], s) })
	}
	members := f.open()
	answers, err := gather(ctx, f, members, read)
	for _, m := range members {
		if one, ok := answers[m]; ok {
			add(&all, m, one)
		}
	}
	return all, err
}

// gather returns what the members answered that did; the error is that of [Federation.each].
func gather[T any](ctx context.Context, f *Federation, members []*member, read func(context.Context, *member, *store.Store) (T, error)) (map[*member]T, error) {
	answers := make([]T, len(members))
	answered, err := f.each(ctx, members, func(i int, s *live.Store) (err error) {
		answers[i], err = live.Ask(ctx, s, func(ctx context.Context, s *store.Store) (T, error) { return read(ctx, members[i], s) })
		return err
	})
	by := map[*member]T{}
	for _, i := range answered {
		by[members[i]] = answers[i]
	}
	return by, err
}

// HitIDs is [store.Store.HitIDs].
func (f *Federation) HitIDs(ctx context.Context, q query.Query, id string) ([]int64, error) {
	return readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) ([]int64, error) {
		return s.HitIDs(ctx, m.query(q), id)
	})
}

// query returns a query for the member, without the filters on profiles, which it has passed.
func (m *member) query(q query.Query) query.Query {
	if m.name == "" {
		return q
	}
	var rest []query.Filter
	for _, filter := range m.filters(q.Filters) {
		if filter.Field != query.FieldProfile {
			rest = append(rest, filter)
		}
	}
	q.Filters = rest
	return q
}

// Outline is [store.Store.Outline].
func (f *Federation) Outline(ctx context.Context, id string) (model.Outline, error) {
	return readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) (model.Outline, error) {
		o, err := s.Outline(ctx, id)
		m.conversation(&o.Conversation)
		return o, err
	})
}

// MessagesNear is [store.Store.MessagesNear].
func (f *Federation) MessagesNear(ctx context.Context, id string, message int64, n int) ([]model.Message, error) {
	return readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) ([]model.Message, error) {
		all, err := s.MessagesNear(ctx, id, message, n)
		m.messages(all)
		return all, err
	})
}

// MessagesOf is [store.Store.MessagesOf].
func (f *Federation) MessagesOf(ctx context.Context, id string, ids []int64) ([]model.Message, error) {
	return readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) ([]model.Message, error) {
		all, err := s.MessagesOf(ctx, id, ids)
		m.messages(all)
		return all, err
	})
}

// Tail is [store.Store.Tail].
func (f *Federation) Tail(ctx context.Context, id string, n int) ([]model.Message, error) {
	return readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) ([]model.Message, error) {
		all, err := s.Tail(ctx, id, n)
		m.messages(all)
		return all, err
	})
}

// Lineage is [store.Store.Lineage]: a tree of one database.
func (f *Federation) Lineage(ctx context.Context, id string) (*model.Node, error) {
	return readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) (*model.Node, error) {
		root, err := s.Lineage(ctx, id)
		m.tree(root)
		return root, err
	})
}

// QuickLineage is [store.Store.QuickLineage].
func (f *Federation) QuickLineage(ctx context.Context, id string) (root *model.Node, partial bool, err error) {
	root, err = readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) (n *model.Node, err error) {
		n, partial, err = s.QuickLineage(ctx, id)
		m.tree(n)
		return n, err
	})
	return root, partial, err
}

// Fork is [store.Store.Fork].
func (f *Federation) Fork(ctx context.Context, id string) (model.Fork, error) {
	return readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) (model.Fork, error) {
		fork, err := s.Fork(ctx, id)
		fork.Parent = m.qualified(fork.Parent)
		return fork, err
	})
}

// Files is [store.Store.Files].
func (f *Federation) Files(ctx context.Context, id string) ([]files.File, error) {
	return readOne(ctx, f, id, func(ctx context.Context, _ *member, s *store.Store, id string) ([]files.File, error) {
		return s.Files(ctx, id)
	})
}

// Details is [store.Store.Details]. The rows are as stored.
func (f *Federation) Details(ctx context.Context, id string) (model.Details, error) {
	return readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) (model.Details, error) {
		d, err := s.Details(ctx, id)
		m.conversation(&d.Conversation)
		d.Sessions = append([]model.Session(nil), d.Sessions...)
		for i := range d.Sessions {
			m.session(&d.Sessions[i])
		}
		return d, err
	})
}

// ResumeCheck is [store.Store.ResumeCheck].
func (f *Federation) ResumeCheck(ctx context.Context, id string) (model.ResumeCheck, error) {
	return readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) (model.ResumeCheck, error) {
		check, err := s.ResumeCheck(ctx, id)
		m.session(&check.Tip)
		m.session(&check.ParentTip)
		return check, err
	})
}

// Conversation is [store.Store.Conversation].
func (f *Federation) Conversation(ctx context.Context, id string) (model.Conversation, error) {
	return readOne(ctx, f, id, func(ctx context.Context, m *member, s *store.Store, id string) (model.Conversation, error) {
		c, err := s.Conversation(ctx, id)
		m.conversation(&c)
		return c, err
	})
}

// TitleOwner is [store.Store.TitleOwner], in the database of the conversation.
func (f *Federation) TitleOwner(ctx context.Context, title, conversation string) (*model.TitleOwner, error) {
	return readOne(ctx, f, conversation, func(ctx context.Context, m *member, s *store.Store, id string) (*model.TitleOwner, error) {
		owner, err := s.TitleOwner(ctx, title, id)
		if owner == nil || err != nil {
			return nil, err
		}
		of := *owner
		of.Session = m.qualified(of.Session)
		m.conversation(&of.Conversation)
		return &of, nil
	})
}

// MeasureStorage is [store.Storage.MeasureStorage] of the member of a session.
func (f *Federation) MeasureStorage(ctx context.Context, session string, from int64) (model.StorageStep, error) {
	return readOne(ctx, f, session, func(ctx context.Context, m *member, s *store.Store, _ string) (model.StorageStep, error) {
		step, err := s.MeasureStorage(ctx, from)
		sessions := make(map[string]model.StoredBytes, len(step.Sessions))
		for id, bytes := range step.Sessions {
			sessions[m.own(id)] = bytes
		}
		step.Sessions = sessions
		return step, err
	})
}

// ForecastVacuum is [store.Storage.ForecastVacuum] of the member of a session.
func (f *Federation) ForecastVacuum(ctx context.Context, session string) (model.VacuumForecast, error) {
	return readOne(ctx, f, session, func(ctx context.Context, _ *member, s *store.Store, _ string) (model.VacuumForecast, error) {
		return s.ForecastVacuum(ctx)
	})
}

// CleanupFindings is [store.Store.CleanupFindings] of all members.
func (f *Federation) CleanupFindings(ctx context.Context) ([]model.CleanupFinding, error) {
	read := func(ctx context.Context, _ *member, s *store.Store) ([]model.CleanupFinding, error) {
		return s.CleanupFindings(ctx)
	}
	return readAll(ctx, f, read, func(all *[]model.CleanupFinding, m *member, found []model.CleanupFinding) {
		for _, c := range found {
			m.conversation(&c.Conversation)
			if c.Reason == model.CleanupOrphan {
				c.Original = m.qualified(c.Original)
			}
			*all = append(*all, c)
		}
	})
}

// Prunable is [store.Store.Prunable] of all members.
func (f *Federation) Prunable(ctx context.Context, o model.PruneOptions) (model.Prunable, error) {
	read := func(ctx context.Context, _ *member, s *store.Store) (model.Prunable, error) {
		return s.Prunable(ctx, o)
	}
	return readAll(ctx, f, read, func(all *model.Prunable, m *member, found model.Prunable) {
		for _, c := range found.Conversations {
			m.conversation(&c)
			all.Conversations = append(all.Conversations, c)
		}
		all.Left = all.Left.Add(found.Left)
	})
}
