package list

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// facets are the parts of the history that the list can be confined to, with
// the number of conversations in each.
type facets struct {
	scopes   []int              // by scope, under the sources and the folder in force; nil while unknown
	sources  []query.FieldValue // the most frequent first
	folders  []query.FieldValue
	models   []query.FieldValue
	profiles []query.FieldValue // of several databases
	times    []int              // by spans, in the scope; nil while unknown
}

// span is a period of time, with the filter of the query language that selects it.
type span struct{ label, filter string }

// spans are those that can be chosen.
func spans() []span {
	return []span{
		{"Today", "after:today"},
		{"Last 7 days", "after:7d"},
		{"Last 30 days", "after:30d"},
		{"Last 90 days", "after:90d"},
		{"Last 12 months", "after:1y"},
		{"Older", "before:1y"},
	}
}

// facetCounter counts the facets when a box that shows them opens.
type facetCounter struct {
	read    *kit.Latest[query.ListOptions, facets]
	counted facets // as last counted
}

func newFacetCounter(ctx context.Context, lib shell.Library) facetCounter {
	return facetCounter{read: kit.NewLatest(ctx, func(ctx context.Context, q query.ListOptions) (facets, error) { return readFacets(ctx, lib, q) })}
}

// count counts again, under the filters in force.
func (c *facetCounter) count(f *filters) tea.Cmd {
	return c.read.Ask(query.ListOptions{Scope: f.scope, Sources: f.sources, CWD: f.folder})
}

// take takes the counts.
func (c *facetCounter) take(m kit.Answer[query.ListOptions, facets]) tea.Cmd {
	ok, next := c.read.Take(m)
	if ok && m.Err == nil {
		c.counted = m.Value
	}
	return next
}

// readFacets counts what each value would show if it were chosen, under the scope, the sources
// and the folder of q, without what is typed; a source as the only one. It runs in a command.
func readFacets(ctx context.Context, lib shell.Library, q query.ListOptions) (facets, error) {
	var f facets
	total := func(choose func(*query.ListOptions)) (int, error) {
		with := query.ListOptions{Scope: q.Scope, Sources: q.Sources, CWD: q.CWD, Limit: 1, NoPreviews: true}
		choose(&with)
		page, err := lib.Conversations(ctx, with)
		return page.Total, err
	}
	for _, sc := range model.Scopes() {
		n, err := total(func(with *query.ListOptions) { with.Scope = sc })
		if err != nil {
			return f, err
		}
		f.scopes = append(f.scopes, n)
	}
	for _, s := range spans() {
		n, err := total(func(with *query.ListOptions) { with.Filters = query.Parse(s.filter, false).Filters })
		if err != nil {
			return f, err
		}
		f.times = append(f.times, n)
	}
	for field, values := range map[query.Field]*[]query.FieldValue{query.FieldSource: &f.sources, query.FieldModel: &f.models, query.FieldProfile: &f.profiles} {
		all, err := lib.FieldValues(ctx, field)
		if err != nil {
			return f, err
		}
		*values = slices.Clone(all)
		for i := range *values {
			v := &(*values)[i]
			v.Conversations, err = total(func(with *query.ListOptions) {
				if with.Filters = []query.Filter{{Field: field, Value: v.Value}}; field == query.FieldSource {
					with.Sources, with.Filters = []string{v.Value}, nil
				}
			})
			if err != nil {
				return f, err
			}
		}
		mostFirst(*values)
	}
	// There may be many folders, so all rows are counted at once.
	all, err := lib.FieldValues(ctx, query.FieldCWD)
	if err != nil || len(all) == 0 {
		return f, err
	}
	page, err := lib.Conversations(ctx, query.ListOptions{Scope: q.Scope, Sources: q.Sources, NoPreviews: true})
	in := map[string]int{}
	for i := range page.Conversations {
		in[page.Conversations[i].CWD]++
	}
	f.folders = slices.Clone(all)
	for i := range f.folders {
		f.folders[i].Conversations = in[f.folders[i].Value]
	}
	mostFirst(f.folders)
	return f, err
}

// mostFirst sorts values by how often they are, and by name.
func mostFirst(values []query.FieldValue) {
	slices.SortFunc(values, func(a, b query.FieldValue) int {
		return cmp.Or(cmp.Compare(b.Conversations, a.Conversations), cmp.Compare(a.Value, b.Value))
	})
}

// facetPanel offers the facets in columns: scope, source, folder, which are filters
// beside the query, and model and time, which are written into it.
func (s *Screen) facetPanel() shell.OpenFacets {
	return shell.OpenFacets{
		Title: "Filter", Toggle: shell.Filter,
		Columns: func() []shell.FacetColumn { return s.facetColumns() },
		Moves:   func() int { return s.facets.read.Moves },
		Status: func() string {
			for _, c := range counts(&s.fetch, &s.results, s.env.Keys, s.sh.Styles().Spell("…"), 0) {
				found, _, _ := strings.Cut(c, " · ")
				return found
			}
			return ""
		},
	}
}

