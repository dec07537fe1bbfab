package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"hermes-sessions/model"
)

// NewMessage is a message to be (store/README.md#message-content). Empty fields are stored
// as NULL.
//
// Content is nil, text, a number, bytes (stored as they are), or a list or
// object of parts. Lists and objects, here and below, are []any and [Record]
// or anything else that marshals to JSON; they are stored as Python's
// json.dumps writes them, keys in their order.
type NewMessage struct {
	Role       string
	Content    any
	ToolName   string
	ToolCallID string
	ToolCalls  any // a list; NULL where it is empty
	TokenCount int64
	Finish     string // finish_reason

	Reasoning           string
	ReasoningContent    *string // "" is kept, nil is NULL
	ReasoningDetails    any
	CodexReasoningItems any
	CodexMessageItems   any
}

// AppendMessage adds a message at the end of a session, as of now, counts it
// and its tool calls, and gives its id (append_message). The error is of
// [KindNotFound] for an unknown session. On files of schema 14 and later it is
// of [KindContinued] for a session that ended by compression, and of
// [KindInUse] while it is being compressed.
func (s *Store) AppendMessage(ctx context.Context, session string, m NewMessage) (id int64, err error) {
	row, err := s.encode(m)
	if err != nil {
		return 0, err
	}
	err = s.write(ctx, "append to session "+session+" in", func(t *tx) error {
		if err := s.mayAppend(ctx, t, session); err != nil {
			return err
		}
		if id, err = s.insertMessage(ctx, t, row, session, t.now); err != nil {
			return err
		}
		_, err := t.exec(ctx, `UPDATE sessions SET message_count = coalesce(message_count, 0) + 1,
			tool_call_count = coalesce(tool_call_count, 0) + ? WHERE id = ?`, row.calls, session)
		return err
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

func (s *Store) mayAppend(ctx context.Context, t *tx, session string) error {
	reason, found, err := t.one(ctx, `SELECT end_reason FROM sessions WHERE id = ?`, session)
	if err != nil {
		return err
	}
	if !found {
		return s.notFound(session)
	}
	// Software that takes such locks refuses this too; older one lets it pass.
	if _, locks := t.schema.tables["compression_locks"]; locks {
		if reason == "compression" {
			tip := session
			if c := s.cached(); c != nil {
				if m, ok := c.conversationOf(session); ok {
					tip = m.ID
				}
			}
			return s.continued(session, tip)
		}
		if err := s.notInUse(ctx, t, session); err != nil {
			return err
		}
	}
	return s.mayChangeMessages(t)
}

// ReplaceMessages puts new messages in the place of those of a session, in one
// step, and counts them (replace_messages). They are as of now, a microsecond
// apart; a message without a role gets "unknown", and reasoning and codex
// items are kept for role assistant only. Messages that were rewound or
// archived by compaction stay. The error is of [KindNotFound] for an unknown
// session.
//
// All of it is one transaction, because half a transcript is worse than a wait:
// others can not write for about a second for each megabyte of text that goes
// or comes.
func (s *Store) ReplaceMessages(ctx context.Context, session string, messages []NewMessage) error {
	rows := make([]encoded, len(messages))
	for i, m := range messages {
		if m.Role == "" {
			m.Role = "unknown"
		}
		if m.Role != "assistant" {
			m.Reasoning, m.ReasoningContent, m.ReasoningDetails = "", nil, nil
			m.CodexReasoningItems, m.CodexMessageItems = nil, nil
		}
		var err error
		if rows[i], err = s.encode(m); err != nil {
			return err
		}
	}
	return s.write(ctx, "replace the messages of session "+session+" in", func(t *tx) error {
		if found, err := t.exists(ctx, session); err != nil {
			return err
		} else if !found {
			return s.notFound(session)
		}
		if err := s.mayRemove(ctx, t, session); err != nil {
			return err
		}
		if err := removeMessages(ctx, t, `session_id = ? AND `+t.schema.active("m"), session); err != nil {
			return err
		}
		at, calls := t.now, 0
		for _, row := range rows {
			if _, err := s.insertMessage(ctx, t, row, session, at); err != nil {
				return err
			}
			at += 1e-6
			calls += row.calls
		}
		return setCounts(ctx, t, session, len(rows), calls)
	})
}

// ClearMessages removes all messages of a session and sets its counters to
// zero (clear_messages). An unknown id changes nothing. What others write
// meanwhile stays.
//
// Up to 128 KB go in one transaction, as [Store.Delete] counts them; more go in
// parts of about 30 ms with pauses, newest first. An error between two parts,
// or a crash, leaves the beginning, counted.
func (s *Store) ClearMessages(ctx context.Context, session string) error {
	var p pace
	for last, more := int64(-1), true; more; {
		until := last
		err := p.step(ctx, s, "clear session "+session+" in", func(t *tx) (err error) {
			until = last // this may be another try
			more, err = s.clearPart(ctx, t, &p, session, &until)
			return err
		})
		if err != nil {
			return err
		}
		last = until
	}
	return nil
}

// clearPart removes the newest messages of a session. until is the newest when
// its turn came, below zero before. more says that some of them are left.
func (s *Store) clearPart(ctx context.Context, t *tx, p *pace, session string, until *int64) (more bool, err error) {
	if err := s.mayRemove(ctx, t, session); err != nil {
		return false, err
	}
	most := p.bytes()
	if *until < 0 {
		v, _, err := t.one(ctx, `SELECT coalesce(max(id), 0) FROM messages WHERE session_id = ?`, session)
		if err != nil {
			return false, err
		}
		*until, most = number(v), wholeBytes
	}
	size := strconv.Itoa(rowBytes)
	for _, c := range [...]string{"content", "tool_name", "tool_calls"} { // what is indexed
		size += ` + coalesce(length(CAST(` + t.schema.column("messages", "m", c) + ` AS BLOB)), 0)`
	}
	rows, err := t.QueryContext(ctx, `SELECT m.id, `+size+` FROM messages m WHERE m.session_id = ? AND m.id <= ?
		ORDER BY m.timestamp DESC, m.id DESC`, session, *until)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	var ids []int64
	cost := 0
	for !more && rows.Next() {
		var id int64
		var n int
		if err := rows.Scan(&id, &n); err != nil {
			return false, err
		}
		if more = len(ids) > 0 && cost+n > most; !more {
			ids, cost = append(ids, id), cost+n
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return false, err
	}
	if err := inChunks(ids, func(where string, args []any) error { return removeMessages(ctx, t, `id `+where, args...) }); err != nil {
		return false, err
	}
	p.took(cost)
	if more {
		_, err = t.exec(ctx, `UPDATE sessions SET message_count = (SELECT count(*) FROM messages WHERE session_id = ?1) WHERE id = ?1`, session)
		return true, err
	}
	_, err = t.exec(ctx, `UPDATE sessions SET tool_call_count = 0, message_count = (SELECT count(*) FROM messages WHERE session_id = ?1) WHERE id = ?1`, session)
	return false, err
}

func (s *Store) mayRemove(ctx context.Context, t *tx, session string) error {
	if err := s.mayChangeMessages(t); err != nil {
		return err
	}
	return s.notInUse(ctx, t, session)
}

func setCounts(ctx context.Context, t *tx, session string, messages, calls int) error {
	_, err := t.exec(ctx, `UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?`, messages, calls, session)
	return err
}

// encoded is a message as its columns hold it.
type encoded struct {
	names  []string
	values []any
	calls  int // what it adds to tool_call_count
}

func (e *encoded) put(name string, value any) {
	e.names, e.values = append(e.names, name), append(e.values, value)
}

func (s *Store) insertMessage(ctx context.Context, t *tx, e encoded, session string, at float64) (int64, error) {
	names, values := []string{"session_id", "timestamp"}, []any{session, at}
	if t.schema.has("messages", "active") {
		names, values = append(names, "active"), append(values, 1)
	}
	for i, name := range e.names {
		if !t.schema.has("messages", name) {
			if e.values[i] != nil {
				return 0, s.tooOld("column messages." + name)
			}
			continue
		}
		names, values = append(names, name), append(values, e.values[i])
	}
	return t.insert(ctx, `INSERT INTO messages (`+strings.Join(names, ", ")+`) VALUES (`+
		strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")+`)`, values...)
}

// encode spells a message out.
func (s *Store) encode(m NewMessage) (e encoded, err error) {
	e.put("role", valid(m.Role))
	content, err := storedContent(m.Content)
	if err != nil {
		return e, s.unstorable("content", err)
	}
	e.put("content", content)
	e.put("tool_call_id", orNull(m.ToolCallID))
	e.put("tool_name", orNull(m.ToolName))
	var tokens any
	if m.TokenCount != 0 {
		tokens = m.TokenCount
	}
	e.put("token_count", tokens)
	e.put("finish_reason", orNull(m.Finish))
	e.put("reasoning", orNull(m.Reasoning))
	var reasoning any
	if m.ReasoningContent != nil {
		reasoning = valid(*m.ReasoningContent)
	}
	e.put("reasoning_content", reasoning)
	for _, c := range []struct {
		name  string
		value any
	}{
		{"tool_calls", m.ToolCalls},
		{"reasoning_details", m.ReasoningDetails},
		{"codex_reasoning_items", m.CodexReasoningItems},
		{"codex_message_items", m.CodexMessageItems},
	} {
		v, err := jsonValue(c.value)
		if err != nil {
			return e, s.unstorable(c.name, err)
		}
		if c.name == "tool_calls" && v != nil {
			e.calls = 1
			if list, ok := v.([]any); ok {
				e.calls = len(list)
			}
		}
		if !truthy(v) {
			e.put(c.name, nil)
			continue
		}
		e.put(c.name, stored(v))
	}
	return e, nil
}

func (s *Store) unstorable(what string, err error) *Error {
	return s.invalid(fmt.Sprintf("%s can not be stored: %v", what, err), "give text, numbers, lists and objects", err)
}

// storedContent gives content as the column takes it.
func storedContent(v any) (any, error) {
	switch v := v.(type) {
	case nil, []byte, int64, float64:
		return v, nil
	case int:
		return int64(v), nil
	case bool: // as Python binds it
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case string:
		return valid(v), nil
	}
	v, err := jsonValue(v)
	if err != nil {
		return nil, err
	}
	if text, ok := v.(string); ok {
		return text, nil
	}
	return model.EncodeContent(v), nil
}

// stored gives a JSON value as Python's json.dumps writes it.
func stored(v any) string { return string(model.AppendStoredJSON(nil, v)) }

// jsonValue turns what callers have into what the model calls JSON.
func jsonValue(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64, float64, string, model.Whole:
		return v, nil
	case []any:
		out := make([]any, len(v))
		for i := range v {
			var err error
			if out[i], err = jsonValue(v[i]); err != nil {
				return nil, err
			}
		}
		return out, nil
	case Record:
		out := make(Record, len(v))
		for i, f := range v {
			value, err := jsonValue(f.Value)
			if err != nil {
				return nil, err
			}
			out[i] = model.Field{Name: f.Name, Value: value}
		}
		return out, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return model.ParseJSON(string(b))
}

// truthy is Python's notion of a value that is something.
func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case int64:
		return v != 0
	case float64:
		return v != 0
	case model.Whole:
		return v != "0" && v != "-0"
	case []any:
		return len(v) > 0
	case Record:
		return len(v) > 0
	}
	return true
}
