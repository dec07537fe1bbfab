package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/prose"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/ftsquery"
)

// Options narrows [Engine.SearchMessages].
type Options struct {
	Sources        []string // of the session, any of these; nil for all, empty for none
	ExcludeSources []string
	Roles          []string // of the message, any of these; empty for all
	Sort           Sort
	Limit          int // 0: 20, negative: all
	Offset         int
	Plan           *[]string // when not nil, it is set to the steps that led to the answer
	Hints          *[]string // when not nil, it is set to the filters that this database cannot answer, and why

	Filters []query.Filter // when not nil, in place of the query's: [query.Resolve] says what notes mean
}

// Sort is an order of messages that match.
type Sort string

// The orders. Relevance is FTS5's bm25 where its index alone answers, else
// newest first. Ties fall to relevance, then to the newer message.
const (
	Relevance Sort = "relevance" // also ""
	Newest    Sort = "newest"
	Oldest    Sort = "oldest"
)

// SearchMessages finds messages of all sessions (search_messages, store/README.md#search);
// see store.Store.SearchMessages for the contract. total counts all messages that match,
// not only those of the page.
func (e *Engine) SearchMessages(ctx context.Context, text string, o Options) (hits []MessageHit, total int, err error) {
	q := query.ParseForMessages(text)
	if q.FiltersOnly() || o.Sources != nil && len(o.Sources) == 0 {
		return nil, 0, nil
	}
	version, err := e.db.DataVersion(ctx)
	if err != nil {
		return nil, 0, err
	}
	if o.Filters != nil {
		q.Filters = o.Filters
	}
	keeps, hints, err := e.roleFilterPredicate(ctx, q.Filters)
	if err != nil {
		return nil, 0, err
	}
	if o.Hints != nil {
		*o.Hints = hints
	}
	err = e.db.ReadTx(ctx, func(conn db.Querier) error {
		s := messageSearch{e.newExecutor(conn, q, version)}
		ids, err := s.messages(ctx)
		if err != nil {
			return err
		}
		if o.Plan != nil {
			*o.Plan = s.plan
		}
		found, err := s.filterByOptions(ctx, ids, o, keeps)
		if err != nil {
			return err
		}
		total = len(found)
		if hits, err = s.sortedPage(ctx, found, o); err != nil {
			return err
		}
		if err := s.snippets(ctx, hits); err != nil {
			return err
		}
		return s.contexts(ctx, hits)
	})
	if db.IsCorrupt(err) {
		hits, total, err = messageSearch{e.newExecutor(e.db.Pool, q, 0)}.salvaged(ctx, o, keeps)
	}
	if err != nil {
		return nil, 0, e.db.WrapError("search", cmp.Or(ctx.Err(), err))
	}
	return hits, total, nil
}

// messageSearch is the part of [Engine.SearchMessages] after the messages are
// found: the options, the order, a page, its snippets and contexts.
type messageSearch struct{ *executor }

// rankedMessage is a message that matches and passes the options.
type rankedMessage struct {
	id        int64
	timestamp float64
	rank      float64 // FTS5's bm25: smaller is better, 0 without one
}

// filterByOptions returns the messages that the options ask for and whose session keeps
// accepts. Times are read only where the order needs them: their column
// is stored behind the text of a row.
func (s messageSearch) filterByOptions(ctx context.Context, ids *idset.Set, o Options, keeps func(session string) bool) ([]rankedMessage, error) {
	at := "NULL"
	if table, _ := s.rankQuery(); table == "" || o.Sort == Newest || o.Sort == Oldest {
		at = "m.timestamp"
	}
	query := `SELECT m.id, m.session_id, ` + at + ` FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE 1`
	args := []any{db.JSONList(ids.All())}
	if len(o.Roles) > 0 {
		query += ` AND m.role IN (` + strings.TrimSuffix(strings.Repeat("?,", len(o.Roles)), ",") + `)`
		for _, r := range o.Roles {
			args = append(args, r)
		}
	}
	sessions := map[string]bool{}
	err := db.EachRow(ctx, s.tx, `SELECT id, source FROM sessions`, nil, func(r db.Row) {
		source := r.Text(1)
		sessions[r.Text(0)] = (o.Sources == nil || slices.Contains(o.Sources, source)) && !slices.Contains(o.ExcludeSources, source) && keeps(r.Text(0))
	})
	if err != nil {
		return nil, err
	}
	var found []rankedMessage
	missed := ids.Clone()
	err = db.EachRow(ctx, s.tx, query, args, func(r db.Row) {
		missed.Remove(r.Int(0))
		kept, known := sessions[r.Text(1)]
		if !known {
			s.engine.db.AddNote(model.NoteDangling)
		}
		if kept {
			at, _ := db.AsFloat(r[2]) // a value that is no time sorts as the oldest
			found = append(found, rankedMessage{id: r.Int(0), timestamp: at})
		}
	})
	if err == nil && len(o.Roles) == 0 {
		err = s.checkMissed(ctx, missed)
	}
	return found, err
}

