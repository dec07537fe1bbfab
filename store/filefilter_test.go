package store

import (
	"fmt"
	"slices"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/model/files"
	"hermes-sessions/model/query"
)

// On files of every version: file: finds the sessions that reading the calls of all
// messages gives, prepared and not, and again after another process has written.
func TestFileFilterAgreesWithTheCalls(t *testing.T) {
	t.Parallel()
	values := []string{"config.yaml", "src/**/*.py", "*.py", "src/", "./docker-compose.yml", "/config.yaml", "store_test.go", "pkg/store", "*", "no/such", "Résumé*.md", "部署.md", "notes/my plan.md"}
	found := 0
	for _, name := range versionsToTest(t) {
		path := fixture(t, name)
		s := openAt(t, path)
		look := func(stage string) {
			t.Helper()
			for _, value := range values {
				want := sessionsWithFile(t, s, value)
				page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll, EverySession: true, Filters: query.Parse(`file:"`+value+`"`, false).Filters})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, c := range page.Conversations {
					got = append(got, c.ID)
				}
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("%s %s: file:%s finds %v, want %v", name, stage, value, got, want)
				}
				found += len(want)
			}
		}
		look("as it came")
		other := otherConnection(t, path)
		for i, path := range []string{"R\u00e9sum\u00e9 2.md", "部署.md", `notes\my plan.md`} {
			arguments := fmt.Sprintf(`[{"id": "c%d", "function": {"name": "write_file", "arguments": %q}}]`, i, fmt.Sprintf(`{"path": %+q}`, path))
			if _, err := other.ExecContext(t.Context(), `INSERT INTO messages (session_id, role, content, tool_calls, timestamp)
				SELECT session_id, 'assistant', '', ?, timestamp FROM messages ORDER BY id LIMIT 1 OFFSET ?`, arguments, 40*i); err != nil {
				t.Fatal(err)
			}
		}
		look("after more was written")
	}
	if found < campaign.Length(60, 200) {
		t.Errorf("only %d sessions were found", found)
	}
}

