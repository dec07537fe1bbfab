package store

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

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
// compaction are (store-behaviour 5.3). The error is context.Canceled soon
// after ctx is.
func (s *Store) Search(ctx context.Context, q model.Query, list model.ListQuery) (model.Results, error) {
	list.Filters = slices.Concat(list.Filters, q.Filters)
	if q.Empty() {
		page, err := s.Conversations(ctx, list)
		res := model.Results{
			Conversations: page.Total, HiddenConversations: page.Hidden, Hints: page.Hints,
			Route: []string{"the list of sessions"},
		}
		for _, c := range page.Conversations {
			res.Matches = append(res.Matches, model.Match{Conversation: c})
		}
		return res, err
	}
	c, err := s.catalog(ctx)
	if err != nil {
		return model.Results{}, err
	}
	conv, of := c.conv, c.of
	if list.Sessions {
		conv, of = c.lineage.Each(s.now()), c.index
	}
	v, err := s.sift(ctx, c, conv, list, true)
	if err != nil {
		return model.Results{}, err
	}
	res := model.Results{Hints: v.hints}
	scores := make([]score, len(conv))
	err = s.snapshot(ctx, func(db queryer) error {
		f := s.finder(db, q, c.version)
		ids, err := f.find(ctx)
		if err != nil {
			return err
		}
		res.Note, res.Route = f.note, f.route
		return f.attach(ctx, ids, func(h hit) {
			if i, ok := of[h.session]; ok {
				scores[i].add(h)
			}
		})
	})
	if err != nil {
		return model.Results{}, s.wrap("search", cmp.Or(ctx.Err(), err))
	}
	names := newNames(q)
	byMessage := slices.ContainsFunc(q.Filters, model.Filter.OfMessages)
	var found []int
	hidden := map[model.Scope]int{}
	for i := range conv {
		m, t := &conv[i], &scores[i]
		if !v.keeps(m) {
			continue
		}
		var ok bool
		if t.why, ok = names.match(m); byMessage {
			ok = false
		}
		if !ok && t.hits() == 0 {
			continue
		}
		t.named = ok
		if list.Shows(m.Scope) {
			found = append(found, i)
			res.Conversations++
			res.Hits += t.hits()
		} else {
			hidden[m.Scope] += max(1, t.hits())
			res.HiddenConversations++
			res.Hidden += t.hits()
		}
	}
	res.HiddenIn = most(hidden)
	inOrder := list.Sort.Order()
	slices.SortFunc(found, func(a, b int) int {
		if list.Sort == model.ByRelevance {
			if c := cmp.Compare(scores[b].relevance(), scores[a].relevance()); c != 0 {
				return c
			}
		}
		return inOrder(&conv[a], &conv[b])
	})
	found = found[min(max(list.Offset, 0), len(found)):]
	if list.Limit > 0 {
		found = found[:min(list.Limit, len(found))]
	}
	page := make([]model.Conversation, len(found))
	for i, n := range found {
		page[i] = conv[n]
	}
	if err := s.dress(ctx, page); err != nil {
		return model.Results{}, cmp.Or(ctx.Err(), err)
	}
	best, err := s.best(ctx, q, scores, found)
	if err != nil {
		return model.Results{}, cmp.Or(ctx.Err(), err)
	}
	for i, n := range found {
		m := model.Match{Conversation: page[i], Hits: scores[n].hits()}
		var ok bool
		if m.Best, ok = best[n]; !ok {
			m.Best = names.hit(&page[i], scores[n].why)
		}
		res.Matches = append(res.Matches, m)
	}
	return res, nil
}

