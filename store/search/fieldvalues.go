package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// FieldValues returns the values that a filter can have, see store.Store.FieldValues.
func (e *Engine) FieldValues(ctx context.Context, field query.Field) ([]query.FieldValue, error) {
	snap, err := e.sessions.RecentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	var of func(*model.Conversation) []string
	one := func(get func(*model.Conversation) string) func(*model.Conversation) []string {
		return func(m *model.Conversation) []string { return []string{get(m)} }
	}
	switch field {
	case query.FieldFile:
		if !e.db.Schema.Has("messages", "tool_calls") {
			return nil, nil
		}
		return e.fileNames(ctx)
	case query.FieldSource:
		of = one(func(m *model.Conversation) string { return m.Source })
	case query.FieldModel:
		of = one(func(m *model.Conversation) string { return m.Model })
	case query.FieldCWD:
		if len(snap.Folders()) == 0 { // an open list asks again whenever Hermes has written
			return nil, nil
		}
		of = one(func(m *model.Conversation) string { return m.CWD })
	case query.FieldBranch:
		of = one(func(m *model.Conversation) string { return m.GitBranch })
	case query.FieldProfile:
		of = one(func(m *model.Conversation) string { return m.Profile })
	case query.FieldTool, query.FieldFailed, query.FieldRole:
		var ids []string
		for i := range snap.Len() {
			ids = append(ids, snap.ID(i))
		}
		if field == query.FieldFailed {
			failed, err := e.FailuresOf(ctx, snap, ids)
			if err != nil {
				return nil, err
			}
			of = func(m *model.Conversation) []string {
				all := map[string]bool{}
				for _, id := range m.Segments {
					for tool := range failed[id] {
						all[tool] = true
					}
				}
				return slices.Collect(maps.Keys(all))
			}
			break
		}
		roles, err := e.sessionRolesOf(ctx, snap, ids)
		if err != nil {
			return nil, err
		}
		of = func(m *model.Conversation) []string {
			var names []string
			for _, id := range m.Segments {
				r := roles[id]
				names = append(names, map[query.Field][]string{query.FieldTool: r.Tools, query.FieldRole: r.Roles}[field]...)
			}
			slices.Sort(names)
			return slices.Compact(names)
		}
	default:
		return nil, nil
	}
	counts := map[string]int{}
	for _, m := range snap.Conversations.All() {
		for _, v := range of(m) {
			counts[v]++
		}
	}
	delete(counts, "")
	values := make([]query.FieldValue, 0, len(counts))
	for v, n := range counts {
		values = append(values, query.FieldValue{Value: v, Conversations: n})
	}
	sort.Slice(values, func(i, j int) bool {
		a, b := &values[i], &values[j]
		return cmp.Or(cmp.Compare(b.Conversations, a.Conversations), cmp.Compare(a.Value, b.Value)) < 0
	})
	return values, nil
}
