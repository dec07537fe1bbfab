package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// chatColumns are the columns that a chat message is made of.
var chatColumns = [...]string{
	"id", "role", "content", "tool_call_id", "tool_name", "tool_calls", "finish_reason",
	"reasoning", "reasoning_content", "reasoning_details", "codex_reasoning_items", "codex_message_items",
	"timestamp", "platform_message_id", "observed",
}

// ChatMessages gives the transcript of a session in the form that chat models
// take: role and content, and what else a message has (tool_calls,
// tool_call_id, finish_reason, reasoning …), without recalled memory
// (get_messages_as_conversation, store/README.md#chat-messages). As Hermes gives them,
// messages of newer files also have message_id (of the platform), observed,
// and from schema 16 on timestamp.
//
// With ancestors the messages of its parents, theirs and so on come too, in
// the order in which they were written. What the user said once more because
// it was replayed into a continuation then stands there once. An unknown
// session has no messages.
func (s *Store) ChatMessages(ctx context.Context, id string, ancestors bool) ([]Record, error) {
	out := []Record{}
	err := s.snapshot(ctx, func(q queryer) error {
		ids := []string{id}
		if ancestors {
			var err error
			if ids, err = s.ancestors(ctx, q, id); err != nil {
				return err
			}
		}
		names := make([]string, len(chatColumns))
		for i, name := range chatColumns {
			names[i] = s.schema.column("messages", "m", name) + " AS " + name
		}
		args := make([]any, len(ids))
		for i, id := range ids {
			args[i] = id
		}
		rows, err := q.QueryContext(ctx, `SELECT `+strings.Join(names, ", ")+` FROM messages m
			WHERE m.session_id IN (`+strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",")+`)
			AND `+s.schema.active("m"), args...)
		if err != nil {
			return err
		}
		type numbered struct {
			id int64
			Record
		}
		var found []numbered
		if err := eachRecord(rows, func(r Record) error {
			found = append(found, numbered{number(r[0].Value), s.chatMessage(r)})
			return nil
		}); err != nil {
			return err
		}
		slices.SortFunc(found, func(a, b numbered) int { return cmp.Compare(a.id, b.id) })
		var said replays
		for _, m := range found {
			if !ancestors || !said.before(m.Record) {
				out = append(out, m.Record)
			}
		}
		return nil
	})
	return out, s.wrap("read messages of", err)
}

// maxHops bounds how far parents are followed, as Hermes does.
const maxHops = 100

// ancestors gives a session and its ancestors.
func (s *Store) ancestors(ctx context.Context, q queryer, id string) ([]string, error) {
	ids := []string{id}
	for len(ids) < maxHops {
		rows, err := q.QueryContext(ctx, `SELECT parent_session_id FROM sessions WHERE id = ?`, id)
		if err != nil {
			return nil, err
		}
		parent := ""
		if err := eachRecord(rows, func(r Record) error {
			parent = text(r[0].Value)
			return nil
		}); err != nil {
			return nil, err
		}
		if parent == "" || slices.Contains(ids, parent) {
			break
		}
		id = parent
		ids = append(ids, id)
	}
	return ids, nil
}

// chatMessage makes a chat message of the columns of one row.
func (s *Store) chatMessage(r Record) Record {
	role := text(r.Get("role"))
	agent := role == "assistant"
	content := r.Get("content")
	if said, ok := content.(string); ok {
		content, _ = model.StoredContent(said)
		if said, ok := content.(string); ok && (agent || role == "user") {
			content = model.ScrubMemory(said)
		}
	}
	out := Record{{Name: "role", Value: r.Get("role")}, {Name: "content", Value: content}}
	add := func(name string, value any) { out = append(out, model.Field{Name: name, Value: value}) }
	plain := func(names ...string) {
		for _, name := range names {
			if v := r.Get(name); truthy(v) {
				add(name, v)
			}
		}
	}
	if s.schema.marked() {
		add("timestamp", r.Get("timestamp"))
	}
	plain("tool_call_id", "tool_name")
	if v := r.Get("tool_calls"); truthy(v) {
		calls, err := model.ParseJSON(text(v))
		if err != nil {
			calls = []any{}
		}
		add("tool_calls", calls)
	}
	if v := r.Get("platform_message_id"); truthy(v) {
		add("message_id", v)
	}
	if truth(r.Get("observed")) {
		add("observed", true)
	}
	if !agent {
		return out
	}
	plain("finish_reason", "reasoning")
	if v := r.Get("reasoning_content"); v != nil {
		add("reasoning_content", v)
	}
	for _, name := range []string{"reasoning_details", "codex_reasoning_items", "codex_message_items"} {
		if v := r.Get(name); truthy(v) {
			items, err := model.ParseJSON(text(v))
			if err != nil {
				items = nil
			}
			add(name, items)
		}
	}
	return out
}

// replays is what the user has said since the agent last said or did
// something.
type replays map[string]bool

