package store

import (
	"cmp"
	"context"
	"slices"

	"hermes-sessions/model"
)

// Values gives the values that a filter word can have in this database, with
// the number of conversations of each, the most frequent first: of sources,
// models, folders, git branches, tools and roles. Other words have none of
// their own. Tools and roles are read from the messages of all sessions, which
// takes a while the first time.
func (s *Store) Values(ctx context.Context, field model.FilterField) ([]model.Value, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	var of func(*model.Conversation) []string
	one := func(get func(*model.Conversation) string) func(*model.Conversation) []string {
		return func(m *model.Conversation) []string { return []string{get(m)} }
	}
	switch field {
	case model.FilterSource:
		of = one(func(m *model.Conversation) string { return m.Source })
	case model.FilterModel:
		of = one(func(m *model.Conversation) string { return m.Model })
	case model.FilterCWD:
		of = one(func(m *model.Conversation) string { return m.CWD })
	case model.FilterBranch:
		of = one(func(m *model.Conversation) string { return m.GitBranch })
	case model.FilterTool, model.FilterRole:
		var ids []string
		for i := range c.Len() {
			ids = append(ids, c.id(i))
		}
		voices, err := s.voices(ctx, c, ids)
		if err != nil {
			return nil, err
		}
		of = func(m *model.Conversation) []string {
			var names []string
			for _, id := range m.Segments {
				if v := voices[id]; field == model.FilterTool {
					names = append(names, v.tools...)
				} else {
					names = append(names, v.roles...)
				}
			}
			slices.Sort(names)
			return slices.Compact(names)
		}
	default:
		return nil, nil
	}
	counts := map[string]int{}
	for _, m := range c.shelf.all() {
		for _, v := range of(m) {
			counts[v]++
		}
	}
	delete(counts, "")
	values := make([]model.Value, 0, len(counts))
	for v, n := range counts {
		values = append(values, model.Value{Text: v, Conversations: n})
	}
	slices.SortFunc(values, func(a, b model.Value) int {
		return cmp.Or(cmp.Compare(b.Conversations, a.Conversations), cmp.Compare(a.Text, b.Text))
	})
	return values, nil
}
