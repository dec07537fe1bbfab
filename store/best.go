package store

import (
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// best finds the best hit of each of the conversations that found names, at the
// moment of a DataVersion. The newest message of the agent may match by its tool
// calls alone: then the ones before it are looked at, and it is best only when
// they say nothing either.
func (s *Store) best(ctx context.Context, db queryer, version int64, q model.Query, t *tally, found []int32) (map[int32]model.Hit, error) {
	best := make(map[int32]model.Hit, len(found))
	next := make(map[int32]int64, len(found))
	matcher := model.NewMatcher(q)
	kept := s.lately.take(version)
	for round := range newestSaid + 1 {
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
		judge := func(p passage) {
			n := wanted[p.hit.MessageID]
			if !p.cut(matcher, round > 0) {
				return
			}
			if _, ok := best[n]; !ok || p.hit.Why != model.WhyTool {
				best[n] = p.hit
			}
		}
		var unread []int64
		for id := range wanted {
			if p, ok := kept.again(id); ok {
				judge(p)
			} else {
				unread = append(unread, id)
			}
		}
		err := s.eachPassage(ctx, db, unread, func(p passage) {
			kept.keep(p)
			judge(p)
		})
		if err != nil {
			return nil, err
		}
	}
	s.lately.put(version, kept)
	return best, nil
}

// passage is a message to cut a snippet from.
type passage struct {
	hit   model.Hit // without Snippet and Why
	said  string    // the text of its content
	calls string    // as stored: few snippets are cut from calls
}

// readPassages reads messages. Of those that can not be read nothing is said.
func (s *Store) readPassages(ctx context.Context, db queryer, ids []int64, each func(passage)) error {
	column := func(name string) string { return s.schema.column("messages", "m", name) }
	// One statement for any number of ids is prepared once.
	rows, err := s.prepared(db).QueryContext(ctx, `SELECT m.id, m.session_id, m.role, m.content, `+
		column("tool_calls")+`, `+column("tool_name")+`, `+column("timestamp")+`
		FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, list(slices.Values(ids)))
	if err != nil {
		return err
	}
	return eachRecord(rows, func(r Record) error {
		content, _ := model.DecodeContent(text(r[3].Value))
		each(passage{
			hit: model.Hit{
				MessageID: number(r[0].Value), SessionID: text(r[1].Value), Role: text(r[2].Value),
				ToolName: text(r[5].Value), At: moment(r[6].Value),
			},
			said: content.Text, calls: text(r[4].Value),
		})
		return nil
	})
}

// eachPassage reads messages, and makes do with their ids where they are
// damaged.
func (s *Store) eachPassage(ctx context.Context, db queryer, ids []int64, each func(passage)) error {
	for chunk := range slices.Chunk(ids, 200) { // the texts of a chunk are in memory at once
		err := s.readPassages(ctx, db, chunk, each)
		if corrupt(err) {
			s.note(NoteDamaged)
			for _, id := range chunk {
				if err = s.readPassages(ctx, s.db, []int64{id}, each); corrupt(err) {
					each(passage{hit: model.Hit{MessageID: id}})
					err = nil
				}
				if err != nil {
					break
				}
			}
		}
		if err != nil {
			return s.wrap("read messages of", err)
		}
	}
	return nil
}

// cut shows where a message matches: in what was said, else in a tool's name
// and arguments, spelled for people (quirk Q20). With said it gives up, and
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