// best finds the best hit of each of the scores that found names. The newest
// message of the agent may match by its tool calls alone: then the ones before
// it are looked at, and it is best only when they say nothing either.
func (s *Store) best(ctx context.Context, q model.Query, scores []score, found []int) (map[int]model.Hit, error) {
	best := make(map[int]model.Hit, len(found))
	for round := range newestSaid + 1 {
		wanted := map[int64]int{}
		for _, n := range found {
			if h, ok := best[n]; ok && h.Why != model.WhyTool {
				continue
			}
			if id := scores[n].candidate(round); id != 0 {
				wanted[id] = n
			}
		}
		if len(wanted) == 0 {
			break
		}
		hits, err := s.hits(ctx, q, slices.Collect(maps.Keys(wanted)))
		if err != nil {
			return nil, err
		}
		for id, h := range hits {
			n := wanted[id]
			if _, ok := best[n]; !ok || h.Why != model.WhyTool {
				best[n] = h
			}
		}
	}
	return best, nil
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
	hits, err := s.hits(ctx, q, ids)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	out := make([]model.Hit, 0, len(ids))
	for _, id := range ids {
		if h, ok := hits[id]; ok { // else deleted meanwhile
			out = append(out, h)
		}
	}
	return out, nil
}

// HitIDs gives the ids of all messages of one conversation that match, in
// reading order. id is any session of it. No message is read for its text,
// which is most of what [Store.Hits] takes.
func (s *Store) HitIDs(ctx context.Context, q model.Query, id string) ([]int64, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	i, ok := c.of[id]
	if !ok {
		return nil, s.notFound(id)
	}
	segments := c.conv[i].Segments
	bySegment := make([][]int64, len(segments))
	err = s.snapshot(ctx, func(db queryer) error {
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
		return f.attach(ctx, ids, func(h hit) {
			if n := slices.Index(segments, h.session); n >= 0 {
				bySegment[n] = append(bySegment[n], h.id)
			}
		})
	})
	if err != nil {
		return nil, s.wrap("search", cmp.Or(ctx.Err(), err))
	}
	return slices.Concat(bySegment...), nil
}

// hit is a message that matches and may be shown.
type hit struct {
	id      int64
	session string
	tool    bool // said by a tool, not by somebody
}

// attach looks up the messages behind ids, ascending, and leaves out those
// that stand in no transcript.
func (f *finder) attach(ctx context.Context, ids []int64, each func(hit)) error {
	if len(ids) == 0 {
		return nil
	}
	var h hit
	return f.each(ctx, `SELECT m.id, m.session_id, m.role IS 'tool' FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value
		WHERE m.role <> 'session_meta'`, []any{list(ids)},
		func(scan func(...any) error) error {
			err := scan(&h.id, &h.session, &h.tool)
			each(h)
			return err
		})
}

// newestSaid is how many messages of people a conversation is judged by.
const newestSaid = 4

// score is what matched of one conversation.
type score struct {
	said, tools int               // messages
	newest      [newestSaid]int64 // said, in a ring
	lastTool    int64
	named       bool // title, id or source match
	why         model.Why
}

func (t *score) add(h hit) {
	if h.tool {
		t.tools++
		t.lastTool = h.id
	} else {
		t.newest[t.said%newestSaid] = h.id
		t.said++
	}
}

func (t *score) hits() int { return t.said + t.tools }

// candidate gives the messages that may be the best hit, one a round: what was
// said, newest first, then the newest of a tool; 0 when there are no more.
func (t *score) candidate(round int) int64 {
	switch said := min(t.said, newestSaid); {
	case round < said:
		return t.newest[(t.said-1-round)%newestSaid]
	case round == said:
		return t.lastTool
	}
	return 0
}

func (t *score) relevance() int {
	n := int(math.Log2(float64(1 + 2*t.said + t.tools)))
	if t.named && t.why == model.WhyTitle {
		n += 100
	}
	return n
}

// most gives the scope with the most hits, the first of equals.
func most(hidden map[model.Scope]int) model.Scope {
	best := model.Conversations
	for scope := model.Conversations; scope <= model.Everything; scope++ {
		if hidden[scope] > hidden[best] {
			best = scope
		}
	}
	return best
}

// names matches a query with what a conversation is called.
type names struct {
	matcher *model.Matcher
	id      string          // the query, where it may be the beginning of an id
	sources map[string]bool // words of the query, lower case
}

// shortestID is how much of an id must be typed to find by it: 2026 is a word.
const shortestID = 6

func newNames(q model.Query) *names {
	n := &names{matcher: model.NewMatcher(q), sources: map[string]bool{}}
	terms := q.Terms()
	for _, t := range terms {
		n.sources[strings.ToLower(t.Text)] = true
	}
	if len(terms) == 1 && len(terms[0].Text) >= shortestID {
		n.id = strings.ToLower(terms[0].Text)
	}
	return n
}

