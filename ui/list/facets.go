package list

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// facets are the parts of the history that the list can be confined to, with
// the number of conversations in each.
type facets struct {
	scopes  []int              // by scope, under the sources and the folder in force; nil while unknown
	sources []query.FieldValue // the most frequent first
	folders []query.FieldValue
}

// facetCounter counts the facets when a palette that shows them opens.
type facetCounter struct {
	read    *kit.Latest[query.ListOptions, facets]
	counted facets // as last counted
}

func newFacetCounter(ctx context.Context, lib shell.Library) facetCounter {
	return facetCounter{read: kit.NewLatest(ctx, func(ctx context.Context, q query.ListOptions) (facets, error) { return readFacets(ctx, lib, q) })}
}

// count counts again, under the filters in force.
func (c *facetCounter) count(f *filters) tea.Cmd {
	return c.read.Ask(query.ListOptions{Sources: f.sources, CWD: f.folder})
}

// take takes the counts.
func (c *facetCounter) take(m kit.Answer[query.ListOptions, facets]) tea.Cmd {
	ok, next := c.read.Take(m)
	if ok && m.Err == nil {
		c.counted = m.Value
	}
	return next
}

// readFacets counts, under the sources and the folder of q. It runs in a
// command.
func readFacets(ctx context.Context, lib shell.Library, q query.ListOptions) (facets, error) {
	var f facets
	for _, sc := range model.Scopes() {
		page, err := lib.Conversations(ctx, query.ListOptions{Scope: sc, Sources: q.Sources, CWD: q.CWD, Limit: 1})
		if err != nil {
			return f, err
		}
		f.scopes = append(f.scopes, page.Total)
	}
	var err error
	if f.sources, err = lib.FieldValues(ctx, query.FieldSource); err != nil {
		return f, err
	}
	f.folders, err = lib.FieldValues(ctx, query.FieldCWD)
	return f, err
}