// sortedPage sorts the messages that match and reads the page that the options ask
// for, without snippets and contexts.
func (s messageSearch) sortedPage(ctx context.Context, found []rankedMessage, o Options) ([]MessageHit, error) {
	ranks, err := s.bm25Ranks(ctx)
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].rank = ranks[found[i].id]
	}
	slices.SortFunc(found, func(a, b rankedMessage) int {
		switch o.Sort {
		case Newest:
			return cmp.Or(cmp.Compare(b.timestamp, a.timestamp), cmp.Compare(a.rank, b.rank), cmp.Compare(b.id, a.id))
		case Oldest:
			return cmp.Or(cmp.Compare(a.timestamp, b.timestamp), cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
		}
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.timestamp, a.timestamp), cmp.Compare(b.id, a.id))
	})
	found = found[min(max(o.Offset, 0), len(found)):]
	if limit := cmp.Or(o.Limit, 20); limit > 0 {
		found = found[:min(limit, len(found))]
	}
	place := make(map[int64]int, len(found))
	page := make([]int64, len(found))
	for i, m := range found {
		page[i], place[m.id] = m.id, i
	}
	hits := make([]MessageHit, len(found))
	err = db.EachRow(ctx, s.tx, `SELECT m.id, m.session_id, m.role, m.timestamp, `+s.toolNameColumn+`, s.source, `+s.engine.db.Schema.ColumnOrNull("sessions", "s", "model")+`, s.started_at
		FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value CROSS JOIN sessions s ON s.id = m.session_id`, []any{db.JSONList(slices.Values(page))},
		func(r db.Row) {
			h := MessageHit{ID: r.Int(0), SessionID: r.Text(1), Role: r.Text(2), ToolName: r.Text(4), Source: r.Text(5), Model: r.Text(6)}
			h.Timestamp, _ = db.AsFloat(r[3])
			h.SessionStarted, _ = db.AsFloat(r[7])
			hits[place[h.ID]] = h
			delete(place, h.ID)
		})
	if err == nil && len(place) > 0 { // an index of sessions lacks some
		err = db.ErrRowsLost
	}
	return hits, err
}

// rankQuery returns the full-text table, and the query to it, that ranks the whole
// answer. table is "" when no single FTS query gives the answer.
func (s messageSearch) rankQuery() (table string, q ftsquery.Query) {
	if s.words.table == "" {
		return "", q
	}
	if q, ok := s.wholeQuery(); ok {
		return s.words.table, q
	}
	if s.trigrams.table == "" || s.trigrams.unindexedRows != "" {
		return "", q
	}
	var groups []ftsquery.Query
	for _, g := range s.query.Groups {
		var all, excluded []ftsquery.Query
		for _, t := range g.All {
			all = append(all, ftsquery.Phrase(t.Text, false))
		}
		for _, t := range g.Not {
			excluded = append(excluded, ftsquery.Phrase(t.Text, false))
		}
		for _, t := range slices.Concat(g.All, g.Not) {
			if t.Words() != nil || len([]rune(t.Text)) < 3 {
				return "", q
			}
		}
		groups = append(groups, ftsquery.Not(ftsquery.AllOf(all...), excluded...))
	}
	return s.trigrams.table, ftsquery.AnyOf(groups...)
}

// bm25Ranks returns the ranks of messages by id, nil when no single FTS query gives the
// answer.
func (s messageSearch) bm25Ranks(ctx context.Context) (map[int64]float64, error) {
	table, q := s.rankQuery()
	if table == "" {
		return nil, nil
	}
	ranks := map[int64]float64{}
	err := db.EachRow(ctx, s.tx, `SELECT rowid, rank FROM `+table+` WHERE `+table+` MATCH ?`, []any{q.MatchExpression()}, func(r db.Row) {
		ranks[r.Int(0)], _ = db.AsFloat(r[1])
	})
	if s.doesWithoutIndex(err) {
		return nil, nil
	}
	return ranks, err
}

