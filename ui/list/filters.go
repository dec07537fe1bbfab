package list

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// filters are what confines and orders the list beside the query: scope,
// sources, folder and order.
type filters struct {
	base    query.ListOptions // as the program was started
	scope   model.Scope
	sources []string    // only these; nil for all
	folder  string      // only this; "" for all
	sort    query.Order // of a listing
	order   query.Order // of a search
	known   func(query.Filter) *query.Known
}

func newFilters(base query.ListOptions, known func(query.Filter) *query.Known) filters {
	f := filters{base: base, known: known, scope: base.Scope, sources: base.Sources, folder: base.CWD, sort: base.Order, order: query.ByRelevance}
	if f.sort == query.ByRelevance {
		f.sort = query.ByActivity
	}
	return f
}

// rowsQuery puts a query and the filters together.
func (f *filters) rowsQuery(q query.Query) RowsQuery {
	a := RowsQuery{Query: q, List: f.base}
	q.Filters = query.Resolve(q.Filters, f.known)
	a.Query.Filters, a.List.Filters = q.Filters, q.Filters
	a.List.Scope = f.scope
	a.List.Order = f.sort
	a.List.PinnedFirst = true
	a.List.Sources, a.List.CWD = f.sources, f.folder
	if a.searching() {
		a.List.Order = f.order
	}
	return a
}

func (f *filters) listing() query.ListOptions {
	return query.ListOptions{Scope: f.scope, Order: f.sort, Sources: f.sources, CWD: f.folder}
}

// orderBy orders listings or searches.
func (f *filters) orderBy(by query.Order, searching bool) {
	if searching {
		f.order = by
	} else {
		f.sort = by
	}
}

// nextOrder is the next order of listings, or the other one of searches.
func (f *filters) nextOrder(searching bool) {
	switch {
	case !searching:
		f.sort = (f.sort + 1) % query.ByRelevance
	case f.order == query.ByRelevance:
		f.order = query.ByActivity
	default:
		f.order = query.ByRelevance
	}
}

// toggleHidden shows what the scope hides, or hides again what it hides at first.
func (f *filters) toggleHidden() {
	if f.scope == model.ScopeAll {
		f.scope = model.ScopeConversations
		return
	}
	f.scope = model.ScopeAll
}

// describe returns the filters in force, in words: sources and folder, and those
// of the query as they are understood.
func (f *filters) describe(typed []query.Filter, now time.Time) []string {
	var all []string
	if len(f.sources) > 0 {
		all = append(all, kit.CleanLine("source "+strings.Join(f.sources, " or ")))
	}
	if f.folder != "" {
		all = append(all, kit.CleanLine("in "+f.folder))
	}
	for _, t := range typed {
		all = append(all, t.Describe(now))
	}
	return all
}

// toggleSource confines the list to a source as well, or no longer. The slice is a new
// one each time: a query that is being answered has the old one.
func (f *filters) toggleSource(source string) {
	if slices.Contains(f.sources, source) {
		if f.sources = slices.DeleteFunc(slices.Clone(f.sources), func(s string) bool { return s == source }); len(f.sources) == 0 {
			f.sources = nil
		}
		return
	}
	f.sources = append(slices.Clone(f.sources), source)
}

// scopeCommands are the scopes to choose from, with the count of each; ask runs
// the changed query.
func (f *filters) scopeCommands(counted facets, ask func() tea.Cmd) []shell.Command {
	var out []shell.Command
	for _, sc := range model.Scopes() {
		c := shell.Command{Words: "scope " + sc.String(), Help: "Show " + kit.ScopeName(sc), On: f.scope == sc, Do: func() tea.Cmd {
			f.scope = sc
			return ask()
		}}
		if counted.scopes != nil {
			c.Note = kit.Count(counted.scopes[sc])
		}
		out = append(out, c)
	}
	return out
}

// sourceCommands are the sources and folders to choose from.
func (f *filters) sourceCommands(counted facets, ask func() tea.Cmd) []shell.Command {
	var out []shell.Command
	add := func(words, help string, n int, on bool, change func()) {
		c := shell.Command{Words: kit.CleanLine(words), Help: help, On: on, Do: func() tea.Cmd {
			change()
			return ask()
		}}
		if n >= 0 {
			c.Note = kit.Count(n)
		}
		out = append(out, c)
	}
	if len(f.sources) > 0 {
		add("source all", "Show all sources", -1, false, func() { f.sources = nil })
	}
	for _, v := range counted.sources {
		on := slices.Contains(f.sources, v.Value)
		help := "Show only this source"
		switch {
		case on:
			help = "Hide this source"
		case len(f.sources) > 0:
			help = "Show this source too"
		}
		add("source "+v.Value, help, v.Conversations, on, func() {
			f.toggleSource(v.Value)
		})
	}
	if f.folder != "" {
		add("folder all", "Show all folders", -1, false, func() { f.folder = "" })
	}
	for _, v := range counted.folders {
		add("folder "+v.Value, "Show only this folder", v.Conversations, f.folder == v.Value, func() { f.folder = v.Value })
	}
	return out
}
