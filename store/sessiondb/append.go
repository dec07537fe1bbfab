package sessiondb

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// NewMessage is a message to store (store/README.md#message-content). Empty fields are
// stored as NULL.
//
// Content is nil, text, a number, bytes (stored as they are), or a list or an object
// of parts. Lists and objects, here and below, are []any and [db.Record] or anything
// else that marshals to JSON; they are stored as Python's json.dumps writes them, with
// their keys in order.
type NewMessage struct {
	Role       string // must not be empty
	Content    any
	ToolName   string
	ToolCallID string
	ToolCalls  any // a list; NULL where it is empty
	TokenCount int64
	Finish     string    // finish_reason
	Timestamp  time.Time // zero for now

	PlatformMessageID string // the id that the messenger gave it
	Observed          bool   // chatter of a group that was not addressed to the agent

	Reasoning           string
	ReasoningContent    *string // "" is kept, nil is NULL
	ReasoningDetails    any
	CodexReasoningItems any
	CodexMessageItems   any
}

// AppendMessage adds a message at the end of a session, counts it and its tool calls,
// and returns its id (append_message). The error is of [model.KindNotFound] for an unknown
// session and of [model.KindInvalid] for a message without a role. On files of schema 14
// and later it is of [model.KindContinued] for a session that ended by compression, and
// of [model.KindInUse] while it is being compressed.
func (d *DB) AppendMessage(ctx context.Context, session string, m NewMessage) (id int64, err error) {
	if m.Role == "" {
		return 0, d.db.InvalidError("a message needs a role", "give user, assistant, tool or system", nil)
	}
	row, err := d.encode(m)
	if err != nil {
		return 0, err
	}
	err = d.db.Write(ctx, "append to session "+session+" in", func(t *db.Tx) error {
		if err := d.checkAppend(ctx, t, session); err != nil {
			return err
		}
		if id, err = d.insertMessage(ctx, t, row, session, cmp.Or(row.at, t.Timestamp)); err != nil {
			return err
		}
		_, err := t.Exec(ctx, `UPDATE sessions SET message_count = coalesce(message_count, 0) + 1,
			tool_call_count = coalesce(tool_call_count, 0) + ? WHERE id = ?`, row.calls, session)
		return err
	})
	if err != nil {
		return 0, d.nameContinuation(ctx, session, err)
	}
	return id, nil
}

// errCompressed is the error of a write to a session that ended by compression.
// [DB.nameContinuation] adds where its conversation goes on.
var errCompressed = errors.New("the session was compressed")

// nameContinuation replaces errCompressed by an error that names the tip. The tip is
// looked up outside of the transaction, in which no other connection could read.
func (d *DB) nameContinuation(ctx context.Context, session string, err error) error {
	if !errors.Is(err, errCompressed) {
		return err
	}
	tip, err := d.sessions.Tip(ctx, session)
	if err != nil {
		return err
	}
	return d.continuedError(session, tip)
}

// checkAppend returns the error with which Hermes would refuse to append to a session.
func (d *DB) checkAppend(ctx context.Context, t *db.Tx, session string) error {
	reason, found, err := t.One(ctx, `SELECT end_reason FROM sessions WHERE id = ?`, session)
	if err != nil {
		return err
	}
	if !found {
		return d.db.NotFoundError(session)
	}
	// A Hermes that takes such locks refuses this too; an older one allows it.
	if _, locks := t.Schema.Tables["compression_locks"]; locks {
		if reason == "compression" {
			return errCompressed
		}
		if err := d.db.CheckNotInUse(ctx, t, session); err != nil {
			return err
		}
	}
	return d.db.CheckIndexWritable(t)
}

