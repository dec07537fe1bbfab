package db

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
)

// Record is a row as it is stored: every column of the table in its order,
// raw values, then the computed fields. It marshals to JSON in that order;
// [pyjson.Append] writes it as Python does.
type Record = pyjson.Object

// SelectColumns lists all columns of a table by name.
func (d *DB) SelectColumns(table, alias string) string {
	return selectAll(d.Schema, alias, d.Schema.ColumnOrder[table])
}

func selectAll(s Schema, alias string, columns []string) string {
	var names []string
	for _, name := range columns {
		names = append(names, selected(s, alias, name))
	}
	return strings.Join(names, ", ")
}

// IsDisplaySlot reports whether a column of messages says where Hermes shows the message. It
// works these columns out from the others and from row numbers, fills in those that are
// missing, and leaves them out of its answers (store/README.md#messages-table).
func IsDisplaySlot(column string) bool {
	return column == "display_identity" || column == "display_order"
}

// selected returns a column that gets the name that Hermes gives it.
func selected(s Schema, alias, name string) string {
	column := alias + "." + Quote(name)
	if s.otherCase {
		column += " AS " + Quote(name)
	}
	return column
}

// SessionRow lists the columns of sessions s, the system prompt looked up.
func (d *DB) SessionRow() string {
	columns := d.SelectColumns("sessions", "s")
	if d.Schema.Has("system_prompts", "prompt") && d.Schema.Has("sessions", "system_prompt_hash") {
		columns = strings.Replace(columns, selected(d.Schema, "s", "system_prompt")+",",
			`coalesce((SELECT prompt FROM system_prompts WHERE hash = s.system_prompt_hash), s."system_prompt") AS system_prompt,`, 1)
	}
	return columns
}

// LastActiveExpr computes the column of that name for sessions s: the newest
// message, or the start where there is none, or the writer's
// own note where that is newer (store/README.md#last-activity).
func (d *DB) LastActiveExpr() string {
	newest := `coalesce((SELECT max(timestamp) FROM messages WHERE session_id = s.id), s.started_at)`
	if !d.Schema.Has("sessions", "last_activity_at") {
		return newest + ` AS last_active`
	}
	return `max(` + newest + `, coalesce(s.last_activity_at, ` + newest + `)) AS last_active`
}

// ReadRecords reads rows of sessions by id. columns must begin after an id.
func (d *DB) ReadRecords(ctx context.Context, q Querier, ids []string, columns string) (map[string]Record, error) {
	found := make(map[string]Record, len(ids))
	for chunk := range slices.Chunk(ids, 500) {
		args := BindArgs(chunk)
		rows, err := q.QueryContext(ctx, `SELECT s.id, `+columns+` FROM sessions s WHERE s.id IN (`+
			Placeholders(len(chunk))+`)`, args...)
		if err != nil {
			return nil, err
		}
		err = ScanRecords(rows, func(r Record) error {
			found[AsText(r[0].Value)] = r[1:]
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// OrderRecords returns the records of these ids in the order of ids, without those that are
// not in found.
func OrderRecords(ids []string, found map[string]Record) []Record {
	out := make([]Record, 0, len(ids))
	for _, id := range ids {
		if r, ok := found[id]; ok {
			out = append(out, r)
		}
	}
	return out
}

// ScanRecords turns rows into records and closes them.
func ScanRecords(rows *sql.Rows, each func(Record) error) error {
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
			r[i] = pyjson.Field{Name: name, Value: values[i]}
			values[i] = nil
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// EachMessage reads what [sessiondb.DB.Messages] gives, one at a time, in a read
// transaction.
func (d *DB) EachMessage(ctx context.Context, q Querier, id string, each func(Record) error) error {
	where := `m.session_id = ? AND ` + d.Schema.ActiveRows("m")
	if !strings.Contains(d.Schema.Tables["messages"], "id INTEGER PRIMARY KEY AUTOINCREMENT") {
		return d.ReadMessageRows(ctx, q, where+` ORDER BY m.id`, []any{id}, each)
	}
	var ids []int64 // which are sorted, not whole texts
	if err := EachRow(ctx, q, `SELECT m.id FROM messages m WHERE `+where, []any{id}, func(r Row) { ids = append(ids, r.Int(0)) }); err != nil {
		return err
	}
	list := JSONList(slices.Values(ids))
	found, err := QueryValue(ctx, q, `SELECT count(*) FROM messages m WHERE m.id IN (SELECT value FROM temp.json_each(?))`, list)
	if err == nil && int(AsInt(found)) != len(ids) {
		err = ErrRowsLost
	}
	if err != nil {
		return err
	}
	return d.ReadMessageRows(ctx, q, `m.id IN (SELECT value FROM temp.json_each(?)) ORDER BY m.id`, []any{list}, each)
}

// ReadMessageRows reads rows of messages m decoded as [sessiondb.DB.Messages] says.
// where may go on with an order and a limit.
func (d *DB) ReadMessageRows(ctx context.Context, q Querier, where string, args []any, each func(Record) error) error {
	columns := slices.DeleteFunc(slices.Clone(d.Schema.ColumnOrder["messages"]), IsDisplaySlot)
	rows, err := q.QueryContext(ctx, `SELECT `+selectAll(d.Schema, "m", columns)+` FROM messages m WHERE `+where, args...)
	if err != nil {
		return err
	}
	return ScanRecords(rows, func(r Record) error {
		for i := range r {
			switch r[i].Name {
			case "content":
				if stored, ok := r[i].Value.(string); ok {
					r[i].Value, _ = model.ParseContent(stored)
				}
			case "tool_calls":
				stored, ok := r[i].Value.(string)
				if !ok || stored == "" {
					continue
				}
				v, err := pyjson.Parse(stored)
				if err != nil {
					v = []any{}
				}
				r[i].Value = v
			case "display_metadata":
				r[i].Value = displayMetadata(r[i].Value)
			}
		}
		return each(r)
	})
}

// displayMetadata returns the column of that name as Hermes reads it: an object, or nil for
// anything else. Earlier releases encoded the object twice.
func displayMetadata(stored any) any {
	for range 2 {
		text, ok := stored.(string)
		if !ok {
			break
		}
		stored, _ = pyjson.Parse(text) // nil for an error
	}
	if o, ok := stored.(pyjson.Object); ok {
		return o
	}
	return nil
}
