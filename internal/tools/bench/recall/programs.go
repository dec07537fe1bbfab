package main

import (
	"context"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// program answers a query.
type program struct {
	name   string
	search func(ctx context.Context, text string) (found, error)
}

// found is an answer: the roots of conversations, best first.
type found struct {
	roots []string

	// Of the browser.
	took         time.Duration // without the search for those further away
	close        int           // how many of roots have not all words in one message
	furtherCount int           // how many conversations are further away, and so not among roots
	withFurther  []string      // roots and those further away, nil where there are none
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
func browser(s *store.Store) func(context.Context, string) (found, error) {
	return func(ctx context.Context, text string) (all found, err error) {
		q := query.Parse(text, true)
		list := query.ListOptions{Filters: q.Filters, PinnedFirst: true, Limit: browserPage, FirstPage: true, Closest: true}
		if q.FiltersOnly() {
			page, err := s.Conversations(ctx, list)
			for _, c := range page.Conversations {
				all.roots = append(all.roots, c.RootID)
			}
			return all, err
		}
		list.Order = query.ByRelevance
		start := time.Now()
		res, err := s.Search(ctx, q, list)
		all.took = time.Since(start)
		for i := range res.Matches {
			all.roots = append(all.roots, res.Matches[i].RootID)
			if res.Matches[i].Tier() >= model.Apart {
				all.close++
			}
		}
		if all.furtherCount = res.Further; err != nil || all.furtherCount == 0 {
			return all, err
		}
		list.Further = true
		res, err = s.Search(ctx, q, list)
		for i := range res.Matches {
			all.withFurther = append(all.withFurther, res.Matches[i].RootID)
		}
		return all, err
	}
}

// hermesPage is how many messages search_messages is asked for.
const hermesPage = 50

// hermes asks as Hermes does: single messages by rank, each for its conversation.
func hermes(s *store.Store) func(context.Context, string) (found, error) {
	rootOf := map[string]string{}
	return func(ctx context.Context, text string) (found, error) {
		hits, _, err := s.SearchMessages(ctx, text, store.SearchOptions{Limit: hermesPage})
		if err != nil {
			return found{}, err
		}
		var roots []string
		seen := map[string]bool{}
		for _, h := range hits {
			root, ok := rootOf[h.SessionID]
			if !ok {
				c, err := s.Conversation(ctx, h.SessionID)
				if err != nil {
					return found{}, err
				}
				root = c.RootID
				rootOf[h.SessionID] = root
			}
			if !seen[root] {
				seen[root] = true
				roots = append(roots, root)
			}
		}
		return found{roots: roots}, nil
	}
}

// newPicker looks for the whole query in titles, previews and ids, as the simplest
// picker of sessions does. The newest conversation is first.
func newPicker(ctx context.Context, s *store.Store) (func(context.Context, string) (found, error), error) {
	page, err := s.Conversations(ctx, query.ListOptions{Order: query.ByActivity})
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, text string) (found, error) {
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
		return found{roots: roots}, nil
	}, nil
}
