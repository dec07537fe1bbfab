package search

import (
	"slices"
	"strconv"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/sessionroles"
)

// Filters on messages keep the messages that pass each by itself, whether their roles
// are cached or read, also after messages were added and deleted.
func TestMessageFiltersApplyToEachMessage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v06.db", "v10.db", "v11.db", "v25.db", "v31.db"} {
		if name < "v11.db" && !campaign.On() {
			continue
		}
		path := fixtures.Database(t, name)
		conn := otherConnection(t, path)
		s := openAt(t, path)
		if _, err := conn.ExecContext(t.Context(), `INSERT INTO messages (session_id, role, content, tool_name, tool_calls, timestamp)
			SELECT session_id, column1, 'the a docker', column2, column3, timestamp FROM messages, (VALUES
			('user', NULL, NULL), ('agent', 'odd role', NULL), ('tool', 'Terminal', NULL), ('', 'read_file', NULL), ('Tool', 'read-file', NULL), ('tool', 'näme', NULL),
			('assistant', NULL, '[{"function": {"name": "terminal"}}, {"function": {"name": "n\u00e4me"}}]'), ('assistant', NULL, 'terminal'),
			('tool', '~/', NULL), ('tool', '~/', '[]'), ('tool', '~/x', NULL), ('tool', '~/~', NULL), ('tool', '/', NULL), ('tool', '部署', NULL), ('tool', '部署~', NULL), ('assistant', NULL, '[{"name": "~/"}]'), ('assistant', NULL, '[{"name":"\u007e/"}]'),
			('assistant', NULL, '[{"name": "~\/"}]'), ('assistant', NULL, '"[{\"name\": \"~/\"}]"'), ('assistant', NULL, '"[{\"name\": \"\\u007e/\"}]"'), ('assistant', NULL, '"[{\"name\": \"~\\/\"}]"'),
			('assistant', NULL, '[{"name": "~\/x"}]'), ('assistant', NULL, '[{"name": "\u90e8署"}]'), ('assistant', NULL, '[{"name": "部\u7f72x"}]'), ('assistant', NULL, '[{"name": "x", "arguments": "~/"}]')) WHERE id = 5`); err != nil {
			t.Fatal(err)
		}
		judged, passed := 0, 0
		check := func() {
			t.Helper()
			for k, words := range []string{"the", "a*", "docker OR file"} {
				for i, filters := range []string{
					"role:user", "-role:user", "role:tool role:assistant", "role:agent", "role:t*", "-role:tool -role:user", "role:nobody",
					"tool:terminal", "-tool:terminal", "tool:t*", "-tool:read_file -tool:terminal", "tool:read_file tool:terminal", "tool:read* -tool:terminal",
					"role:tool -tool:terminal", "-role:tool tool:terminal", "-tool:näme", "tool:näme", "-tool:_", "tool:odd",
					"tool:~/", "-tool:~/", "tool:~*", "-tool:~/*", "tool:/", "-tool:/", "tool:~/x", "-tool:~/x", "tool:~/x*", "tool:部署", "-tool:部署", "tool:部*", "-tool:~/ -tool:terminal", "tool:~/ tool:terminal", "tool:§", `-tool:\\`,
				} {
					if (i+k)%campaign.Length(3, 1) > 0 {
						continue
					}
					q := query.Parse(words+" "+filters, false)
					f := s.newExecutor(s.db.Pool, q, 0)
					got, err := f.messages(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					plain := q
					plain.Filters = nil
					all, err := s.newExecutor(s.db.Pool, plain, 0).messages(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					want := &idset.Set{}
					if err := db.EachRow(t.Context(), f.tx, `SELECT m.id, m.role, `+f.toolNameColumn+`, `+f.toolCallsColumn+` FROM messages m`, nil, func(r db.Row) {
						if all.Has(r.Int(0)) && query.MessagePasses(q.Filters, r.Text(1), sessionroles.ToolNames(r[2], r[3])) {
							want.Add(r.Int(0))
						}
					}); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got.Rowids(), want.Rowids()) {
						t.Errorf("%s: %s: %v more, %v less", name, q.Text, minus(got.Rowids(), want.Rowids()), minus(want.Rowids(), got.Rowids()))
					}
					judged, passed = judged+all.Len(), passed+want.Len()
				}
			}
		}
		check()
		check()
		// Other messages get the ids of deleted ones.
		last := count(t, s, `SELECT max(id) FROM messages`)
		for _, statement := range []string{
			`DELETE FROM messages WHERE id > ` + strconv.Itoa(last-4),
			`INSERT INTO messages (id, session_id, role, content, timestamp) SELECT ` + strconv.Itoa(last-1) + `, session_id, 'user', 'the docker a', timestamp FROM messages WHERE id = 5`,
			`INSERT INTO messages (id, session_id, role, content, timestamp) SELECT ` + strconv.Itoa(last+5) + `, session_id, 'system', 'the docker a', timestamp FROM messages WHERE id = 5`,
		} {
			if _, err := conn.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Search(t.Context(), query.Parse("the", false), query.ListOptions{}); err != nil {
				t.Fatal(err)
			}
			check()
		}
		if judged < campaign.Length(700, 2000) || passed < campaign.Length(170, 500) {
			t.Errorf("%s: of %d messages %d passed", name, judged, passed)
		}
	}
}

// A tool that a filter names is also searched in the index. That does not change which
// messages the filter keeps.
func TestToolNameTermKeepsTheAnswerOfTheFilter(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	for _, tools := range []string{"tool:terminal", "tool:term*", "tool:web_search", "tool:read_file tool:patch", "tool:none"} {
		q := query.Parse("the "+tools, false)
		all, err := s.newExecutor(s.db.Pool, query.Parse("the", false), 0).messages(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, err := messageFilters{s.newExecutor(s.db.Pool, q, 0)}.apply(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.newExecutor(s.db.Pool, q, 0).messages(t.Context())
		if err != nil || !slices.Equal(got.Rowids(), want.Rowids()) {
			t.Errorf("%s: %d, want %d (%v)", tools, got.Rowids(), want.Rowids(), err)
		}
	}
}
