package main

import (
	"context"
	"strings"

	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// program answers a query with the roots of conversations, best first.
type program struct {
	name   string
	search func(ctx context.Context, text string) ([]string, error)
}

// newPrograms returns the programs that are compared, the browser first.
func newPrograms(ctx context.Context, s *store.Store) ([]program, error) {
	picker, err := newPicker(ctx, s)
	if err != nil {
		return nil, err
	}
	return []program{
		{"browser", browser(s)},
		{"search_messages", hermes(s)},
		{"title, preview, id", picker},
	}, nil
}

// browserPage is how many rows the browser requests with a key.
const browserPage = 100

// browser asks as the list of the browser does when the last key of the query was
// pressed, in its default scope and order.
func browser(s *store.Store) func(context.Context, string) ([]string, error) {
	return func(ctx context.Context, text string) ([]string, error) {
		q := query.Parse(text, true)
		list := query.ListOptions{Filters: q.Filters, PinnedFirst: true, Limit: browserPage, FirstPage: true, Closest: true}
		var roots []string
		if q.FiltersOnly() {
			page, err := s.Conversations(ctx, list)
			for _, c := range page.Conversations {
				roots = append(roots, c.RootID)
			}
			return roots, err
		}
		list.Order = query.ByRelevance
		found, err := s.Search(ctx, q, list)
		for i := range found.Matches {
			roots = append(roots, found.Matches[i].RootID)
		}
		return roots, err
	}
}

// hermesPage is how many messages search_messages is asked for.
const hermesPage = 50

// hermes asks as Hermes does: single messages by rank, each for its conversation.
func hermes(s *store.Store) func(context.Context, string) ([]string, error) {
	rootOf := map[string]string{}
	return func(ctx context.Context, text string) ([]string, error) {
		hits, _, err := s.SearchMessages(ctx, text, store.SearchOptions{Limit: hermesPage})
		if err != nil {
			return nil, err
		}
		var roots []string
		seen := map[string]bool{}
		for _, h := range hits {
			root, ok := rootOf[h.SessionID]
			if !ok {
				c, err := s.Conversation(ctx, h.SessionID)
				if err != nil {
					return nil, err
				}
				root = c.RootID
				rootOf[h.SessionID] = root
			}
			if !seen[root] {
				seen[root] = true
				roots = append(roots, root)
			}
		}
		return roots, nil
	}
}

// newPicker looks for the whole query in titles, previews and ids, as the simplest
// picker of sessions does. The newest conversation is first.
func newPicker(ctx context.Context, s *store.Store) (func(context.Context, string) ([]string, error), error) {
	page, err := s.Conversations(ctx, query.ListOptions{Order: query.ByActivity})
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, text string) ([]string, error) {
		text = strings.ToLower(text)
		var roots []string
		for i := range page.Conversations {
			c := &page.Conversations[i]
			for _, field := range []string{c.Title, c.Preview, c.ID} {
				if strings.Contains(strings.ToLower(field), text) {
					roots = append(roots, c.RootID)
					break
				}
			}
		}
		return roots, nil
	}, nil
}