// match says what of a conversation's names matches, if anything.
func (n *names) match(m *model.Conversation) (model.Why, bool) {
	if m.Title != "" && n.matcher.Match(m.Title) {
		return model.WhyTitle, true
	}
	if n.id != "" && slices.ContainsFunc(m.Segments, n.begins) {
		return model.WhyID, true
	}
	if n.sources[strings.ToLower(m.Source)] && n.matcher.Match(m.Title, m.Source) {
		return model.WhySource, true
	}
	return 0, false
}

func (n *names) begins(id string) bool { return strings.HasPrefix(strings.ToLower(id), n.id) }

// hit shows a name that matched.
func (n *names) hit(m *model.Conversation, why model.Why) model.Hit {
	h := model.Hit{SessionID: m.ID, At: m.LastActive, Why: why}
	switch why {
	case model.WhyTitle:
		h.Snippet, _ = n.matcher.Snippet(m.Title, snippetWidth)
	case model.WhyID:
		if i := slices.IndexFunc(m.Segments, n.begins); i >= 0 {
			h.SessionID = m.Segments[i]
		}
		typed := min(len(n.id), len(h.SessionID))
		h.Snippet = model.Snippet{{Text: h.SessionID[:typed], Hit: true}, {Text: h.SessionID[typed:]}}
	case model.WhySource:
		h.Snippet = model.Snippet{{Text: m.Source, Hit: true}}
	}
	return h
}

// hits reads messages and cuts their snippets.
func (s *Store) hits(ctx context.Context, q model.Query, ids []int64) (map[int64]model.Hit, error) {
	matcher := model.NewMatcher(q)
	out := make(map[int64]model.Hit, len(ids))
	for chunk := range slices.Chunk(ids, 200) { // the texts of a chunk are in memory at once
		messages, err := s.MessagesByID(ctx, chunk)
		if err != nil {
			return nil, err
		}
		for i := range messages {
			m := &messages[i]
			h := model.Hit{MessageID: m.ID, SessionID: m.SessionID, Role: m.Role, ToolName: m.ToolName, At: m.At}
			h.Snippet, h.Why = cut(matcher, m)
			out[m.ID] = h
		}
	}
	return out, nil
}

// cut shows where a message matches: in what was said, else in a tool's name
// and arguments, spelled for people (quirk Q20).
func cut(matcher *model.Matcher, m *model.Message) (model.Snippet, model.Why) {
	why := model.WhyAgent
	switch m.Role {
	case "user":
		why = model.WhyUser
	case "tool":
		why = model.WhyTool
	}
	said, ok := matcher.Snippet(m.Content.Text, snippetWidth)
	if ok {
		return said, why
	}
	calls := callText(m)
	if called, ok := matcher.Snippet(calls, snippetWidth); ok {
		return called, model.WhyTool
	}
	if len(said) > 0 {
		return said, why // matched in what is not shown, or only taken together
	}
	called, _ := matcher.Snippet(calls, snippetWidth)
	return called, model.WhyTool
}

// callText gives the names and arguments of a message's tool calls in one
// text.
func callText(m *model.Message) string {
	var b strings.Builder
	b.WriteString(m.ToolName)
	for _, c := range m.Calls {
		b.WriteString(" " + c.Name + " ")
		v, err := model.ParseJSON(c.Arguments)
		if err != nil {
			b.WriteString(unescape(c.Arguments)) // not JSON: as it stands
			continue
		}
		writeLeaves(&b, v)
	}
	return strings.TrimSpace(b.String())
}

// writeLeaves writes what stands in a JSON value, without its punctuation.
func writeLeaves(b *strings.Builder, v any) {
	switch v := v.(type) {
	case model.Object:
		for _, f := range v {
			b.WriteString(f.Name + ": ")
			writeLeaves(b, f.Value)
			b.WriteByte(' ')
		}
	case []any:
		for _, e := range v {
			writeLeaves(b, e)
			b.WriteByte(' ')
		}
	case string:
		b.WriteString(v)
	default:
		b.Write(model.AppendJSON(nil, v))
	}
}