// doesWithoutIndex reports whether err says that SQLite cannot read the index, of which
// the messages have been found by its pages, and notes it: ranks and snippets are then of
// our own.
func (s messageSearch) doesWithoutIndex(err error) bool {
	if !db.IsCorrupt(err) && !db.LacksExtension(err) {
		return false
	}
	s.engine.db.AddNote(model.NoteFTSDamaged)
	return true
}

// snippets fills in the snippets: FTS5's own where the match is in plain text, else
// ours, which show no JSON (store/README.md#q20).
func (s messageSearch) snippets(ctx context.Context, hits []MessageHit) error {
	byIndex := map[int64]string{}
	page := make([]int64, len(hits))
	for i := range hits {
		page[i] = hits[i].ID
	}
	if q, ok := s.wholeQuery(); ok && s.words.table != "" {
		// The plus keeps SQLite from querying the index once per row.
		err := db.EachRow(ctx, s.tx, `SELECT rowid, snippet(messages_fts, -1, '>>>', '<<<', '...', 40) FROM messages_fts
			WHERE messages_fts MATCH ? AND +rowid IN (SELECT value FROM temp.json_each(?))`, []any{q.MatchExpression(), db.JSONList(slices.Values(page))}, func(r db.Row) {
			byIndex[r.Int(0)] = r.Text(1)
		})
		if err != nil && !s.doesWithoutIndex(err) {
			return err
		}
	}
	matcher := match.NewMatcher(s.query.Groups)
	messages := make(map[int64]model.Message, len(page))
	for chunk := range slices.Chunk(page, 500) {
		if err := s.engine.db.ReadMessages(ctx, s.tx, chunk, messages); err != nil {
			return err
		}
	}
	for i := range hits {
		m := messages[hits[i].ID]
		text, ok := matcher.Snippet(m.Content.Text, snippetWidth)
		calls, inCall := matcher.Snippet(prose.CallsOf(&m).Text, snippetWidth)
		cut, indexed := byIndex[m.ID]
		switch {
		case indexed && (m.Role == "tool" || ok && len(m.Content.Media) == 0):
			hits[i].Snippet = cut
		case !ok && (inCall || !indexed && len(text) == 0):
			hits[i].Snippet = markHits(calls)
		case !ok && indexed: // in a part that no screen shows, such as the data of an image
			hits[i].Snippet = cut
		default:
			hits[i].Snippet = markHits(text)
		}
	}
	return nil
}

// snippetWidth is about 40 words.
const snippetWidth = 240

// ownSnippet cuts a snippet out of a message, without the index.
func ownSnippet(matcher *match.Matcher, m *model.Message) string {
	text, ok := matcher.Snippet(m.Content.Text, snippetWidth)
	if calls, inCall := matcher.Snippet(prose.CallsOf(m).Text, snippetWidth); !ok && (inCall || len(text) == 0) {
		text = calls
	}
	return markHits(text)
}

// contexts fills in the messages before and after each hit in its session. They go by
// id: clocks step back, and ids have an index (store/README.md#q17).
func (s messageSearch) contexts(ctx context.Context, hits []MessageHit) error {
	sessions := map[string][]int64{}
	around := make([][]int64, len(hits))
	var wanted []int64
	for i, h := range hits {
		ids, ok := sessions[h.SessionID]
		if !ok {
			err := db.EachRow(ctx, s.tx, `SELECT m.id FROM messages m WHERE m.session_id = ? AND `+s.engine.db.Schema.NotRewoundRows("m")+s.engine.db.Schema.AndNotHidden("m"), []any{h.SessionID}, func(r db.Row) {
				ids = append(ids, r.Int(0))
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
	previews := map[int64]HitContext{}
	err := db.EachRow(ctx, s.tx, `SELECT m.id, m.role, m.content FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{db.JSONList(slices.Values(wanted))}, func(r db.Row) {
		previews[r.Int(0)] = HitContext{Role: r.Text(1), Content: contextText(r[2])}
	})
	if err != nil {
		return err
	}
	for i := range hits {
		for _, id := range around[i] {
			hits[i].Context = append(hits[i].Context, previews[id])
		}
	}
	return nil
}
