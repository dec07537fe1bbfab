package search

import (
	"context"
	"errors"
	"slices"
	"strings"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/sessionroles"
	"hermes-sessions/store/search/ftsquery"
)

// messageFilters decides the filters role: and tool: about single messages.
type messageFilters struct{ *executor }

// apply returns which of some messages the filters role: and tool: of
// the query keep. The set is the caller's.
func (f messageFilters) apply(ctx context.Context, ids *idset.Set) (*idset.Set, error) {
	var role, tool []query.Filter
	for _, filter := range f.query.Filters {
		switch filter.Field {
		case query.FieldRole:
			role = append(role, filter)
		case query.FieldTool:
			tool = append(tool, filter)
		}
	}
	var err error
	if len(role) > 0 && !ids.Empty() {
		if ids, err = f.filterRoles(ctx, ids, func(name string) bool { return query.MessagePasses(role, name, nil) }); err != nil {
			return nil, err
		}
	}
	if len(tool) == 0 || ids.Empty() {
		return ids, nil
	}
	possible, err := f.mayNameTool(ctx, tool, ids)
	if err != nil {
		return nil, err
	}
	kept := &idset.Set{}
	if !slices.ContainsFunc(tool, func(filter query.Filter) bool { return !filter.Not }) {
		kept = idset.Difference(ids, possible)
	}
	if possible.Empty() {
		return kept, nil
	}
	f.addStep("filters on messages, by reading who said each match")
	err = db.EachRow(ctx, f.tx, `SELECT m.id, `+f.toolNameColumn+`, `+f.toolCallsColumn+` FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JSONList(possible.All())}, func(r db.Row) {
		if query.MessagePasses(tool, "", sessionroles.ToolNames(r[1], r[2])) {
			kept.Add(r.Int(0))
		}
	})
	return kept, err
}

// filterRoles returns which of some messages have a role that passes.
func (f messageFilters) filterRoles(ctx context.Context, ids *idset.Set, passes func(role string) bool) (*idset.Set, error) {
	f.addStep("filters on messages, by reading who said each match")
	roles, err := f.readRoles(ctx, ids, nil)
	if err != nil {
		return nil, err
	}
	found := roles.WithRoles(ids, passes)
	others := idset.Intersection(ids, &roles.OtherRoles)
	if others.Empty() {
		return found, nil
	}
	err = db.EachRow(ctx, f.tx, `SELECT m.id, m.role FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JSONList(others.All())}, func(r db.Row) {
		if passes(r.Text(1)) {
			found.Add(r.Int(0))
		}
	})
	return found, err
}

// mayNameTool returns which of some messages may name a tool that filters are
// about, by the indexes: the word index has names with words, the trigram index has
// names of symbols alone. It gives all of the messages when no index can answer.
func (f messageFilters) mayNameTool(ctx context.Context, tools []query.Filter, ids *idset.Set) (*idset.Set, error) {
	var words, symbols []ftsquery.Query
	for _, filter := range tools {
		t := match.Term{Text: filter.Value, Prefix: filter.Prefix}
		if t.Words() != nil {
			words = append(words, ftsquery.Term(t))
			continue
		}
		named, ok := toolNameSymbols(filter)
		if !ok {
			return ids, nil
		}
		symbols = append(symbols, named...)
	}
	if f.words.table == "" || !f.words.isWhole() {
		return ids, nil
	}
	found := &idset.Set{}
	if len(words) > 0 {
		var err error
		found, err = f.matchTable(ctx, &f.words, ftsquery.AnyOf(words...))
		if _, ok := errors.AsType[*indexError](err); ok && ctx.Err() == nil {
			return ids, nil
		}
		if err != nil {
			return nil, err
		}
	}
	if len(symbols) > 0 {
		if err := f.probeTrigrams(ctx); err != nil {
			return nil, err
		}
		named, ok, err := f.matchTrigrams(ctx, ftsquery.AnyOf(symbols...))
		if err != nil {
			return nil, err
		}
		if !ok {
			return ids, nil
		}
		jsonContent, err := f.jsonContentIDs(ctx)
		if _, ok := errors.AsType[*indexError](err); ok && ctx.Err() == nil {
			return ids, nil
		}
		if err != nil {
			return nil, err
		}
		found.Union(named)
		found.Union(jsonContent)
	}
	found.Intersect(ids)
	return found, nil
}

// toolNameSymbols returns queries to the trigram index, one of which finds each
// message that names a tool without a word in its name. The name follows the
// content, or is quoted in JSON, which may escape any character of it; the
// JSON may itself be a JSON string. ok is false when the name may be stored in
// another form.
func toolNameSymbols(filter query.Filter) (queries []ftsquery.Query, ok bool) {
	value := filter.Value
	if !matchesVerbatim(value) || strings.ContainsAny(value, "\"\ufffd") {
		return nil, false
	}
	ends := func(three []byte) bool {
		last := three[len(three)-1]
		return filter.Prefix || last == ' ' || last == '"' || last == '\\'
	}
	queries = []ftsquery.Query{ftsquery.Contains(" "+value, ends), ftsquery.Contains(`"`+value, ends)}
	for i := range value {
		queries = append(queries, ftsquery.Contains(`"`+value[:i]+`\`, func(three []byte) bool {
			last := three[len(three)-1]
			return last == 'u' || last == '/' || last == '\\'
		}))
	}
	return queries, true
}

// addToolTerm adds the tool that a query asks for to its terms. A message that names
// the tool contains its name, so the index finds fewer messages to read. Of several
// tools no term is added.
func addToolTerm(q query.Query) query.Query {
	var tools []match.Term
	for _, f := range q.Filters {
		if f.Field == query.FieldTool && !f.Not {
			tools = append(tools, match.Term{Text: f.Value, Prefix: f.Prefix})
		}
	}
	if len(tools) != 1 || tools[0].Words() == nil || tools[0].HasSymbols() {
		return q
	}
	groups := slices.Clone(q.Groups)
	for i, g := range groups {
		groups[i].All = append(slices.Clone(g.All), tools[0])
	}
	q.Groups = groups
	return q
}
