package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// best finds the best hit of each of the conversations that found names. The
// newest message of the agent may match by its tool calls alone: then the ones
// before it are looked at, and it is best only when they say nothing either.
func (s *Store) best(ctx context.Context, db queryer, q model.Query, t *tally, found []int32) (map[int32]model.Hit, error) {
	best := make(map[int32]model.Hit, len(found))
	next := make(map[int32]int64, len(found))
	for round := range newestSaid {
		wanted := map[int64]int32{}
		for _, n := range found {
			if h, ok := best[n]; ok && h.Why != model.WhyTool {
				continue
			}
			id, ok := t.candidate(n, round, next[n])
			if ok {
				wanted[id], next[n] = n, id
			}
		}
		if len(wanted) == 0 {
			break
		}
		for chunk := range slices.Chunk(slices.Sorted(maps.Keys(wanted)), textsAtOnce) {
			read, err := s.passages(ctx, db, chunk)
			if err != nil {
				return nil, err
			}
			for _, h := range hits(q, read, round > 0) {
				n := wanted[h.MessageID]
				if _, ok := best[n]; !ok || h.Why != model.WhyTool {
					best[n] = h
				}
			}
		}
	}
	return best, nil
}

// passage is a message to cut a snippet from.
type passage struct {
	hit   model.Hit // without Snippet and Why
	said  string    // the text of its content
	calls string    // as stored: few snippets are cut from calls
}

// textsAtOnce is how many messages have their texts in memory at once.
const textsAtOnce = 200

// passages reads messages, and makes do with their ids where they are damaged.
func (s *Store) passages(ctx context.Context, db queryer, ids []int64) ([]passage, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	read, err := s.readPassages(ctx, db, ids)
	if corrupt(err) {
		s.note(NoteDamaged)
		read = nil
		for _, id := range ids {
			one, err := s.readPassages(ctx, s.db, []int64{id})
			switch {
			case corrupt(err):
				one = []passage{{hit: model.Hit{MessageID: id}}}
			case err != nil:
				return nil, s.wrap("read messages of", err)
			}
			read = append(read, one...)
		}
		return read, nil
	}
	return read, s.wrap("read messages of", err)
}

// readPassages reads messages in one statement. Those that are gone are left
// out.
func (s *Store) readPassages(ctx context.Context, db queryer, ids []int64) (read []passage, err error) {
	column := func(name string) string { return s.schema.column("messages", "m", name) }
	// One statement for any number of ids is prepared once.
	rows, err := s.prepared(db).QueryContext(ctx, `SELECT m.id, m.session_id, m.role, m.content, `+
		column("tool_calls")+`, `+column("tool_name")+`, `+column("timestamp")+`
		FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, list(slices.Values(ids)))
	if err != nil {
		return nil, err
	}
	read = make([]passage, 0, len(ids))
	err = eachRecord(rows, func(r Record) error {
		content, _ := model.DecodeContent(text(r[3].Value))
		read = append(read, passage{
			hit: model.Hit{
				MessageID: number(r[0].Value), SessionID: text(r[1].Value), Role: text(r[2].Value),
				ToolName: text(r[5].Value), At: moment(r[6].Value),
			},
			said: content.Text, calls: text(r[4].Value),
		})
		return nil
	})
	return read, err
}

// muchText is how many bytes of text are worth sharing out.
const muchText = 128 << 10

// hits cuts snippets, half of them beside the others: it is a large part of a
// search. With said, messages that match by their tool calls alone may be left
// out.
func hits(q model.Query, of []passage, said bool) []model.Hit {
	cut := func(some []passage) (out []model.Hit) {
		matcher := model.NewMatcher(q.Groups)
		for i := range some {
			if some[i].cut(matcher, said) {
				out = append(out, some[i].hit)
			}
		}
		return out
	}
	size, half := 0, 0
	for i := range of {
		size += len(of[i].said)
	}
	if size < muchText {
		return cut(of)
	}
	for n := 0; n < size/2; half++ {
		n += len(of[half].said)
	}
	var one, other []model.Hit
	_ = abreast(func() error {
		one = cut(of[:half])
		return nil
	}, func() error {
		other = cut(of[half:])
		return nil
	})
	return append(one, other...)
}

// cut shows where a message matches: in what was said, else in a tool's name
// and arguments, spelled for people (store/README.md#q20). With said it gives up, and
// says no, where nothing that was said matches.
func (p *passage) cut(matcher *model.Matcher, said bool) bool {
	p.hit.Why = model.WhyAgent
	switch p.hit.Role {
	case "user":
		p.hit.Why = model.WhyUser
	case "tool":
		p.hit.Why = model.WhyTool
	}
	var ok bool
	if p.hit.Snippet, ok = matcher.Found(p.said, snippetWidth); ok || said {
		return ok
	}
	m := model.Message{ToolName: p.hit.ToolName}
	m.Calls, _ = model.DecodeCalls(p.calls)
	calls := callText(&m)
	called, ok := matcher.Snippet(calls, snippetWidth)
	if !ok {
		// It matches in what is not shown, or only taken together.
		p.hit.Snippet, _ = matcher.Snippet(p.said, snippetWidth)
	}
	if ok || len(p.hit.Snippet) == 0 {
		p.hit.Snippet, p.hit.Why = called, model.WhyTool
	}
	return true
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
