package sessiondb

import (
	"context"
	"slices"
	"sort"
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

// ChatMessages returns the transcript of a session in the form that chat models
// take: role and content, and what else a message has (tool_calls,
// tool_call_id, finish_reason, reasoning …), without recalled memory
// (get_messages_as_conversation, store/README.md#chat-messages). As Hermes gives them,
// messages of newer files also have message_id (of the platform), observed,
// and from schema 16 on timestamp.
//
// With ancestors it gives the messages of the parent, its parent and so on too, in the
// order in which they were written. A user message that was replayed into a
// continuation is then given once. An unknown session has no messages.
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
		args := db.BindArgs(ids)
		rows, err := q.QueryContext(ctx, `SELECT `+strings.Join(names, ", ")+` FROM messages m
			WHERE m.session_id IN (`+db.Placeholders(len(ids))+`)
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
		sort.Slice(found, func(i, j int) bool { return found[i].id < found[j].id })
		var replays replayFilter
		for _, m := range found {
			if !ancestors || !replays.isReplay(m.Record) {
				out = append(out, m.Record)
			}
		}
		return nil
	})
	return out, d.db.WrapError("read messages of", err)
}

// maxChainLength is how many parents are followed, as in Hermes.
const maxChainLength = 100

// ancestors returns a session and its ancestors, the session first. A cycle ends it.
func (d *DB) ancestors(ctx context.Context, q db.Querier, id string) ([]string, error) {
	ids := []string{id}
	for len(ids) < maxChainLength {
		value, err := db.QueryValue(ctx, q, `SELECT parent_session_id FROM sessions WHERE id = ?`, id)
		if err != nil {
			return nil, err
		}
		parent := db.AsText(value)
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
	if text, ok := content.(string); ok {
		content, _ = model.ParseContent(text)
		if text, ok := content.(string); ok && (agent || role == "user") {
			content = model.StripMemory(text)
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

// replayFilter is the set of user messages since the last answer or tool call of the
// assistant.
type replayFilter map[string]bool

// isReplay takes the next message and reports whether it repeats a user message.
func (r *replayFilter) isReplay(m db.Record) bool {
	switch m.Get("role") {
	case "user":
		text, ok := m.Get("content").(string)
		if !ok || text == "" {
			return false
		}
		if (*r)[text] {
			return true
		}
		if *r == nil {
			*r = replayFilter{}
		}
		(*r)[text] = true
	case "assistant":
		if pythonTruth(m.Get("content")) || pythonTruth(m.Get("tool_calls")) {
			*r = nil
		}
	}
	return false
}
