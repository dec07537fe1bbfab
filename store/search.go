package store

import (
	"cmp"
	"context"
	"math"
	"slices"

	"hermes-sessions/model"
)

// snippetWidth is how many columns a snippet has at most. The marked words
// stand in its first half, so that a narrow screen may cut its end.
const snippetWidth = 120

// Search finds conversations: those with a message, or a title, id or source,
// that matches the query. A message matches by itself: all words in one. The
// filters of the query and those of list hold together; a query of filters
// alone lists. With filters on messages (role:, tool:) only messages match.
//
// The order is that of list.Sort. By relevance means: a matching title first,
// then how many messages match, those of people counting twice those of tools
// (by powers of two), then the last activity. The best hit is the newest, and
// one that somebody said rather than a tool's.
//
// Rewound and hidden messages are never found, archived ones of in-place
// compaction are (store/README.md#hidden-rows). Which messages there are, whose they
// are, and which conversations there are by what titles is that of one moment
// between the call and its return. What else is told of a session that another
// process has changed, such as a pin, a cost or its end, may be as [Store.Prepare]
// or the list have last read it: no key waits for all sessions to be read again.
// The error is context.Canceled soon
// after ctx is.
func (s *Store) Search(ctx context.Context, q model.Query, list model.ListQuery) (model.Results, error) {
	list.Filters = slices.Concat(list.Filters, q.Filters)
	if q.Empty() {
		page, err := s.Conversations(ctx, list)
		res := model.Results{
			Conversations: page.Total, HiddenConversations: page.Hidden, Hints: page.Hints,
			Route: []string{"the list of sessions"}, Partial: page.Partial,
		}
		for _, c := range page.Conversations {
			res.Matches = append(res.Matches, model.Match{Conversation: c})
		}
		return res, err
	}
	var res model.Results
	err := s.moment(ctx, func(db queryer, c *catalog) (err error) {
		res, err = s.search(ctx, db, c, q, list)
		return err
	})
	if err != nil {
		return model.Results{}, s.wrap("search", cmp.Or(ctx.Err(), err))
	}
	return res, nil
}

// manyNames is how many conversations take long enough to match by name to do it
// beside the messages.
const manyNames = 10_000

// search finds conversations at one moment, that of db and c.
func (s *Store) search(ctx context.Context, db queryer, c *catalog, q model.Query, list model.ListQuery) (model.Results, error) {
	shelf := c.shelf
	if list.Sessions {
		shelf = newShelf(c, s.now(), true)
	}
	v, err := s.sift(ctx, c, shelf, list, true)
	if err != nil {
		return model.Results{}, err
	}
	res := model.Results{Hints: v.hints}
	if err := s.findOwners(ctx, db, c); err != nil {
		return model.Results{}, err
	}
	t := tally{shelf: shelf, counted: s.spare.take(len(shelf.scopes))}
	defer t.giveBack(&s.spare)
	names := newNames(q)
	if err := s.countMatches(ctx, db, c, q, names, &t, &res); err != nil {
		return model.Results{}, err
	}
	found := t.shown(v, list, &res)
	from, to := max(list.Offset, 0), math.MaxInt
	if list.Limit > 0 && list.Limit < to-from {
		to = from + list.Limit
	}
	found = t.inOrder(found, list.Sort, to)
	found = found[min(from, len(found)):min(to, len(found))]
	page := make([]model.Conversation, len(found))
	for at, n := range found {
		page[at] = shelf.conversation(n)
	}
	var best map[int32]model.Hit
	err = abreastIf(!s.dressed(c, found), func() (err error) {
		best, err = s.best(ctx, db, q, &t, found)
		return err
	}, func() error { return s.dressBy(ctx, page, c.dressKeys(found)) })
	if err != nil {
		return model.Results{}, err
	}
	res.Matches = make([]model.Match, len(found))
	for at, n := range found {
		m := &res.Matches[at]
		m.Conversation, m.Hits = page[at], t.scores[n].all()
		var ok bool
		if m.Best, ok = best[n]; !ok {
			m.Best = names.hit(&m.Conversation, t.names[n])
		}
	}
	return res, nil
}

