package sessiondb

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
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
func (d *DB) ChatMessages(ctx context.Context, id string, ancestors bool) ([]db.Record, error) {
	out := []db.Record{}
	err := d.db.ReadTx(ctx, func(q db.Querier) error {
		ids := []string{id}
		if ancestors {
			var err error
			if ids, err = d.ancestors(ctx, q, id); err != nil {
				return err
			}
		}
		names := make([]string, len(chatColumns))
		for i, name := range chatColumns {
			names[i] = d.db.Schema.ColumnOrNull("messages", "m", name) + " AS " + name
		}
		args := make([]any, len(ids))
		for i, id := range ids {
			args[i] = id
		}
		rows, err := q.QueryContext(ctx, `SELECT `+strings.Join(names, ", ")+` FROM messages m
			WHERE m.session_id IN (`+strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",")+`)
			AND `+d.db.Schema.ActiveRows("m"), args...)
		if err != nil {
			return err
		}
		type numbered struct {
			id int64
			db.Record
		}
		var found []numbered
		if err := db.ScanRecords(rows, func(r db.Record) error {
			found = append(found, numbered{db.AsInt(r[0].Value), d.chatMessage(r)})
			return nil
		}); err != nil {
			return err
		}
		slices.SortFunc(found, func(a, b numbered) int { return cmp.Compare(a.id, b.id) })
		var said replayFilter
		for _, m := range found {
			if !ancestors || !said.isReplay(m.Record) {
				out = append(out, m.Record)
			}
		}
		return nil
	})
	return out, d.db.WrapError("read messages of", err)
}

// maxChainLength bounds how far parents are followed, as Hermes does.
const maxChainLength = 100

