package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/snippet"
)

// Search returns the conversations that match a query; see store.Store.Search for the
// contract. A query of filters alone is answered by the list.
func (e *Engine) Search(ctx context.Context, q query.Query, list query.ListOptions) (model.SearchResults, error) {
	list.Filters = slices.Concat(list.Filters, q.Filters)
	if q.FiltersOnly() {
		page, err := e.Conversations(ctx, list)
		return page.Results(), err
	}
	if q.Mistake() != "" {
		return model.SearchResults{}, nil
	}
	if res, ok, err := e.searchUnprepared(ctx, q, list); ok || err != nil {
		return res, e.db.WrapError("search", err)
	}
	var res model.SearchResults
	e.sessions.ReadsMessageSessions.Store(true)
	err := e.sessions.ReadSnapshotTx(ctx, func(conn db.Querier, snap *snapshot.Snapshot) (err error) {
		res, err = e.search(ctx, conn, snap, nil, q, list)
		if err == nil && res.RowsOnly && res.Conversations == 0 { // "nothing found" must be certain
			list.FirstPage, list.RowsOnly = false, false
			res, err = e.search(ctx, conn, snap, nil, q, list)
		}
		return err
	})
	if err != nil {
		return model.SearchResults{}, e.db.WrapError("search", cmp.Or(ctx.Err(), err))
	}
	return res, nil
}

// firstTexts is how many texts, the newest, are read at most while a key waits for its rows:
// what a key may take.
const firstTexts = 250

// parallelNamesFrom is the number of conversations from which names are matched in a
// second goroutine, beside the messages.
const parallelNamesFrom = 10_000

// search returns the conversations that match in a read transaction whose
// snapshot is snap. first is nil where all sessions with a match are needed.
func (e *Engine) search(ctx context.Context, conn db.Querier, snap *snapshot.Snapshot, first *firstRows, q query.Query, list query.ListOptions) (model.SearchResults, error) {
	index := snap.Index(list, e.db.Clock())
	filter, err := e.newListFilter(ctx, snap, index, list, true)
	if err != nil {
		return model.SearchResults{}, err
	}
	res := model.SearchResults{Hints: filter.hints}
	h := hitCounter{index: index, hitCounts: e.scorePool.take(len(index.Scopes)), onePage: list.Limit > 0, firstRows: first}
	if (list.FirstPage || list.RowsOnly) && list.Limit > 0 && list.Offset <= 0 {
		h.mostTexts = firstTexts
	}
	defer h.release(&e.scorePool)
	byName := newNameMatcher(q)
	if err := e.countMatches(ctx, conn, snap, q, byName, &h, &res); err != nil {
		return model.SearchResults{}, err
	}
	if !snap.Complete() {
		return model.SearchResults{Plan: res.Plan}, errIncomplete
	}
	from, to := max(list.Offset, 0), math.MaxInt
	if list.Limit > 0 && list.Limit < to-from {
		to = from + list.Limit
	}
	found := h.shown(filter, list, &res)
	if read, err := h.readPageRoles(ctx, found, list.SortOrder(), to); err != nil {
		return model.SearchResults{}, err
	} else if read {
		found = h.shown(filter, list, &res)
	}
	if first.inUse() {
		if ok, err := first.complete(ctx, &h, snap, found, to); err != nil || !ok {
			return model.SearchResults{Plan: res.Plan}, cmp.Or(err, errIncomplete)
		}
		if !first.allRead() { // what else is hidden is not known
			res.RowsOnly, res.HiddenConversations, res.HiddenHits, res.HiddenScope = true, 0, 0, 0
		}
	}
	var closest []model.Match
	switch {
	case !list.Closest:
	case res.Conversations > query.ClosestUpTo:
		res.Plan = append(res.Plan, fmt.Sprintf("no closest conversations: more than %d have all words", query.ClosestUpTo))
	default:
		closest, err = e.closest(ctx, conn, snap, q, list, filter, &h, found, &res)
		if db.IsCorrupt(err) && !snap.IsPart() {
			e.db.AddNote(model.NoteDamaged)
			closest, err, res.IndexNote = nil, nil, withoutCloseWords(res.IndexNote)
		}
		if err != nil {
			return model.SearchResults{}, err
		}
		closest = closest[min(max(from-res.Conversations, 0), len(closest)):min(max(to-res.Conversations, 0), len(closest))]
	}
	found = h.sorted(found, list.SortOrder(), to)
	found = found[min(from, len(found)):min(to, len(found))]
	page := make([]model.Conversation, len(found))
	for at, n := range found {
		page[at] = index.Conversation(n)
		filter.countFailures(&page[at])
	}
	var hits map[int32]model.Hit
	err = db.ParallelIf(!e.sessions.PreviewsCached(snap, found), func() (err error) {
		hits, err = e.bestHits(ctx, conn, q, &h, found)
		return err
	}, func() error { return e.sessions.AddPreviewsByKey(ctx, page, snap.PreviewKeys(found)) })
	if err != nil {
		return model.SearchResults{}, err
	}
	res.Matches = make([]model.Match, len(found))
	for at, n := range found {
		m := &res.Matches[at]
		m.Conversation, m.Hits, m.Score = page[at], h.scores[n].total(), float64(h.relevance(n))
		var ok bool
		if m.Best, ok = hits[n]; !ok {
			m.Best = byName.hit(&m.Conversation, h.nameMatches[n], snippet.Width)
		}
	}
	res.Matches = append(res.Matches, closest...)
	if unquoted, ok := q.WithoutQuotes(); ok && list.Closest && res.Conversations == 0 && (res.Close == 0 || lacksQuoted(q, res.CloseWords)) {
		list.Offset, list.Limit = 0, 1
		without, err := e.search(ctx, conn, snap, nil, unquoted, list)
		if err != nil {
			return model.SearchResults{}, err
		}
		res.Unquoted = without.Conversations + without.Close
	}
	if res.RowsOnly && list.FirstPage {
		removeCounts(&res)
	}
	return res, nil
}