// ReplaceMessages replaces the messages of a session by new ones in one transaction,
// and counts them (replace_messages). Messages without a time get the present one, each
// a microsecond after the one before it; a message without a role gets "unknown", and
// reasoning and codex items are stored for role assistant only. Messages that were
// rewound or archived by compaction stay. It is refused where [DB.AppendMessage] is, and
// while another process works on the session.
//
// One transaction, because half a transcript is worse than a wait: other processes
// cannot write for about a second for each megabyte of text that is removed or added.
func (d *DB) ReplaceMessages(ctx context.Context, session string, messages []NewMessage) error {
	rows := make([]encodedMessage, len(messages))
	for i, m := range messages {
		m.Role = cmp.Or(m.Role, "unknown")
		if m.Role != "assistant" {
			m.Reasoning = ""
			m.ReasoningContent = nil
			m.ReasoningDetails = nil
			m.CodexReasoningItems, m.CodexMessageItems = nil, nil
		}
		var err error
		if rows[i], err = d.encode(m); err != nil {
			return err
		}
	}
	err := d.db.Write(ctx, "replace the messages of session "+session+" in", func(t *db.Tx) error {
		if err := d.checkAppend(ctx, t, session); err != nil {
			return err
		}
		if err := d.checkRemove(ctx, t, session); err != nil {
			return err
		}
		if err := db.RemoveMessages(ctx, t, `session_id = ? AND `+t.Schema.ActiveRows("m"), session); err != nil {
			return err
		}
		at, calls := t.Timestamp, 0
		for _, row := range rows {
			at = cmp.Or(row.at, at)
			if _, err := d.insertMessage(ctx, t, row, session, at); err != nil {
				return err
			}
			at += 1e-6
			calls += row.calls
		}
		return setCounts(ctx, t, session, len(rows), calls)
	})
	return d.nameContinuation(ctx, session, err)
}

// ClearMessages removes all messages of a session and sets its counters to
// zero (clear_messages). Messages that other processes write meanwhile stay.
//
// Up to 128 KB, counted as in store.Store.Delete, are removed in one transaction; more
// in chunks of about 30 ms with pauses, newest first. An error between two chunks, or a
// crash, leaves the beginning of the session, with counters that fit it.
func (d *DB) ClearMessages(ctx context.Context, session string) error {
	var chunker db.Chunker
	for last, more := int64(-1), true; more; {
		until := last
		err := chunker.RunChunk(ctx, d.db, "clear session "+session+" in", func(t *db.Tx) (err error) {
			until = last // the transaction may be tried again
			more, err = d.clearChunk(ctx, t, &chunker, session, &until)
			return err
		})
		if err != nil {
			return err
		}
		last = until
	}
	return nil
}

// clearChunk removes the newest messages of a session, as many as fit in a chunk.
// *until is the newest message when the first chunk began, below zero before. more is
// true where some of them are left.
func (d *DB) clearChunk(ctx context.Context, t *db.Tx, chunker *db.Chunker, session string, until *int64) (more bool, err error) {
	if err := d.checkExists(ctx, t, session); err != nil {
		return false, err
	}
	if err := d.checkRemove(ctx, t, session); err != nil {
		return false, err
	}
	most := chunker.Limit()
	if *until < 0 {
		v, _, err := t.One(ctx, `SELECT coalesce(max(id), 0) FROM messages WHERE session_id = ?`, session)
		if err != nil {
			return false, err
		}
		*until, most = db.AsInt(v), db.MaxSingleTxBytes
	}
	size := strconv.Itoa(db.RowOverhead)
	for _, c := range [...]string{"content", "tool_name", "tool_calls"} { // what is indexed
		size += ` + coalesce(length(CAST(` + t.Schema.ColumnOrNull("messages", "m", c) + ` AS BLOB)), 0)`
	}
	rows, err := t.QueryContext(ctx, `SELECT m.id, `+size+` FROM messages m WHERE `+db.NewestMessages, session, *until)
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
	if err := db.InChunks(ids, func(where string, args []any) error { return db.RemoveMessages(ctx, t, `id `+where, args...) }); err != nil {
		return false, err
	}
	chunker.SetSize(cost)
	if more {
		_, err = t.Exec(ctx, `UPDATE sessions SET message_count = (SELECT count(*) FROM messages WHERE session_id = ?1) WHERE id = ?1`, session)
		return true, err
	}
	_, err = t.Exec(ctx, `UPDATE sessions SET tool_call_count = 0, message_count = (SELECT count(*) FROM messages WHERE session_id = ?1) WHERE id = ?1`, session)
	return false, err
}

// checkRemove refuses to remove messages of a session that another process is using,
// or that the full-text index would not let go.
func (d *DB) checkRemove(ctx context.Context, t *db.Tx, session string) error {
	if err := d.db.CheckIndexWritable(t); err != nil {
		return err
	}
	return d.db.CheckNotInUse(ctx, t, session)
}