// facetColumns are the columns with what has been counted so far.
func (s *Screen) facetColumns() []shell.FacetColumn {
	f, counted := &s.filters, s.facets.counted
	changed := func(change func()) func() tea.Cmd {
		return func() tea.Cmd {
			change()
			return tea.Batch(s.ask(FirstPage), s.LoadCommands())
		}
	}
	scopes := shell.FacetColumn{Title: "Scope"}
	for i, sc := range model.Scopes() {
		n := -1
		if counted.scopes != nil {
			n = counted.scopes[i]
		}
		scopes.Values = append(scopes.Values, shell.Facet{Label: sc.String(), Count: n, On: f.scope == sc, Toggle: changed(func() { f.scope = sc })})
	}
	unknown := counted.scopes == nil && !s.facets.read.Settled()
	sources := shell.FacetColumn{Title: "Source", Counting: unknown}
	for _, v := range counted.sources {
		sources.Values = append(sources.Values, shell.Facet{Label: kit.CleanLine(v.Value), Count: v.Conversations, On: slices.Contains(f.sources, v.Value), Toggle: changed(func() { f.toggleSource(v.Value) })})
	}
	folders := shell.FacetColumn{Title: "Folder", Counting: unknown}
	for _, v := range counted.folders {
		on := f.folder == v.Value
		folders.Values = append(folders.Values, shell.Facet{Label: kit.CleanLine(kit.Folder(v.Value)), Note: kit.CleanLine(v.Value), Count: v.Conversations, On: on, Toggle: changed(func() {
			if f.folder = v.Value; on {
				f.folder = ""
			}
		})})
	}
	models := s.typedColumn("Model", query.FieldModel, counted.models, kit.ModelName)
	models.Counting = unknown
	when := shell.FacetColumn{Title: "When"}
	for i, shown := range spans() {
		n := -1
		if counted.times != nil {
			n = counted.times[i]
		}
		on := typedFilter(&s.prompt, shown.filter)
		when.Values = append(when.Values, shell.Facet{Label: shown.label, Count: n, On: on, Toggle: func() tea.Cmd {
			for _, other := range spans() {
				if typedFilter(&s.prompt, other.filter) {
					toggleTyped(&s.prompt, other.filter)
				}
			}
			if !on {
				toggleTyped(&s.prompt, shown.filter)
			}
			return s.edited(true)
		}})
	}
	columns := []shell.FacetColumn{scopes, sources, models, folders, when}
	if counted.scopes != nil && len(counted.folders) == 0 { // an old database has none
		columns = slices.Delete(columns, 3, 4)
	}
	if len(counted.profiles) > 1 {
		profiles := s.typedColumn("Profile", query.FieldProfile, counted.profiles, func(name string) string { return name })
		columns = slices.Insert(columns, 1, profiles)
	}
	return columns
}

func (s *Screen) typedColumn(title string, field query.Field, values []query.FieldValue, label func(string) string) shell.FacetColumn {
	column, same := shell.FacetColumn{Title: title}, map[string]int{}
	for _, v := range values {
		same[label(v.Value)]++
	}
	for _, v := range values {
		if strings.Contains(v.Value, `"`) || kit.CleanLine(v.Value) != v.Value {
			continue // it cannot be typed
		}
		name := label(v.Value)
		if same[name] > 1 {
			name = v.Value
		}
		filter := query.Filter{Field: field, Value: v.Value}.String()
		column.Values = append(column.Values, shell.Facet{Label: name, Note: v.Value, Count: v.Conversations, On: typedFilter(&s.prompt, filter), Toggle: func() tea.Cmd {
			toggleTyped(&s.prompt, filter)
			return s.edited(true)
		}})
	}
	return column
}

// typedAt returns where a filter stands in what is typed, in bytes; ok is false where it
// does not.
func typedAt(p *kit.Prompt, filter string) (start, end int, ok bool) {
	q, begin := p.Query()
	for _, t := range q.Tokens {
		if (t.Kind == query.TokenFilter || t.Kind == query.TokenIncomplete) && q.Text[t.Start:t.End] == filter {
			return begin + t.Start, begin + t.End, true
		}
	}
	return 0, 0, false
}

func typedFilter(p *kit.Prompt, filter string) bool {
	_, _, ok := typedAt(p, filter)
	return ok
}

// toggleTyped writes a filter behind what is typed, or takes it out.
func toggleTyped(p *kit.Prompt, filter string) {
	text := p.Text()
	start, end, ok := typedAt(p, filter)
	if !ok {
		p.Put(0, len(text), strings.TrimSpace(strings.TrimSpace(text)+" "+filter)+" ")
		return
	}
	rest := strings.TrimSpace(strings.TrimSpace(text[:start]) + " " + strings.TrimSpace(text[end:]))
	if rest != "" {
		rest += " "
	}
	p.Put(0, len(text), rest)
}