// before takes the next message and reports whether the user has said it
// before.
func (r *replays) before(m Record) bool {
	switch m.Get("role") {
	case "user":
		said, ok := m.Get("content").(string)
		if !ok || said == "" {
			return false
		}
		if (*r)[said] {
			return true
		}
		if *r == nil {
			*r = replays{}
		}
		(*r)[said] = true
	case "assistant":
		if truthy(m.Get("content")) || truthy(m.Get("tool_calls")) {
			*r = nil
		}
	}
	return false
}

// View is a stretch of a transcript around one message. Rows are as
// [Store.Messages] gives them, by id.
type View struct {
	Window        []Record
	Before, After int      // how many rows the window has on either side of the message, before roles were picked
	Start, End    []Record // the first and the last messages outside the window
}

// MessagesAround gives a message of a session with up to window messages on
// either side (get_messages_around). An unknown message, or one of another
// session, has none.
func (s *Store) MessagesAround(ctx context.Context, session string, message int64, window int) (View, error) {
	return s.AnchoredView(ctx, session, message, window, 0)
}

// AnchoredView is MessagesAround with the first and the last few messages of
// the transcript (get_anchored_view). With roles only messages of these are
// given, and the one in the middle; Hermes asks for "user" and "assistant".
// Messages at the ends that say nothing are left out; an image does say
// something (store/README.md#q3).
func (s *Store) AnchoredView(ctx context.Context, session string, message int64, window, ends int, roles ...string) (View, error) {
	window, ends = max(window, 0), max(ends, 0)
	v := View{Window: []Record{}, Start: []Record{}, End: []Record{}}
	err := s.snapshot(ctx, func(q queryer) error {
		middle, err := s.stretch(ctx, q, session, upwards, message, message, 1, "")
		if err != nil || len(middle) == 0 {
			return err
		}
		first, last, err := s.bounds(ctx, q, session)
		if err != nil {
			return err
		}
		before, err := s.stretch(ctx, q, session, downwards, message-1, first, window, "")
		if err != nil {
			return err
		}
		after, err := s.stretch(ctx, q, session, upwards, message+1, last, window, "")
		if err != nil {
			return err
		}
		v.Before, v.After = len(before), len(after)
		all := slices.Concat(before, middle, after)
		low, high := number(all[0].Get("id")), number(all[len(all)-1].Get("id"))
		v.Window = slices.DeleteFunc(all, func(r Record) bool {
			return len(roles) > 0 && r.Get("id") != message && !slices.Contains(roles, text(r.Get("role")))
		})
		if ends == 0 {
			return nil
		}
		// By comparison and not by length(), which ends at the NUL that
		// multimodal content begins with.
		says := ` AND m.content IS NOT NULL AND m.content <> ''`
		args := []any{}
		if len(roles) > 0 {
			says += ` AND m.role IN (` + strings.TrimSuffix(strings.Repeat("?,", len(roles)), ",") + `)`
			for _, role := range roles {
				args = append(args, role)
			}
		}
		start, err := s.stretch(ctx, q, session, upwards, first, low-1, ends, says, args...)
		if err != nil {
			return err
		}
		end, err := s.stretch(ctx, q, session, downwards, last, high+1, ends, says, args...)
		if err != nil {
			return err
		}
		v.Start, v.End = append(v.Start, start...), append(v.End, end...)
		return nil
	})
	return v, s.wrap("read messages of", err)
}

// bounds gives the first and the last id of a session's messages.
func (s *Store) bounds(ctx context.Context, q queryer, session string) (first, last int64, err error) {
	rows, err := q.QueryContext(ctx, `SELECT min(id), max(id) FROM messages WHERE session_id = ?`, session)
	if err != nil {
		return 0, 0, err
	}
	return first, last, eachRecord(rows, func(r Record) error {
		first, last = number(r[0].Value), number(r[1].Value)
		return nil
	})
}

type direction bool

const (
	upwards   direction = true
	downwards direction = false
)

// stretch reads up to limit messages of a session in the order of their ids,
// beginning at the id from and going towards the id to. No index before schema
// 23 has that order, so it walks over the table itself for as long as that is
// likely to be short: the messages of a session mostly stand together.
func (s *Store) stretch(ctx context.Context, q queryer, session string, d direction, from, to int64, limit int, and string, args ...any) ([]Record, error) {
	if limit <= 0 || (d == upwards) != (from <= to) && from != to {
		return nil, nil
	}
	for span := int64(256); ; span *= 16 {
		low, high, order := from, to, ""
		if d == downwards {
			low, high, order = to, from, " DESC"
		}
		whole := span > 1<<16 || high-low <= span
		column := "+m.session_id" // not by its index
		switch {
		case span > 1<<16:
			column = "m.session_id"
		case whole:
		case d == upwards:
			high = low + span
		default:
			low = high - span
		}
		var found []Record
		err := s.readMessageRows(ctx, q, column+` = ? AND m.id BETWEEN ? AND ? AND `+s.schema.active("m")+and+
			` ORDER BY m.id`+order+` LIMIT ?`, slices.Concat([]any{session, low, high}, args, []any{limit}), func(r Record) error {
			found = append(found, r)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if whole || len(found) == limit {
			if d == downwards {
				slices.Reverse(found)
			}
			return found, nil
		}
	}
}
