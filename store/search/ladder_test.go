package search

import (
	"slices"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// Cached facts about texts agree with the read transaction of each search: after
// changes in place, some of which keep every size, after messages are added, deleted
// and restored, and after merges of the index.
func TestTextFactsFollowEveryChange(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	db := otherConnection(t, path)
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	const put = `INSERT INTO messages (id, session_id, role, content, tool_name, tool_calls, timestamp)
		SELECT ?, session_id, 'assistant', ?, nullif(?, ''), nullif(?, ''), timestamp FROM messages WHERE id = 5`
	rows := [][3]string{ // what is said, the tool, its arguments
		{"so: null it"},
		{"so: null"},
		{"x so:", "nullable", ""},
		{"so:\x00 null"},
		{"so: nul\u00e9"},
		{"x so:", "nul", ""},
		{"x", "so:", "null x"},
		{"null", "x", `["to."]`},
		{"x", "y", `[{"a": {}}]`},
		{"x", "y", "[{}"},
		{"x", "y", "{}"},
		{"x", "y", "}"},
		{"x", "y}", ""},
		{"x}", "y", ""},
		{"}", "", ""},
		{"", "", "{}"},
		{"", "", "]"},
		{"go to. x"},
		{`(to.) \u0041`},
		{"é so: null"},
	}
	add := func(from int) {
		t.Helper()
		for i, row := range rows {
			run(put, from+i, row[0], row[1], row[2])
		}
	}
	s := openAt(t, path)
	queries := []string{`": null"`, `": nul"*`, `"{}"`, `"}"`, `"]"`, `":}"`, `"to."`, `"[to."`, `so -": null"`}
	found := 0
	look := func(stage string) {
		t.Helper()
		for _, q := range queries {
			got, want := ids(t, s, q, nil), ids(t, s, q, func(ex *executor) { ex.words.table = "" })
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s: by index %v more, by reading %v more", stage, q, minus(got, want), minus(want, got))
			}
			found += len(want)
		}
	}
	look("as it came")
	add(900_000)
	look("after messages came")
	for i := range 6 {
		add(901_000 + 100*i)
		run(`UPDATE messages SET content = 'so:' || char(0) || ' null it' WHERE id = ?`, 900_000+100*i)
		look("while they come")
	}
	run(`UPDATE messages SET content = replace(content, ': ', ':' || char(0) || ' ') WHERE id >= 901000 AND id % 100 IN (1, 19)`)
	look("after a NUL came in between")
	run(`UPDATE messages SET content = replace(content, char(0) || ' ', char(0)) WHERE id >= 901000 AND id % 100 IN (1, 19)`)
	look("after a NUL came in the place of a space")
	run(`UPDATE messages SET tool_name = 'xullable', content = 'x so: nullable' WHERE id >= 900000 AND id % 100 = 2`)
	look("after another tool was called")
	run(`UPDATE messages SET tool_name = 'nullable', content = 'x so:' WHERE id >= 900000 AND id % 100 = 4`)
	look("after a tool was called so")
	run(`UPDATE messages SET tool_calls = '{} ' WHERE tool_calls = '{}'`)
	run(`UPDATE messages SET tool_calls = '{]' WHERE tool_calls = '}'`)
	look("after other ends")
	run(`INSERT INTO messages_fts_trigram (messages_fts_trigram, rank) VALUES ('merge', 400)`)
	look("after a merge")
	run(`UPDATE messages SET content = '', tool_name = NULL, tool_calls = NULL WHERE id >= 900000 AND id % 3 = 0`)
	run(`INSERT INTO messages_fts_trigram (messages_fts_trigram) VALUES ('optimize')`)
	look("after some were emptied and all was merged")
	run(`DELETE FROM messages WHERE id >= 901000`)
	look("after some went")
	slices.Reverse(rows)
	add(901_000)
	look("after others came in their place")
	run(`INSERT INTO messages_fts_trigram (messages_fts_trigram, rank) VALUES ('automerge', 0)`)
	run(`UPDATE messages SET content = 'so:' || char(0) || ' null' WHERE content = 'so: null'`)
	look("without merges")
	run(`INSERT INTO messages_fts_trigram (messages_fts_trigram) VALUES ('rebuild')`)
	look("after all was indexed anew")
	run(`UPDATE messages SET content = 'so: null' WHERE content = 'so:' || char(0) || ' null'`)
	look("after the NULs went")
	if found < 3000 {
		t.Errorf("only %d messages were found", found)
	}
}

// A search in an older read transaction neither uses nor changes the facts of a newer
// one.
func TestTextFactsBelongToTheReadTransaction(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	conn := otherConnection(t, path)
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	for i := range 6 {
		run(`INSERT INTO messages (id, session_id, role, content, timestamp)
			SELECT ?, session_id, 'assistant', ?, timestamp FROM messages WHERE id = 5`, 900_000+i, []string{"so: null it", "é so: null it"}[i%2])
	}
	s := openAt(t, path)
	ask := func(q db.Querier) int {
		t.Helper()
		f := s.newExecutor(q, query.Parse(`": null it"`, false), 0)
		found, err := f.messages(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return found.Len()
	}
	err := s.db.ReadTx(t.Context(), func(past db.Querier) error {
		before := ask(past)
		run(`UPDATE messages SET content = replace(content, ':', ':' || char(0)) WHERE id IN (900002, 900003)`)
		for range 2 {
			if now := ask(s.db.Pool); now != before-2 {
				t.Errorf("there are %d, and were %d", now, before)
			}
			if was := ask(past); was != before {
				t.Errorf("there were %d, and then %d", before, was)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// While a key waits for its rows, the newest of the messages that only their texts decide about
// are read, and the answer says that it is not all of it. All of the answer follows, and what is
// found nowhere among the newest is looked for in all.
func TestFirstRowsComeBeforeEveryTextIsRead(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	conn := otherConnection(t, path)
	must(t, conn, `INSERT INTO sessions (id, source, started_at) VALUES ('old', 'cli', 1780000000), ('new', 'cli', 1780000001)`)
	must(t, conn, `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 599)
		INSERT INTO messages (id, session_id, role, content, timestamp)
		SELECT 900000 + i, CASE WHEN i < 300 THEN 'old' ELSE 'new' END, 'user', CASE WHEN i = 0 THEN 'é zyx+] zyx+! zyx' ELSE 'é zyx+] zyx' END, 1780000000 + i FROM n`)
	e := openAt(t, path)
	for range 2 { // before and after everything was prepared
		for _, asked := range []struct {
			text             string
			first, all, hits int
			rowsOnly         bool
		}{{`zyx+`, 1, 2, 600, true}, {`"zyx+!"`, 1, 1, 1, false}, {`zyx`, 2, 2, 600, false}, {`"zyx+?"`, 0, 0, 0, false}} {
			q := query.Parse(asked.text, false)
			first, err := e.Search(t.Context(), q, query.ListOptions{Limit: 60, FirstPage: true})
			if err != nil || len(first.Matches) != asked.first || first.RowsOnly != asked.rowsOnly {
				t.Errorf("%s: first %d rows, rows only: %v, want %d and %v; %v", asked.text, len(first.Matches), first.RowsOnly, asked.first, asked.rowsOnly, err)
			}
			all, err := e.Search(t.Context(), q, query.ListOptions{Limit: 60})
			if err != nil || len(all.Matches) != asked.all || all.Hits != asked.hits || all.RowsOnly {
				t.Errorf("%s: then %d rows, %d hits, rows only: %v, want %d and %d; %v", asked.text, len(all.Matches), all.Hits, all.RowsOnly, asked.all, asked.hits, err)
			}
		}
		if err := e.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
