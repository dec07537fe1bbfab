package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// SearchOptions narrows [Store.SearchMessages].
type SearchOptions struct {
	Sources        []string // of the session, any of these; nil for all, empty for none
	ExcludeSources []string
	Roles          []string // of the message, any of these; empty for all
	Sort           SearchSort
	Limit          int // 0: 20, negative: all
	Offset         int
	Route          *[]string // where not nil, told by which roads the answer was found
}

// SearchSort is an order of messages that match.
type SearchSort string

// The orders. Relevance is FTS5's bm25 where its index alone answers, else
// newest first. Ties fall to relevance, then to the newer message.
const (
	Relevance SearchSort = "relevance" // also ""
	Newest    SearchSort = "newest"
	Oldest    SearchSort = "oldest"
)

// MessageHit is a message that matches, with what the documented call tells
// of it (store/README.md#search).
type MessageHit struct {
	ID             int64
	SessionID      string
	Role           string
	Snippet        string  // about 40 words, what matched between >>> and <<<
	Timestamp      float64 // seconds since the epoch
	ToolName       string  // "" for none
	Source         string
	Model          string           // "" for none
	SessionStarted float64          // seconds since the epoch
	Context        []ContextMessage // the message before, the hit, the message after
}

// ContextMessage is a neighbour of a hit.
type ContextMessage struct {
	Role    string
	Content string // its first 200 characters
}

// MarshalJSON gives the documented keys in their order.
func (h MessageHit) MarshalJSON() ([]byte, error) {
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	around := []any{}
	for _, c := range h.Context {
		around = append(around, Record{{Name: "role", Value: c.Role}, {Name: "content", Value: c.Content}})
	}
	return model.AppendJSON(nil, Record{
		{Name: "id", Value: h.ID},
		{Name: "session_id", Value: h.SessionID},
		{Name: "role", Value: h.Role},
		{Name: "snippet", Value: h.Snippet},
		{Name: "timestamp", Value: h.Timestamp},
		{Name: "tool_name", Value: orNull(h.ToolName)},
		{Name: "source", Value: h.Source},
		{Name: "model", Value: orNull(h.Model)},
		{Name: "session_started", Value: h.SessionStarted},
		{Name: "context", Value: around},
	}), nil
}

// SearchMessages finds messages of all sessions, subagents and earlier
// segments too (search_messages, store/README.md#search). The query is in the
// language of [model.ParseQuery]; its filters judge the conversation that a
// message belongs to, and a query of filters alone finds no message. total
// counts all that match, whatever the page holds.
//
// It differs from the documented call where that one fails its users: no query
// is an error (store/README.md#q1), escaped text is found (#q2), operators hold in
// every script (#q5, #q6, #q23), every snippet is marked and readable (#q20),
// context goes by id (#q17).
func (s *Store) SearchMessages(ctx context.Context, query string, o SearchOptions) (hits []MessageHit, total int, err error) {
	q := model.ParseQuery(query, false)
	if q.Empty() || o.Sources != nil && len(o.Sources) == 0 {
		return nil, 0, nil
	}
	version, err := s.DataVersion(ctx)
	if err != nil {
		return nil, 0, err
	}
	keeps, err := s.kept(ctx, q.Filters)
	if err != nil {
		return nil, 0, err
	}
	err = s.snapshot(ctx, func(db queryer) error {
		f := s.finder(db, q, version)
		ids, err := f.find(ctx)
		if err != nil {
			return err
		}
		if o.Route != nil {
			*o.Route = f.route
		}
		found, err := f.filter(ctx, ids, o, keeps)
		if err != nil {
			return err
		}
		total = len(found)
		if hits, err = f.page(ctx, found, o); err != nil {
			return err
		}
		if err := f.snippets(ctx, hits); err != nil {
			return err
		}
		return f.contexts(ctx, hits)
	})
	if err != nil {
		return nil, 0, s.wrap("search", cmp.Or(ctx.Err(), err))
	}
	return hits, total, nil
}

// dated is a message that passed the filters.
type dated struct {
	id   int64
	at   float64
	rank float64 // smaller is better, 0 without
}