// ancestors gives a session and its ancestors.
func (d *DB) ancestors(ctx context.Context, q db.Querier, id string) ([]string, error) {
	ids := []string{id}
	for len(ids) < maxChainLength {
		rows, err := q.QueryContext(ctx, `SELECT parent_session_id FROM sessions WHERE id = ?`, id)
		if err != nil {
			return nil, err
		}
		parent := ""
		if err := db.ScanRecords(rows, func(r db.Record) error {
			parent = db.AsText(r[0].Value)
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
func (d *DB) chatMessage(r db.Record) db.Record {
	role := db.AsText(r.Get("role"))
	agent := role == "assistant"
	content := r.Get("content")
	if said, ok := content.(string); ok {
		content, _ = model.ParseContent(said)
		if said, ok := content.(string); ok && (agent || role == "user") {
			content = model.StripMemory(said)
		}
	}
	out := db.Record{{Name: "role", Value: r.Get("role")}, {Name: "content", Value: content}}
	add := func(name string, value any) { out = append(out, pyjson.Field{Name: name, Value: value}) }
	plain := func(names ...string) {
		for _, name := range names {
			if v := r.Get(name); pythonTruth(v) {
				add(name, v)
			}
		}
	}
	if d.db.Schema.MarksDelegates() {
		add("timestamp", r.Get("timestamp"))
	}
	plain("tool_call_id", "tool_name")
	if v := r.Get("tool_calls"); pythonTruth(v) {
		calls, err := pyjson.Parse(db.AsText(v))
		if err != nil {
			calls = []any{}
		}
		add("tool_calls", calls)
	}
	if v := r.Get("platform_message_id"); pythonTruth(v) {
		add("message_id", v)
	}
	if db.AsBool(r.Get("observed")) {
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
		if v := r.Get(name); pythonTruth(v) {
			items, err := pyjson.Parse(db.AsText(v))
			if err != nil {
				items = nil
			}
			add(name, items)
		}
	}
	return out
}

// replayFilter is what the user has said since the agent last said or did
// something.
type replayFilter map[string]bool

// isReplay takes the next message and reports whether the user has said it
// before.
func (r *replayFilter) isReplay(m db.Record) bool {
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
			*r = replayFilter{}
		}
		(*r)[said] = true
	case "assistant":
		if pythonTruth(m.Get("content")) || pythonTruth(m.Get("tool_calls")) {
			*r = nil
		}
	}
	return false
}

// View is a stretch of a transcript around one message. Rows are as
// [DB.Messages] gives them, by id.
type View struct {
	Window        []db.Record
	Before, After int         // how many rows the window has on either side of the message, before roles were picked
	Start, End    []db.Record // the first and the last messages outside the window
}

// MessagesAround gives a message of a session with up to window messages on
// either side (get_messages_around). An unknown message, or one of another
// session, has none.
func (d *DB) MessagesAround(ctx context.Context, session string, message int64, window int) (View, error) {
	return d.AnchoredView(ctx, session, message, window, 0)
}

// AnchoredView is MessagesAround with the first and the last few messages of
// the transcript (get_anchored_view). With roles only messages of these are
// given, and the one in the middle; Hermes asks for "user" and "assistant".
// Messages at the ends that say nothing are left out; an image does say
// something (store/README.md#q3).
func (d *DB) AnchoredView(ctx context.Context, session string, message int64, window, ends int, roles ...string) (View, error) {
	window, ends = max(window, 0), max(ends, 0)
	v := View{Window: []db.Record{}, Start: []db.Record{}, End: []db.Record{}}
	err := d.db.ReadTx(ctx, func(q db.Querier) error {
		middle, err := d.messagesFrom(ctx, q, session, newerFirst, message, message, 1, "")
		if err != nil || len(middle) == 0 {
			return err
		}
		first, last, err := d.messageBounds(ctx, q, session)
		if err != nil {
			return err
		}
		before, err := d.messagesFrom(ctx, q, session, olderFirst, message-1, first, window, "")
		if err != nil {
			return err
		}
		after, err := d.messagesFrom(ctx, q, session, newerFirst, message+1, last, window, "")
		if err != nil {
			return err
		}
		v.Before, v.After = len(before), len(after)
		all := slices.Concat(before, middle, after)
		low, high := db.AsInt(all[0].Get("id")), db.AsInt(all[len(all)-1].Get("id"))
		v.Window = slices.DeleteFunc(all, func(r db.Record) bool {
			return len(roles) > 0 && r.Get("id") != message && !slices.Contains(roles, db.AsText(r.Get("role")))
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
		start, err := d.messagesFrom(ctx, q, session, newerFirst, first, low-1, ends, says, args...)
		if err != nil {
			return err
		}
		end, err := d.messagesFrom(ctx, q, session, olderFirst, last, high+1, ends, says, args...)
		if err != nil {
			return err
		}
		v.Start, v.End = append(v.Start, start...), append(v.End, end...)
		return nil
	})
	return v, d.db.WrapError("read messages of", err)
}

// messageBounds gives the first and the last id of a session's messages.
func (d *DB) messageBounds(ctx context.Context, q db.Querier, session string) (first, last int64, err error) {
	rows, err := q.QueryContext(ctx, `SELECT min(id), max(id) FROM messages WHERE session_id = ?`, session)
	if err != nil {
		return 0, 0, err
	}
	return first, last, db.ScanRecords(rows, func(r db.Record) error {
		first, last = db.AsInt(r[0].Value), db.AsInt(r[1].Value)
		return nil
	})
}

type scanDirection bool

const (
	newerFirst scanDirection = true
	olderFirst scanDirection = false
)

// messagesFrom reads up to limit messages of a session in the order of their ids,
// beginning at the id from and going towards the id to. No index before schema
// 23 has that order, so it walks over the table itself for as long as that is
// likely to be short: the messages of a session mostly stand together.
func (s *DB) messagesFrom(ctx context.Context, q db.Querier, session string, d scanDirection, from, to int64, limit int, and string, args ...any) ([]db.Record, error) {
	if limit <= 0 || (d == newerFirst) != (from <= to) && from != to {
		return nil, nil
	}
	for span := int64(256); ; span *= 16 {
		low, high, order := from, to, ""
		if d == olderFirst {
			low, high, order = to, from, " DESC"
		}
		whole := span > 1<<16 || high-low <= span
		column := "+m.session_id" // not by its index
		switch {
		case span > 1<<16:
			column = "m.session_id"
		case whole:
		case d == newerFirst:
			high = low + span
		default:
			low = high - span
		}
		var found []db.Record
		err := s.db.ReadMessageRows(ctx, q, column+` = ? AND m.id BETWEEN ? AND ? AND `+s.db.Schema.ActiveRows("m")+and+
			` ORDER BY m.id`+order+` LIMIT ?`, slices.Concat([]any{session, low, high}, args, []any{limit}), func(r db.Record) error {
			found = append(found, r)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if whole || len(found) == limit {
			if d == olderFirst {
				slices.Reverse(found)
			}
			return found, nil
		}
	}
}