// lacksQuoted reports whether a text in quotes is in no conversation.
func lacksQuoted(q query.Query, words []model.WordReading) bool {
	return slices.ContainsFunc(words, func(w model.WordReading) bool { return w.Conversations == 0 && slices.Contains(q.Quoted(), w.Word) })
}

// countMatches counts the messages and the names that match, and writes into res by
// which steps the messages were found.
func (e *Engine) countMatches(ctx context.Context, conn db.Querier, snap *snapshot.Snapshot, q query.Query, byName *nameMatcher, h *hitCounter, res *model.SearchResults) error {
	var named []int32
	titles := byName.matcher
	if slices.ContainsFunc(q.Filters, query.Filter.OnMessages) {
		titles = nil // only messages match
	}
	err := db.ParallelIf(len(h.index.Scopes) > parallelNamesFrom, func() error {
		ex := e.newExecutor(conn, q, snap.DataVersion)
		ex.capabilityCache, ex.mostTexts = capabilitiesOf(snap), h.mostTexts
		ids, err := ex.messages(ctx)
		res.IndexNote, res.Plan, res.RowsOnly = ex.note, ex.plan, ex.cut
		if err == nil && h.firstRows != nil && !h.firstRows.inUse() {
			err = h.firstRows.read(ctx, ex, snap, ids, titles)
			res.Plan = ex.plan
		}
		if err == nil {
			err = h.count(ctx, ex, snap, ids)
		}
		if db.IsCorrupt(err) && !snap.IsPart() {
			err = h.countSalvaged(ctx, ex, snap)
			res.Plan = ex.plan
		}
		return err
	}, func() error {
		if titles == nil {
			return nil
		}
		if snap.IsPart() {
			if !h.firstRows.inUse() {
				snap.RequestTitles(titles)
			}
			if err := byName.request(ctx, conn, snap); err != nil {
				return err
			}
		}
		named = byName.match(h.index, h.nameMatches)
		return nil
	})
	if err == nil {
		h.addNameMatches(named)
	}
	return err
}