// filter keeps what the options ask for. Times are read only where the order
// needs them: they stand behind the text of a row.
func (f *finder) filter(ctx context.Context, ids *ftsindex.Set, o SearchOptions, keeps func(session string) bool) ([]dated, error) {
	at := "NULL"
	if table, _ := f.ranking(); table == "" || o.Sort == Newest || o.Sort == Oldest {
		at = "m.timestamp"
	}
	query := `SELECT m.id, m.session_id, ` + at + ` FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE 1`
	args := []any{list(ids.All())}
	if len(o.Roles) > 0 {
		query += ` AND m.role IN (` + strings.TrimSuffix(strings.Repeat("?,", len(o.Roles)), ",") + `)`
		for _, r := range o.Roles {
			args = append(args, r)
		}
	}
	sessions := map[string]bool{}
	err := f.each(ctx, `SELECT id, source FROM sessions`, nil, func(scan func(...any) error) error {
		var id, source any
		err := scan(&id, &source)
		if s := text(source); (o.Sources == nil || slices.Contains(o.Sources, s)) && !slices.Contains(o.ExcludeSources, s) && keeps(text(id)) {
			sessions[text(id)] = true
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var found []dated
	err = f.each(ctx, query, args, func(scan func(...any) error) error {
		var d dated
		var session string
		var at any
		err := scan(&d.id, &session, &at)
		if sessions[session] {
			d.at, _ = float(at) // what is no time is the oldest
			found = append(found, d)
		}
		return err
	})
	return found, err
}

// page puts what was found in order and reads the part that is asked for.
func (f *finder) page(ctx context.Context, found []dated, o SearchOptions) ([]MessageHit, error) {
	ranks, err := f.ranks(ctx)
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].rank = ranks[found[i].id]
	}
	slices.SortFunc(found, func(a, b dated) int {
		switch o.Sort {
		case Newest:
			return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.rank, b.rank), cmp.Compare(b.id, a.id))
		case Oldest:
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
		}
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.at, a.at), cmp.Compare(b.id, a.id))
	})
	found = found[min(max(o.Offset, 0), len(found)):]
	if limit := cmp.Or(o.Limit, 20); limit > 0 {
		found = found[:min(limit, len(found))]
	}
	place := make(map[int64]int, len(found))
	page := make([]int64, len(found))
	for i, d := range found {
		page[i], place[d.id] = d.id, i
	}
	hits := make([]MessageHit, len(found))
	err = f.each(ctx, `SELECT m.id, m.session_id, m.role, m.timestamp, `+f.name+`, s.source, `+f.s.schema.column("sessions", "s", "model")+`, s.started_at
		FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value CROSS JOIN sessions s ON s.id = m.session_id`, []any{list(slices.Values(page))},
		func(scan func(...any) error) error {
			var v [8]any
			if err := scan(&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]); err != nil {
				return err
			}
			h := MessageHit{
				ID: number(v[0]), SessionID: text(v[1]), Role: text(v[2]), ToolName: text(v[4]), Source: text(v[5]), Model: text(v[6]),
			}
			h.Timestamp, _ = float(v[3])
			h.SessionStarted, _ = float(v[7])
			hits[place[h.ID]] = h
			return nil
		})
	return hits, err
}

// ranking gives the full-text table, and the question to it, that orders the
// whole answer by relevance; "" where no single one does.
func (f *finder) ranking() (table string, q question) {
	if f.words.table == "" {
		return "", q
	}
	if q, ok := f.question(); ok {
		return f.words.table, q
	}
	if f.grams.table == "" || f.grams.outside != "" {
		return "", q
	}
	var groups []question
	for _, g := range f.query.Groups {
		var all []question
		for _, t := range g.All {
			all = append(all, quoted(t.Text, false))
		}
		of := []question{allOf(all...)}
		for _, t := range g.None {
			of = append(of, quoted(t.Text, false))
		}
		for _, t := range slices.Concat(g.All, g.None) {
			if t.Words() != nil || len([]rune(t.Text)) < 3 {
				return "", q
			}
		}
		groups = append(groups, join("NOT", of))
	}
	return f.grams.table, anyOf(groups...)
}

func (f *finder) ranks(ctx context.Context) (map[int64]float64, error) {
	table, q := f.ranking()
	if table == "" {
		return nil, nil
	}
	ranks := map[int64]float64{}
	err := f.each(ctx, `SELECT rowid, rank FROM `+table+` WHERE `+table+` MATCH ?`, []any{q.sql()}, func(scan func(...any) error) error {
		var id int64
		var rank float64
		err := scan(&id, &rank)
		ranks[id] = rank
		return err
	})
	return ranks, err
}

