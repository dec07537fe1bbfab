package db

import (
	"context"
	"strings"
)

// TextSums returns the expressions for the bytes of all texts in a row of a table, and of those
// that the full-text index has. SQLite answers octet_length from the head of a row, without
// the pages that hold the text.
func TextSums(ctx context.Context, q Querier, table string) (texts, indexed string, err error) {
	texts, indexed = "(0", "0"
	n := 0
	err = EachRow(ctx, q, `SELECT name, type FROM temp.pragma_table_info(?)`, []any{table}, func(r Row) {
		name := r.Text(0)
		if !holdsText(r.Text(1)) {
			return
		}
		length := `coalesce(octet_length(` + Quote(name) + `), 0)`
		texts += " + " + length
		if n++; n%500 == 0 { // SQLite takes an expression of 1,000 levels
			texts += ") + (0"
		}
		if name == "content" || name == "tool_name" || name == "tool_calls" {
			indexed += " + " + length
		}
	})
	return texts + ")", indexed, err
}

// holdsText reports whether a column of a declared type has texts.
func holdsText(kind string) bool {
	kind = strings.ToUpper(kind)
	for _, part := range []string{"TEXT", "CHAR", "CLOB", "BLOB"} {
		if strings.Contains(kind, part) {
			return true
		}
	}
	return kind == ""
}

// TextBytes sums the bytes of all texts in the rows of sessions and of their messages.
func TextBytes(ctx context.Context, q Querier, sessions []string) (sum int64, err error) {
	for table, key := range map[string]string{"sessions": "id", "messages": "session_id"} {
		texts, _, err := TextSums(ctx, q, table)
		if err != nil {
			return 0, err
		}
		if err := InChunks(sessions, func(where string, args []any) error {
			return EachRow(ctx, q, `SELECT coalesce(sum(`+texts+`), 0) FROM `+table+` WHERE `+key+` `+where, args, func(r Row) { sum += r.Int(0) })
		}); err != nil {
			return 0, err
		}
	}
	return sum, nil
}
