package sessiondb

import (
	"context"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// AppendRows appends messages in the shape of [DB.Messages], in one transaction, by the rules
// of [DB.AppendMessage]. newest is the highest id of the session that the caller has seen, 0 for
// none; the error is of [model.KindChanged] where there is a higher one. It returns the highest id
// then, and the names of the fields that no column of the file takes.
func (d *DB) AppendRows(ctx context.Context, session string, newest int64, rows []db.Record) (last int64, unknown []string, err error) {
	encoded, calls := make([]encodedMessage, len(rows)), 0
	for i, row := range rows {
		m, others, more := d.messageOf(row)
		for _, name := range more {
			if !slices.Contains(unknown, name) {
				unknown = append(unknown, name)
			}
		}
		if encoded[i], err = d.encode(m); err != nil {
			return 0, nil, err
		}
		for _, f := range others {
			encoded[i].set(f.Name, f.Value)
		}
		calls += encoded[i].calls
	}
	err = d.db.Write(ctx, "append to session "+session+" in", func(t *db.Tx) error {
		if err := d.checkAppend(ctx, t, session); err != nil {
			return err
		}
		if _, more, err := t.One(ctx, `SELECT 1 FROM messages WHERE session_id = ? AND id > ? LIMIT 1`, session, newest); err != nil {
			return err
		} else if more {
			return &model.Error{
				Kind: model.KindChanged, Path: d.db.Path, Message: "another program has written to session " + session,
				Remedy: model.Advise("try again"),
			}
		}
		at := t.Timestamp
		for _, e := range encoded {
			if e.at != 0 {
				at = e.at
			}
			if last, err = d.insertMessage(ctx, t, e, session, at); err != nil {
				return err
			}
		}
		_, err := t.Exec(ctx, `UPDATE sessions SET message_count = coalesce(message_count, 0) + ?,
			tool_call_count = coalesce(tool_call_count, 0) + ? WHERE id = ?`, len(rows), calls, session)
		return err
	})
	return last, unknown, d.nameContinuation(ctx, session, err)
}

// messageOf makes a message of a row. others are columns that a [NewMessage] does not have, as
// they are stored.
func (d *DB) messageOf(row db.Record) (m NewMessage, others db.Record, unknown []string) {
	for _, f := range row {
		text, ok := f.Value.(string)
		if !ok && f.Value != nil {
			text = storedText(f.Value)
		}
		if f.Value != nil && !d.db.Schema.Has("messages", f.Name) {
			unknown = append(unknown, f.Name)
			continue
		}
		switch f.Name {
		case "role":
			m.Role = text
		case "content":
			m.Content = f.Value
			switch f.Value.(type) {
			case pyjson.Int, bool:
				m.Content = text
			}
		case "timestamp":
			m.Timestamp = db.AsTime(f.Value)
		case "tool_call_id":
			m.ToolCallID = text
		case "tool_name":
			m.ToolName = text
		case "finish_reason":
			m.Finish = text
		case "reasoning":
			m.Reasoning = text
		case "reasoning_content":
			if f.Value != nil {
				m.ReasoningContent = &text
			}
		case "tool_calls":
			m.ToolCalls = f.Value
			if v, err := pyjson.Parse(text); err == nil { // else it is stored as it is
				m.ToolCalls = v
			}
		case "reasoning_details":
			m.ReasoningDetails = f.Value
		case "codex_reasoning_items":
			m.CodexReasoningItems = f.Value
		case "codex_message_items":
			m.CodexMessageItems = f.Value
		case "token_count":
			m.TokenCount = db.AsInt(text)
		case "platform_message_id":
			m.PlatformMessageID = text
		case "observed":
			m.Observed = f.Value == true || db.AsInt(text) != 0
		case "id", "session_id", "active", "compacted", "display_identity", "display_order": // they are those of the new row
		default:
			switch v := f.Value.(type) {
			case nil:
			case int64, float64:
				others = append(others, f)
			case bool:
				others = append(others, pyjson.Field{Name: f.Name, Value: int64(db.AsBit(v))})
			default:
				others = append(others, pyjson.Field{Name: f.Name, Value: db.ValidUTF8(text)})
			}
		}
	}
	return m, others, unknown
}
