package db

import (
	"database/sql"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// A chunk of a long change reads its messages from an index, and does not sort all that are
// left of the session for it, whatever other indexes the file has.
func TestAChunkSortsNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11-first.db", "v25.db"} {
		q, err := sql.Open("sqlite", fixtures.Database(t, name))
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		rows, err := q.QueryContext(t.Context(), `EXPLAIN QUERY PLAN SELECT * FROM messages WHERE `+NewestMessages, "any", 1)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var plan []string
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, step)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(plan, ", "); !strings.Contains(text, "USING INDEX") || strings.Contains(text, "TEMP B-TREE") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