// shown returns the conversations with a match that the filters keep and the scope of
// the list shows, in no order, and counts in res those that are shown and those that
// the scope hides.
func (h *hitCounter) shown(filter *listFilter, list query.ListOptions, res *model.SearchResults) []int32 {
	found := slices.Grow(h.conversations[:0], len(h.nonZero))
	h.conversations = found
	res.Conversations, res.Hits, res.HiddenConversations, res.HiddenHits = 0, 0, 0, 0
	keeps, shows := filter.matcher(h.index), snapshot.ScopesShown(list)
	var hidden [model.ScopeAll + 1]int
	h.outOfScope = nil
	for _, i := range h.nonZero {
		if !keeps(i) {
			continue
		}
		hits := h.scores[i].total()
		if scope := model.Scope(h.index.Scopes[i]); shows[scope] {
			found = append(found, i)
			res.Conversations++
			res.Hits += hits
		} else {
			if len(h.outOfScope) <= maxOnlyWithAllWords {
				h.outOfScope = append(h.outOfScope, i)
			}
			hidden[scope] += max(1, hits)
			res.HiddenConversations++
			res.HiddenHits += hits
		}
	}
	res.HiddenScope = scopeWithMost(hidden)
	return found
}

// Hits returns the first messages of one conversation that match, in reading order: at
// most limit of them, all when limit is 0. id is any session of the conversation. The
// error says so when there is no such session.
func (e *Engine) Hits(ctx context.Context, q query.Query, id string, limit int) ([]model.Hit, error) {
	ids, err := e.HitIDs(ctx, q, id)
	if err != nil {
		return nil, err
	}
	if limit > 0 {
		ids = ids[:min(limit, len(ids))]
	}
	found := make(map[int64]model.Hit, len(ids))
	for chunk := range slices.Chunk(ids, snippetReadBatch) {
		read, err := e.snippetSources(ctx, e.db.Pool, chunk)
		if err != nil {
			return nil, cmp.Or(ctx.Err(), err)
		}
		for _, h := range snippet.Hits(q, read, snippet.LongWidth, false) {
			found[h.MessageID] = h
		}
	}
	out := make([]model.Hit, 0, len(ids))
	for _, id := range ids {
		if h, ok := found[id]; ok { // else it was deleted since
			out = append(out, h)
		}
	}
	return out, nil
}

// HitIDs returns the ids of all messages of one conversation that match, in reading
// order. id is any session of the conversation. It cuts no snippets, which take most
// of the time of [Engine.Hits].
func (e *Engine) HitIDs(ctx context.Context, q query.Query, id string) ([]int64, error) {
	var bySegment [][]int64
	found := true
	err := e.sessions.ReadSnapshotTx(ctx, func(conn db.Querier, snap *snapshot.Snapshot) error {
		var m model.Conversation
		if m, found = snap.ConversationOf(id); !found {
			return nil
		}
		segments := m.Segments
		bySegment = make([][]int64, len(segments))
		ex := e.newExecutor(conn, q, snap.DataVersion)
		h := hitCounter{}
		err := h.prepareFor(ctx, ex, snap, segments)
		if db.IsCorrupt(err) {
			err = h.prepareSalvaged(ctx, ex, snap)
		}
		if err != nil {
			return err
		}
		for id := range h.ids.All() {
			if n := h.sessionOf(id); n >= 0 {
				if at := slices.Index(segments, snap.ID(int(n))); at >= 0 {
					bySegment[at] = append(bySegment[at], id)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, e.db.WrapError("search", cmp.Or(ctx.Err(), err))
	}
	if !found {
		return nil, e.db.NotFoundError(id)
	}
	return slices.Concat(bySegment...), nil
}

// prepareFor is prepare for the messages that match in some sessions, and maybe others.
func (h *hitCounter) prepareFor(ctx context.Context, ex *executor, snap *snapshot.Snapshot, sessions []string) error {
	ex.firstID, ex.lastID = math.MaxInt64, math.MinInt64
	for _, session := range sessions {
		err := db.EachRow(ctx, ex.tx, `SELECT min(id), max(id) FROM messages WHERE session_id = ?`, []any{session}, func(r db.Row) {
			if r[0] != nil {
				ex.firstID, ex.lastID = min(ex.firstID, r.Int(0)), max(ex.lastID, r.Int(1))
			}
		})
		if err != nil {
			return err
		}
	}
	if ex.firstID > ex.lastID {
		h.ids = &idset.Set{}
		return nil // no messages
	}
	ids, err := ex.messages(ctx)
	if err != nil {
		return err
	}
	ids.Clip(ex.firstID, ex.lastID)
	return h.prepare(ctx, ex, snap, ids)
}
