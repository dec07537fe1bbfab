package search

import (
	"context"
	"maps"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/prose"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// bestHits gives the best hit of each conversation of found. That is the newest
// message of the best rank, see [hitScore]. When it matches by its tool calls alone, or
// in a summary of compressed context, up to maxCandidates-1 earlier messages are tried
// for one that was said and matches by its text.
// Messages are read anew at each call: a cache of the last page saved half a
// millisecond of a key.
func (e *Engine) bestHits(ctx context.Context, db db.Querier, q query.Query, t *hitCounter, found []int32) (map[int32]model.Hit, error) {
	best := make(map[int32]model.Hit, len(found))
	next := make(map[int32]int64, len(found))
	for round := range maxCandidates {
		wanted := map[int64]int32{}
		for _, n := range found {
			if h, ok := best[n]; ok && h.Kind != model.HitTool && !h.Summary {
				continue
			}
			id, ok := t.nextCandidate(n, round, next[n])
			if ok {
				wanted[id], next[n] = n, id
			}
		}
		if len(wanted) == 0 {
			break
		}
		for chunk := range slices.Chunk(slices.Sorted(maps.Keys(wanted)), snippetReadBatch) {
			read, err := e.snippetSources(ctx, db, chunk)
			if err != nil {
				return nil, err
			}
			for _, h := range makeHits(q, read, round > 0) {
				n := wanted[h.MessageID]
				if old, ok := best[n]; !ok || betterHit(h, old) {
					best[n] = h
				}
			}
		}
	}
	return best, nil
}

// betterHit reports whether a hit is better than another one of the same conversation: what
// was said is better than a summary of it, and a summary than a tool call.
func betterHit(h, old model.Hit) bool {
	if h.Summary || h.Kind == model.HitTool {
		return h.Summary && old.Kind == model.HitTool
	}
	return old.Summary || old.Kind == model.HitTool
}

// maxCandidates is how many messages of a conversation are tried as its best hit.
const maxCandidates = 4

// nextCandidate gives the message to try as the best hit of a conversation: in round
// 0 the newest of the best rank, then the newest one before last that is not of a
// tool. last is the message of the round before. ok is false when there is none.
func (t *hitCounter) nextCandidate(n int32, round int, last int64) (id int64, ok bool) {
	s := &t.scores[n]
	if round == 0 {
		return s.bestHit & maxBestID, s.bestHit != 0
	}
	if round >= int(s.bySpeakers) {
		return 0, false
	}
	for id, ok = t.ids.Before(last); ok; id, ok = t.ids.Before(id) {
		if !t.roles.FromTools.Has(id) && t.conversationOf(t.sessionOf(id)) == n {
			return id, true
		}
	}
	return 0, false
}

// snippetSource is a message that a snippet is cut from.
type snippetSource struct {
	hit       model.Hit // without Snippet and Kind
	body      string    // the text of its content
	toolCalls string    // as stored; few snippets are cut from them
}

// snippetReadBatch is how many messages are read at a time, which bounds the memory.
const snippetReadBatch = 200

// snippetSources reads messages. One whose row is damaged is given with its id alone,
// and noted in the health of the database.
func (e *Engine) snippetSources(ctx context.Context, q db.Querier, ids []int64) ([]snippetSource, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	read, err := e.readSnippetSources(ctx, q, ids)
	if db.IsCorrupt(err) {
		e.db.AddNote(db.NoteDamaged)
		read = nil
		for _, id := range ids {
			one, err := e.readSnippetSources(ctx, e.db.Pool, []int64{id})
			switch {
			case db.IsCorrupt(err):
				one = []snippetSource{{hit: model.Hit{MessageID: id}}}
			case err != nil:
				return nil, e.db.WrapError("read messages of", err)
			}
			read = append(read, one...)
		}
		return read, nil
	}
	return read, e.db.WrapError("read messages of", err)
}

// readSnippetSources reads messages by one statement. Deleted ones are left out.
func (e *Engine) readSnippetSources(ctx context.Context, q db.Querier, ids []int64) (read []snippetSource, err error) {
	column := func(name string) string { return e.db.Schema.ColumnOrNull("messages", "m", name) }
	// One statement serves any number of ids, so it is prepared once.
	rows, err := e.db.CachedStatements(q).QueryContext(ctx, `SELECT m.id, m.session_id, m.role, m.content, `+
		column("tool_calls")+`, `+column("tool_name")+`, `+column("timestamp")+`
		FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, db.JSONList(slices.Values(ids)))
	if err != nil {
		return nil, err
	}
	read = make([]snippetSource, 0, len(ids))
	err = db.ScanRecords(rows, func(r db.Record) error {
		content, _ := model.DecodeContent(db.AsText(r[3].Value))
		read = append(read, snippetSource{
			hit: model.Hit{
				MessageID: db.AsInt(r[0].Value), SessionID: db.AsText(r[1].Value), Role: db.AsText(r[2].Value),
				ToolName: db.AsText(r[5].Value), At: db.AsTime(r[6].Value),
			},
			body: content.Text, toolCalls: db.AsText(r[4].Value),
		})
		return nil
	})
	return read, err
}

// largeTextBytes is how many bytes of text are worth a second goroutine.
const largeTextBytes = 128 << 10

// makeHits cuts snippets, of long texts in two goroutines: it is a large part of a
// search. With textOnly, messages that do not match by their text are left out.
func makeHits(q query.Query, sources []snippetSource, textOnly bool) []model.Hit {
	cut := func(some []snippetSource) (hits []model.Hit) {
		matcher := match.NewMatcher(q.Groups)
		for i := range some {
			if some[i].makeSnippet(matcher, textOnly) {
				hits = append(hits, some[i].hit)
			}
		}
		return hits
	}
	size, half := 0, 0
	for i := range sources {
		size += len(sources[i].body)
	}
	if size < largeTextBytes {
		return cut(sources)
	}
	for n := 0; n < size/2; half++ {
		n += len(sources[half].body)
	}
	var first, second []model.Hit
	_ = db.Parallel(func() error { // neither function fails
		first = cut(sources[:half])
		return nil
	}, func() error {
		second = cut(sources[half:])
		return nil
	})
	return append(first, second...)
}

// makeSnippet fills in the snippet and the kind of a hit: from the text where it
// matches, else from the name of the tool and the arguments of tool calls, without
// markup. With textOnly the text alone is used; ok reports whether it matches.
func (p *snippetSource) makeSnippet(matcher *match.Matcher, textOnly bool) (ok bool) {
	p.hit.Kind = model.HitAgent
	switch p.hit.Role {
	case "user":
		p.hit.Kind = model.HitUser
	case "tool":
		p.hit.Kind = model.HitTool
	}
	body := p.body
	if _, said, summed := model.SplitSummary(body); summed {
		if _, _, inRest := matcher.Densest(said, snippetWidth); inRest {
			body = said
		} else {
			p.hit.Summary = true
		}
	}
	if p.hit.Snippet, ok = proseSnippet(matcher, body, func(from, to int) string { return prose.Excerpt(body, from, to) }); ok || textOnly {
		return ok
	}
	m := model.Message{ToolName: p.hit.ToolName}
	m.Calls, _ = model.DecodeCalls(p.toolCalls)
	calls := prose.CallsOf(&m)
	found, ok := proseSnippet(matcher, calls.Text, func(from, to int) (text string) {
		text, p.hit.CallName = calls.Excerpt(from, to)
		return text
	})
	if !ok {
		// It matches in a part that is not shown, or only by text and calls together.
		found, _ = matcher.Snippet(calls.Text, snippetWidth)
		p.hit.Snippet, _ = matcher.Snippet(body, snippetWidth)
	}
	if ok || len(p.hit.Snippet) == 0 {
		p.hit.Snippet, p.hit.Kind = found, model.HitTool
	}
	return true
}

// proseSnippet cuts a snippet from the densest matches of a text, by an excerpt around
// them without markup. A match in the markup itself is shown as stored.
func proseSnippet(matcher *match.Matcher, text string, excerpt func(from, to int) string) (match.Snippet, bool) {
	from, to, ok := matcher.Densest(text, snippetWidth)
	if !ok {
		return nil, false
	}
	if s, ok := matcher.FindSnippet(excerpt(from, to), snippetWidth); ok {
		return s, true
	}
	return matcher.FindSnippet(text, snippetWidth)
}
