package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"hermes-sessions/model"
)

// Record is a row as it is stored: every column of the table in its order,
// raw values, then what was computed. It marshals to JSON in that order;
// [model.AppendJSON] writes it as Python does.
type Record = model.Object

// Session gives one session's row, the system prompt looked up where the file
// keeps prompts apart (get_session, store/README.md#session-calls).
func (s *Store) Session(ctx context.Context, id string) (Record, error) {
	records, err := s.Records(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, s.notFound(id)
	}
	return records[0], nil
}

// Records gives the rows of several sessions in the order of ids; those gone
// are left out.
func (s *Store) Records(ctx context.Context, ids []string) ([]Record, error) {
	found, err := s.readRecords(ctx, s.db, ids, s.sessionRow())
	if err != nil {
		return nil, s.wrap("read sessions of", err)
	}
	return inOrder(ids, found), nil
}

// Messages gives the rows of one session's transcript by id: content decoded,
// tool_calls parsed (junk is an empty list), the other JSON columns as text
// (get_messages, store/README.md#chat-messages). Rewound messages and those archived by
// compaction are left out. An unknown session has none.
func (s *Store) Messages(ctx context.Context, id string) ([]Record, error) {
	out := []Record{}
	err := s.eachMessage(ctx, s.db, id, func(r Record) error {
		out = append(out, r)
		return nil
	})
	return out, s.wrap("read messages of", err)
}

// eachMessage reads what [Store.Messages] gives, one at a time.
func (s *Store) eachMessage(ctx context.Context, q queryer, id string, each func(Record) error) error {
	return s.readMessageRows(ctx, q, `m.session_id = ? AND `+s.schema.active("m")+` ORDER BY m.id`, []any{id}, each)
}

// readMessageRows reads rows of messages m decoded as [Store.Messages] says.
// where may go on with an order and a limit.
func (s *Store) readMessageRows(ctx context.Context, q queryer, where string, args []any, each func(Record) error) error {
	rows, err := q.QueryContext(ctx, `SELECT `+s.columns("messages", "m")+` FROM messages m WHERE `+where, args...)
	if err != nil {
		return err
	}
	return eachRecord(rows, func(r Record) error {
		for i := range r {
			switch r[i].Name {
			case "content":
				if stored, ok := r[i].Value.(string); ok {
					r[i].Value, _ = model.StoredContent(stored)
				}
			case "tool_calls":
				stored, ok := r[i].Value.(string)
				if !ok || stored == "" {
					continue
				}
				v, err := model.ParseJSON(stored)
				if err != nil {
					v = []any{}
				}
				r[i].Value = v
			}
		}
		return each(r)
	})
}

// columns lists all columns of a table by name.
func (s *Store) columns(table, alias string) string {
	var names []string
	for _, name := range s.schema.order[table] {
		names = append(names, alias+"."+quote(name))
	}
	return strings.Join(names, ", ")
}

// sessionRow lists the columns of sessions s, the system prompt looked up.
func (s *Store) sessionRow() string {
	columns := s.columns("sessions", "s")
	if s.schema.has("system_prompts", "prompt") && s.schema.has("sessions", "system_prompt_hash") {
		const inline = `s."system_prompt"`
		columns = strings.Replace(columns, inline+",",
			`coalesce((SELECT prompt FROM system_prompts WHERE hash = s.system_prompt_hash), `+inline+`) AS system_prompt,`, 1)
	}
	return columns
}

// lastActive computes the column of that name for sessions s: the newest
// message, or the start where there is none, or the writer's
// own note where that is newer (store/README.md#last-activity).
func (s *Store) lastActive() string {
	newest := `coalesce((SELECT max(timestamp) FROM messages WHERE session_id = s.id), s.started_at)`
	if !s.schema.has("sessions", "last_activity_at") {
		return newest + ` AS last_active`
	}
	return `max(` + newest + `, coalesce(s.last_activity_at, ` + newest + `)) AS last_active`
}

// readRecords reads rows of sessions by id. columns must begin after an id.
func (s *Store) readRecords(ctx context.Context, q queryer, ids []string, columns string) (map[string]Record, error) {
	found := make(map[string]Record, len(ids))
	for chunk := range slices.Chunk(ids, 500) {
		args := make([]any, len(chunk))
		for i, id := range chunk {
			args[i] = id
		}
		rows, err := q.QueryContext(ctx, `SELECT s.id, `+columns+` FROM sessions s WHERE s.id IN (`+
			strings.TrimSuffix(strings.Repeat("?,", len(chunk)), ",")+`)`, args...)
		if err != nil {
			return nil, err
		}
		err = eachRecord(rows, func(r Record) error {
			found[text(r[0].Value)] = r[1:]
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func inOrder(ids []string, found map[string]Record) []Record {
	out := make([]Record, 0, len(ids))
	for _, id := range ids {
		if r, ok := found[id]; ok {
			out = append(out, r)
		}
	}
	return out
}

// eachRecord turns rows into records and closes them.
func eachRecord(rows *sql.Rows, each func(Record) error) error {
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		r := make(Record, len(names))
		for i, name := range names {
			r[i] = model.Field{Name: name, Value: values[i]}
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return rows.Err()
}
