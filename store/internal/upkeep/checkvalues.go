package upkeep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// The columns whose values checkValues compares with what Hermes writes there, besides
// every text.
var (
	requiredColumns = []string{"id", "session_id", "role", "source", "timestamp", "started_at"}
	timeColumns     = []string{"timestamp", "started_at", "ended_at"}
	jsonColumns     = []string{"tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items", "model_config"}
)

// Times outside of these are no times of a session, in seconds since the epoch: the
// beginning of the years 2000 and 2100.
const (
	earliestTime = 946_684_800
	latestTime   = 4_102_444_800
)

// checkValues finds values that no writer of such a column stores: times that are text or
// absurd, JSON that cannot be parsed, text that is not UTF-8, NULL where none belongs, and
// counts of messages that disagree with the messages. It reads every text, so that large
// files are left to a thorough check.
func (c *checkRun) checkValues(ctx context.Context, thorough bool) error {
	if c.damaged || !thorough && c.Bytes > maxComparedBytes {
		return nil
	}
	var lines []string
	var shown model.Remedy // how to look at the first row
	done := int64(0)
	for _, table := range []string{"sessions", "messages"} {
		odd := map[string]*oddValues{}
		key := c.upkeep.db.Schema.RowKey(table)
		err := db.EachRow(ctx, c.upkeep.db.Pool, `SELECT quote(`+key+`), `+plainColumns(c.upkeep.db.Schema.ColumnOrder[table])+` FROM main.`+table+` NOT INDEXED`, nil, func(r db.Row) {
			if done++; done%reportEvery == 0 {
				c.upkeep.report(model.Progress{Step: "checking the values", Done: done, Total: int64(c.Sessions + c.Messages), Unit: "rows"})
			}
			for i, name := range c.upkeep.db.Schema.ColumnOrder[table] {
				if what := oddValue(name, r[i+1]); what != "" {
					what = fmt.Sprintf("%s in %s.%s", what, table, name)
					if odd[what] == nil {
						odd[what] = &oddValues{first: r.Text(0)}
					}
					odd[what].count++
				}
			}
		})
		if err != nil {
			return err
		}
		for _, what := range slices.Sorted(maps.Keys(odd)) {
			o := odd[what]
			lines = append(lines, fmt.Sprintf("%s (%s)", what, model.Quantity(o.count, "row")))
			if shown.Text == "" {
				shown = c.upkeep.db.AdviseStatement("no action needed; this command shows the first one", fmt.Sprintf(`SELECT * FROM %s WHERE %s = %s`, table, key, o.first))
			}
		}
	}
	if len(lines) > 0 {
		c.addAdvice(model.NoteOddValues, "values that Hermes does not write are shown as far as possible: "+strings.Join(lines, "; "), shown)
	}
	return c.checkCounts(ctx)
}

// oddValues counts rows with an odd value.
type oddValues struct {
	count int
	first string // its key, as SQL
}

// plainColumns lists columns with a "+", which hides the declared type, by which the
// driver would change the value.
func plainColumns(names []string) string {
	var out []string
	for _, name := range names {
		out = append(out, "+"+db.Quote(name))
	}
	return strings.Join(out, ", ")
}

// oddValue says what is odd about a value of a column, "" where nothing is.
func oddValue(column string, v any) string {
	if v == nil {
		if slices.Contains(requiredColumns, column) {
			return "NULL"
		}
		return ""
	}
	if slices.Contains(timeColumns, column) {
		var at float64
		switch v := v.(type) {
		case int64:
			at = float64(v)
		case float64:
			at = v
		default:
			return "text instead of a time"
		}
		if at < earliestTime || at > latestTime {
			return "a time out of range"
		}
		return ""
	}
	text, ok := v.(string)
	if !ok {
		return ""
	}
	if !utf8.ValidString(text) {
		return "text that is not UTF-8"
	}
	stored, marked := strings.CutPrefix(text, "\x00json:")
	if column == "content" && marked || slices.Contains(jsonColumns, column) && text != "" {
		if column != "content" {
			stored = text
		}
		if _, err := pyjson.Parse(stored); err != nil {
			return "JSON that cannot be parsed"
		}
	}
	return ""
}

// checkCounts finds sessions that state more messages than they have. Fewer are no sign:
// Hermes counts only the active ones after a compaction.
func (c *checkRun) checkCounts(ctx context.Context) error {
	u := c.upkeep
	if !u.db.Schema.Has("sessions", "message_count") {
		return nil
	}
	var n int
	err := scanCount(ctx, u.db.Pool, &n, `SELECT count(*) FROM sessions s LEFT JOIN (SELECT session_id, count(*) AS n FROM messages GROUP BY session_id) m ON m.session_id = s.id
		WHERE typeof(s.message_count) = 'integer' AND s.message_count > coalesce(m.n, 0)`)
	if err == nil && n > 0 {
		c.addAdvice(model.NoteCounts, countNoun(n, "session counts", "sessions count")+" more messages than exist: some were removed, or are lost",
			u.db.AdviseStatement("no action needed; SQLite lists them", `SELECT id, message_count FROM sessions s WHERE message_count > (SELECT count(*) FROM messages WHERE session_id = s.id)`))
	}
	return err
}
