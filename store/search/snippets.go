package search

import (
	"context"
	"maps"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// bestHits finds the best hit of each of the conversations that found names. The
// newest message of the agent may match by its tool calls alone: then the ones
// before it are looked at, and it is best only when they say nothing either.
func (e *Engine) bestHits(ctx context.Context, db db.Querier, q query.Query, t *hitCounter, found []int32) (map[int32]model.Hit, error) {
	best := make(map[int32]model.Hit, len(found))
	next := make(map[int32]int64, len(found))
	for round := range maxCandidates {
		wanted := map[int64]int32{}
		for _, n := range found {
			if h, ok := best[n]; ok && h.Kind != model.HitTool {
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
				if _, ok := best[n]; !ok || h.Kind != model.HitTool {
					best[n] = h
				}
			}
		}
	}
	return best, nil
}

// maxCandidates is how many messages of people a conversation is judged by.
const maxCandidates = 4

// nextCandidate gives the messages that may be the best hit of a conversation, one
// a round: the newest of the best voice and, where somebody said it, what was
// said before. last is the one of the round before.
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

// snippetSource is a message to cut a snippet from.
type snippetSource struct {
	hit       model.Hit // without Snippet and Why
	body      string    // the text of its content
	toolCalls string    // as stored: few snippets are cut from calls
}

// snippetReadBatch is how many messages have their texts in memory at once.
const snippetReadBatch = 200

// snippetSources reads messages, and makes do with their ids where they are damaged.
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

// readSnippetSources reads messages in one statement. Those that are gone are left
// out.
func (e *Engine) readSnippetSources(ctx context.Context, q db.Querier, ids []int64) (read []snippetSource, err error) {
	column := func(name string) string { return e.db.Schema.ColumnOrNull("messages", "m", name) }
	// One statement for any number of ids is prepared once.
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

// largeTextBytes is how many bytes of text are worth sharing out.
const largeTextBytes = 128 << 10

// makeHits cuts snippets, half of them beside the others: it is a large part of a
// search. With said, messages that match by their tool calls alone may be left
// out.
func makeHits(q query.Query, of []snippetSource, said bool) []model.Hit {
	cut := func(some []snippetSource) (out []model.Hit) {
		matcher := match.NewMatcher(q.Groups)
		for i := range some {
			if some[i].makeSnippet(matcher, said) {
				out = append(out, some[i].hit)
			}
		}
		return out
	}
	size, half := 0, 0
	for i := range of {
		size += len(of[i].body)
	}
	if size < largeTextBytes {
		return cut(of)
	}
	for n := 0; n < size/2; half++ {
		n += len(of[half].body)
	}
	var one, other []model.Hit
	_ = db.Parallel(func() error {
		one = cut(of[:half])
		return nil
	}, func() error {
		other = cut(of[half:])
		return nil
	})
	return append(one, other...)
}

// makeSnippet shows where a message matches: in what was said, else in a tool's name
// and arguments, spelled for people (store/README.md#q20). With said it gives up, and
// says no, where nothing that was said matches.
func (p *snippetSource) makeSnippet(matcher *match.Matcher, said bool) bool {
	p.hit.Kind = model.HitAgent
	switch p.hit.Role {
	case "user":
		p.hit.Kind = model.HitUser
	case "tool":
		p.hit.Kind = model.HitTool
	}
	var ok bool
	if p.hit.Snippet, ok = matcher.FindSnippet(p.body, snippetWidth); ok || said {
		return ok
	}
	m := model.Message{ToolName: p.hit.ToolName}
	m.Calls, _ = model.DecodeCalls(p.toolCalls)
	calls := toolCallText(&m)
	called, ok := matcher.Snippet(calls, snippetWidth)
	if !ok {
		// It matches in what is not shown, or only taken together.
		p.hit.Snippet, _ = matcher.Snippet(p.body, snippetWidth)
	}
	if ok || len(p.hit.Snippet) == 0 {
		p.hit.Snippet, p.hit.Kind = called, model.HitTool
	}
	return true
}

// toolCallText gives the names and arguments of a message's tool calls in one
// text.
func toolCallText(m *model.Message) string {
	var b strings.Builder
	b.WriteString(m.ToolName)
	for _, c := range m.Calls {
		b.WriteString(" " + c.Name + " ")
		v, err := pyjson.Parse(c.Arguments)
		if err != nil {
			b.WriteString(Unescape(c.Arguments)) // not JSON: as it stands
			continue
		}
		writeStrings(&b, v)
	}
	return strings.TrimSpace(b.String())
}

// writeStrings writes what stands in a JSON value, without its punctuation.
func writeStrings(b *strings.Builder, v any) {
	switch v := v.(type) {
	case pyjson.Object:
		for _, f := range v {
			b.WriteString(f.Name + ": ")
			writeStrings(b, f.Value)
			b.WriteByte(' ')
		}
	case []any:
		for _, e := range v {
			writeStrings(b, e)
			b.WriteByte(' ')
		}
	case string:
		b.WriteString(v)
	default:
		b.Write(pyjson.Append(nil, v))
	}
}