func setCounts(ctx context.Context, t *db.Tx, session string, messages, calls int) error {
	_, err := t.Exec(ctx, `UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?`, messages, calls, session)
	return err
}

// encodedMessage is a message as the values of its columns.
type encodedMessage struct {
	names  []string
	values []any
	calls  int     // what it adds to tool_call_count
	at     float64 // its time in seconds, 0 where none was given
}

// set adds a column.
func (e *encodedMessage) set(name string, value any) {
	e.names, e.values = append(e.names, name), append(e.values, value)
}

// insertMessage inserts a message and returns its id. It leaves out empty columns that the
// file does not have; the error is of [model.KindInvalid] for one with a value.
func (d *DB) insertMessage(ctx context.Context, t *db.Tx, e encodedMessage, session string, at float64) (int64, error) {
	names, values := []string{"session_id", "timestamp"}, []any{session, at}
	if t.Schema.Has("messages", "active") {
		names, values = append(names, "active"), append(values, 1)
	}
	for i, name := range e.names {
		if !t.Schema.Has("messages", name) {
			if e.values[i] != nil {
				return 0, d.db.OlderSchemaError("column messages." + name)
			}
			continue
		}
		names, values = append(names, name), append(values, e.values[i])
	}
	id, err := t.Insert(ctx, 1, `INSERT INTO messages (`+strings.Join(names, ", ")+`) VALUES (`+
		db.Placeholders(len(names))+`)`, values...)
	if err == nil {
		err = db.FitTrigrams(ctx, t, id)
	}
	return id, err
}

// encode turns a message into the values of its columns.
func (d *DB) encode(m NewMessage) (e encodedMessage, err error) {
	if !m.Timestamp.IsZero() {
		e.at = db.Seconds(m.Timestamp)
	}
	e.set("role", db.ValidUTF8(m.Role))
	content, err := storedContent(m.Content)
	if err != nil {
		return e, d.unstorableError("content", err)
	}
	e.set("content", content)
	e.set("tool_call_id", db.EmptyAsNull(m.ToolCallID))
	e.set("tool_name", db.EmptyAsNull(m.ToolName))
	e.set("platform_message_id", db.EmptyAsNull(m.PlatformMessageID))
	if m.Observed {
		e.set("observed", int64(1))
	}
	var tokens any
	if m.TokenCount != 0 {
		tokens = m.TokenCount
	}
	e.set("token_count", tokens)
	e.set("finish_reason", db.EmptyAsNull(m.Finish))
	e.set("reasoning", db.EmptyAsNull(m.Reasoning))
	var reasoning any
	if m.ReasoningContent != nil {
		reasoning = db.ValidUTF8(*m.ReasoningContent)
	}
	e.set("reasoning_content", reasoning)
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
			return e, d.unstorableError(c.name, err)
		}
		if c.name == "tool_calls" && v != nil {
			e.calls = 1
			if list, ok := v.([]any); ok {
				e.calls = len(list)
			}
		}
		if !pythonTruth(v) {
			e.set(c.name, nil)
			continue
		}
		e.set(c.name, storedText(v))
	}
	return e, nil
}

// unstorableError makes the error of a value that no column can hold.
func (d *DB) unstorableError(what string, err error) *model.Error {
	return d.db.InvalidError(fmt.Sprintf("%s cannot be stored: %v", what, err), "give text, numbers, lists and objects", err)
}

// storedContent returns content as the column takes it.
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
		return db.ValidUTF8(v), nil
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

// storedText returns a JSON value as Python's json.dumps writes it.
func storedText(v any) string { return string(pyjson.AppendASCII(nil, v)) }

// jsonValue turns a value of a caller into the types that package pyjson writes.
func jsonValue(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64, float64, string, pyjson.Int:
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
	case db.Record:
		out := make(db.Record, len(v))
		for i, f := range v {
			value, err := jsonValue(f.Value)
			if err != nil {
				return nil, err
			}
			out[i] = pyjson.Field{Name: f.Name, Value: value}
		}
		return out, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return pyjson.Parse(string(b))
}

// pythonTruth reports whether Python would take a value for true.
func pythonTruth(v any) bool {
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
	case pyjson.Int:
		return v != "0" && v != "-0"
	case []any:
		return len(v) > 0
	case db.Record:
		return len(v) > 0
	}
	return true
}