// sessionsWithFile reads all messages for the sessions that work on a file.
func sessionsWithFile(t *testing.T, s *Store, value string) []string {
	t.Helper()
	rows, err := s.db.Pool.QueryContext(t.Context(), `SELECT m.session_id, coalesce(`+s.db.Schema.ColumnOrNull("sessions", "s", "cwd")+`, ''), m.tool_calls
		FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.tool_calls <> '' AND `+s.db.Schema.NotRewoundRows("m")+s.db.Schema.AndNotHidden("m"))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	pattern, ids := files.NewPattern(value, false), []string{}
	for rows.Next() {
		var id, folder, stored string
		if err := rows.Scan(&id, &folder, &stored); err != nil {
			t.Fatal(err)
		}
		calls, _ := model.DecodeCalls(stored)
		for _, c := range calls {
			for _, use := range files.Of(c) {
				if pattern.Matches(folder, use.Path) {
					ids = append(ids, id)
				}
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// A failed call counts for the tool of its result, or of its call where the result names
// none, with words and without an image beside them.
func TestFailedFilter(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v10.db", "v11.db", "v23.db", "v25.db", "v31.db"} {
		path := fixture(t, name)
		s := openAt(t, path)
		other := otherConnection(t, path)
		ids := sessionsOf(t, s, `SELECT id FROM sessions WHERE id IN (SELECT session_id FROM messages) ORDER BY id LIMIT 3`)
		for i, row := range [][4]string{
			{"assistant", "", `[{"id": "bad", "function": {"name": "patch", "arguments": "{}"}}]`, ""},
			{"tool", `{"output": "", "exit_code": 2}`, "", "bad"},
			{"tool", "Error: no such host", "", "none"},
			{"tool", "\x00json:" + `[{"type": "text", "text": "Error: no picture"}]`, "", "none"},
		} {
			tool := map[int]string{2: "web_extract", 3: "vision"}[i]
			if _, err := other.ExecContext(t.Context(), `INSERT INTO messages (session_id, role, content, tool_calls, tool_call_id, tool_name, timestamp)
				VALUES (?, ?, ?, nullif(?, ''), nullif(?, ''), nullif(?, ''), 1750000000)`, ids[max(0, i-1)], row[0], row[1], row[2], row[3], tool); err != nil {
				t.Fatal(err)
			}
		}
		if names, err := s.FieldValues(t.Context(), query.FieldFile); err != nil || !slices.ContainsFunc(names, func(v query.FieldValue) bool { return v.Value == "config.yaml" }) {
			t.Errorf("%s: the names of files are %v (%v)", name, names, err)
		}
		for filter, want := range map[string]string{"failed:patch": ids[0], "failed:web*": ids[1], "failed:vision": ids[2], "failed:terminal": ""} {
			page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll, EverySession: true, Filters: query.Parse(filter, false).Filters})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(page.Conversations); want == "" && n > 0 || want != "" && (n != 1 || page.Conversations[0].ID != want) {
				t.Errorf("%s: %s finds %d conversations, want that of %q", name, filter, n, want)
			}
		}
		values, err := s.FieldValues(t.Context(), query.FieldFailed)
		if err != nil || len(values) != 3 {
			t.Errorf("%s: tools that failed are %v (%v)", name, values, err)
		}
	}
}

// The files of a conversation, with failed calls apart and paths relative to its folder.
func TestFilesOfAConversation(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v11.db", "v25.db", "v31.db"} {
		path := fixture(t, name)
		s := openAt(t, path)
		other := otherConnection(t, path)
		exec := func(statement string, args ...any) {
			t.Helper()
			if _, err := other.ExecContext(t.Context(), statement, args...); err != nil {
				t.Fatal(err)
			}
		}
		exec(`INSERT INTO sessions (id, source, started_at) VALUES ('files', 'cli', 1750000000)`)
		folder := ""
		if s.db.Schema.Has("sessions", "cwd") {
			folder = "/app/"
			exec(`UPDATE sessions SET cwd = '/app' WHERE id = 'files'`)
		}
		for i, row := range [][4]string{
			{"assistant", "", `[{"id": "a", "function": {"name": "read_file", "arguments": "{\"path\": \"go.mod\"}"}}, {"id": "b", "function": {"name": "patch", "arguments": "{\"path\": \"./go.mod\", \"old_string\": \"a\", \"new_string\": \"b\\nc\"}"}}]`, ""},
			{"tool", "module x", "", "a"},
			{"tool", `{"success": true}`, "", "b"},
			{"assistant", "", `[{"id": "c", "function": {"name": "patch", "arguments": "{\"path\": \"` + folder + `go.mod\", \"old_string\": \"a\", \"new_string\": \"b\"}"}}]`, ""},
			{"tool", `{"success": false, "error": "no match"}`, "", "c"},
			{"assistant", "", `[{"id": "d", "function": {"name": "write_file", "arguments": {"path": "/etc/x", "content": "1\n2\n"}}}]`, ""},
			{"assistant", "", `[{"id": "e", "function": {"name": "read_file", "arguments": "{\"path\": \"a b.md\"}"}}]`, ""},
		} {
			exec(`INSERT INTO messages (id, session_id, role, content, tool_calls, tool_call_id, timestamp) VALUES (?, 'files', ?, ?, nullif(?, ''), nullif(?, ''), ?)`,
				800_000+i, row[0], row[1], row[2], row[3], 1750000000+i)
		}
		got, err := s.Files(t.Context(), "files")
		if err != nil {
			t.Fatal(err)
		}
		want := []files.File{
			{Path: "/etc/x", Writes: 1, Added: 2, First: 800_005, Last: 800_005},
			{Path: "go.mod", Reads: 1, Edits: 1, Added: 2, Removed: 1, Failed: 1, First: 800_000, Last: 800_000},
			{Path: "a b.md", Reads: 1, First: 800_006, Last: 800_006},
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %+v\nwant %+v", name, got, want)
		}
	}
}