// countMatches counts the messages and the names that match, and tells in res
// how the messages were found.
func (s *Store) countMatches(ctx context.Context, db queryer, c *catalog, q model.Query, names *names, t *tally, res *model.Results) error {
	var named []int32
	err := abreastIf(len(t.shelf.scopes) > manyNames, func() error {
		f := s.finder(db, q, c.version)
		f.known = surveyedOf(c)
		ids, err := f.find(ctx)
		res.Note, res.Route = f.note, f.route
		if err == nil {
			err = t.count(ctx, f, c, ids)
		}
		return err
	}, func() error {
		if !slices.ContainsFunc(q.Filters, model.Filter.OfMessages) {
			named = names.match(t.shelf, t.names)
		}
		return nil
	})
	if err == nil {
		t.addNamed(named)
	}
	return err
}

// shown gives the conversations with matches that the filters keep and the scope
// of a list shows, in no order, and counts in res what is shown and what is not.
func (t *tally) shown(v *sieve, list model.ListQuery, res *model.Results) []int32 {
	found := slices.Grow(t.found, len(t.touched))
	t.found = found
	keeps, shows := v.of(t.shelf), shown(list)
	var hidden [model.Everything + 1]int
	for _, i := range t.touched {
		if !keeps(i) {
			continue
		}
		hits := t.scores[i].all()
		if scope := model.Scope(t.shelf.scopes[i]); shows[scope] {
			found = append(found, i)
			res.Conversations++
			res.Hits += hits
		} else {
			hidden[scope] += max(1, hits)
			res.HiddenConversations++
			res.Hidden += hits
		}
	}
	res.HiddenIn = most(hidden)
	return found
}

// Hits gives the first messages of one conversation that match, in reading
// order: at most limit of them, all when it is 0. id is any session of it.
func (s *Store) Hits(ctx context.Context, q model.Query, id string, limit int) ([]model.Hit, error) {
	ids, err := s.HitIDs(ctx, q, id)
	if err != nil {
		return nil, err
	}
	if limit > 0 {
		ids = ids[:min(limit, len(ids))]
	}
	found := make(map[int64]model.Hit, len(ids))
	for chunk := range slices.Chunk(ids, textsAtOnce) {
		read, err := s.passages(ctx, s.db, chunk)
		if err != nil {
			return nil, cmp.Or(ctx.Err(), err)
		}
		for _, h := range hits(q, read, false) {
			found[h.MessageID] = h
		}
	}
	out := make([]model.Hit, 0, len(ids))
	for _, id := range ids {
		if h, ok := found[id]; ok { // else deleted meanwhile
			out = append(out, h)
		}
	}
	return out, nil
}

// HitIDs gives the ids of all messages of one conversation that match, in
// reading order. id is any session of it. No message is read for its text,
// which is most of what [Store.Hits] takes.
func (s *Store) HitIDs(ctx context.Context, q model.Query, id string) ([]int64, error) {
	var bySegment [][]int64
	found := true
	err := s.moment(ctx, func(db queryer, c *catalog) error {
		var m model.Conversation
		if m, found = c.conversationOf(id); !found {
			return nil
		}
		segments := m.Segments
		bySegment = make([][]int64, len(segments))
		f := s.finder(db, q, c.version)
		f.from, f.to = math.MaxInt64, math.MinInt64
		for _, segment := range segments {
			err := f.each(ctx, `SELECT min(id), max(id) FROM messages WHERE session_id = ?`, []any{segment}, func(scan func(...any) error) error {
				var first, last any
				err := scan(&first, &last)
				if first != nil {
					f.from, f.to = min(f.from, number(first)), max(f.to, number(last))
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		if f.from > f.to {
			return nil // no messages
		}
		ids, err := f.find(ctx)
		if err != nil {
			return err
		}
		ids.Clip(f.from, f.to)
		t := tally{}
		if err := t.attach(ctx, f, c, ids); err != nil {
			return err
		}
		for id := range t.all.All() {
			if n := t.session(id); n >= 0 {
				if at := slices.Index(segments, c.id(int(n))); at >= 0 {
					bySegment[at] = append(bySegment[at], id)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, s.wrap("search", cmp.Or(ctx.Err(), err))
	}
	if !found {
		return nil, s.notFound(id)
	}
	return slices.Concat(bySegment...), nil
}

// most gives the scope with the most hits, the first of equals.
func most(hidden [model.Everything + 1]int) model.Scope {
	best := model.Conversations
	for scope := model.Conversations; scope <= model.Everything; scope++ {
		if hidden[scope] > hidden[best] {
			best = scope
		}
	}
	return best
}