// snippets cuts FTS5's own snippets where what matched is plain text, and ours
// elsewhere.
func (f *finder) snippets(ctx context.Context, hits []MessageHit) error {
	byIndex := map[int64]string{}
	page := make([]int64, len(hits))
	for i := range hits {
		page[i] = hits[i].ID
	}
	if q, ok := f.question(); ok && f.words.table != "" {
		// The plus keeps SQLite from asking the index once for each row.
		err := f.each(ctx, `SELECT rowid, snippet(messages_fts, -1, '>>>', '<<<', '...', 40) FROM messages_fts
			WHERE messages_fts MATCH ? AND +rowid IN (SELECT value FROM json_each(?))`, []any{q.sql(), list(slices.Values(page))},
			func(scan func(...any) error) error {
				var id int64
				var snippet any
				err := scan(&id, &snippet)
				byIndex[id] = text(snippet)
				return err
			})
		if err != nil {
			return err
		}
	}
	const width = 240 // about 40 words
	matcher := model.NewMatcher(f.query.Groups)
	messages := make(map[int64]model.Message, len(page))
	for chunk := range slices.Chunk(page, 500) {
		if err := f.s.readMessages(ctx, f.q, chunk, messages); err != nil {
			return err
		}
	}
	for i := range hits {
		m := messages[hits[i].ID]
		said, ok := matcher.Snippet(m.Content.Text, width)
		called, inCall := matcher.Snippet(callText(&m), width)
		switch s, indexed := byIndex[m.ID]; {
		case indexed && (m.Role == "tool" || ok && len(m.Content.Media) == 0):
			hits[i].Snippet = s
		case !ok && (inCall || !indexed && len(said) == 0):
			hits[i].Snippet = documented(called)
		case !ok && indexed: // in what nobody is shown, such as an image's data
			hits[i].Snippet = s
		default:
			hits[i].Snippet = documented(said)
		}
	}
	return nil
}

// documented writes a snippet the documented way.
func documented(s model.Snippet) string {
	var b strings.Builder
	for i, p := range s {
		t := p.Text
		if !p.Hit && i == 0 && strings.HasPrefix(t, "…") {
			t = "..." + strings.TrimPrefix(t, "…")
		}
		if !p.Hit && i == len(s)-1 && strings.HasSuffix(t, "…") {
			t = strings.TrimSuffix(t, "…") + "..."
		}
		if p.Hit {
			t = ">>>" + t + "<<<"
		}
		b.WriteString(t)
	}
	return b.String()
}

// contexts looks up the neighbours of each hit in its session, by id: clocks
// step back, and ids have an index (store/README.md#q17).
func (f *finder) contexts(ctx context.Context, hits []MessageHit) error {
	sessions := map[string][]int64{}
	around := make([][]int64, len(hits))
	var wanted []int64
	for i, h := range hits {
		ids, ok := sessions[h.SessionID]
		if !ok {
			err := f.each(ctx, `SELECT m.id FROM messages m WHERE m.session_id = ? AND `+f.s.schema.said("m")+f.s.schema.unlessHidden("m"),
				[]any{h.SessionID}, func(scan func(...any) error) error {
					var id int64
					err := scan(&id)
					ids = append(ids, id)
					return err
				})
			if err != nil {
				return err
			}
			slices.Sort(ids)
			sessions[h.SessionID] = ids
		}
		if n, ok := slices.BinarySearch(ids, h.ID); ok {
			around[i] = ids[max(0, n-1):min(len(ids), n+2)]
			wanted = append(wanted, around[i]...)
		}
	}
	said := map[int64]ContextMessage{}
	err := f.each(ctx, `SELECT m.id, m.role, m.content FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{list(slices.Values(wanted))},
		func(scan func(...any) error) error {
			var id int64
			var role, content any
			err := scan(&id, &role, &content)
			said[id] = ContextMessage{Role: text(role), Content: glimpse(content)}
			return err
		})
	if err != nil {
		return err
	}
	for i := range hits {
		for _, id := range around[i] {
			hits[i].Context = append(hits[i].Context, said[id])
		}
	}
	return nil
}

// glimpse gives the first 200 characters of what a message says
// (store/README.md#search-context).
func glimpse(content any) string {
	stored, ok := content.(string)
	if !ok {
		return ""
	}
	v, _ := model.StoredContent(stored) // what is not JSON is shown as it stands
	said, ok := v.(string)
	if parts, isList := v.([]any); isList {
		var texts []string
		for _, p := range parts {
			o, _ := p.(model.Object)
			if t, _ := o.Get("text").(string); t != "" {
				texts = append(texts, t)
			}
		}
		if said, ok = strings.TrimSpace(strings.Join(texts, " ")), true; said == "" {
			said = "[multimodal content]"
		}
	}
	if !ok {
		return ""
	}
	n := 0
	for i := range said {
		if n == 200 {
			return said[:i]
		}
		n++
	}
	return said
}
