package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// workspaces makes a home whose conversations belong to two repositories of one name, to a folder
// without one, and to a folder that is gone. It returns the home and the folder that holds them.
func workspaces(t *testing.T, file string) (home, top string) {
	t.Helper()
	home, top = t.TempDir(), t.TempDir()
	top, err := filepath.EvalSymlinks(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"a/site/.git/objects", "a/site/src", "b/site/docs", "notes/sub", "empty/.git"} {
		if err := os.MkdirAll(filepath.Join(top, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a/site/.git/HEAD", "b/site/.git"} { // a repository, and a work tree of its own
		if err := os.WriteFile(filepath.Join(top, name), []byte("gitdir: elsewhere\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := filepath.Join(home, "state.db")
	fixtures.Unpack(t, file, db)
	at := func(id, folder, root, source, active string) []string {
		return []string{
			`INSERT INTO sessions (id, source, title, started_at, ended_at, cwd, git_repo_root) VALUES ('` + id + `', '` + source + `', 'in ` + id + `', 1789000000, 1789000001, '` +
				filepath.Join(top, folder) + `', nullif('` + root + `', ''))`,
			`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('` + id + `', 'user', 'said', ` + active + `)`,
		}
	}
	fixtures.Exec(t, db, at("site-a", "a/site/src", filepath.Join(top, "a/site"), "cli", "1789990100")...)
	fixtures.Exec(t, db, at("site-b", "b/site", filepath.Join(top, "b/site"), "oneshot", "1789990200")...)
	fixtures.Exec(t, db, at("notes", "notes", "", "cli", "1789990300")...)
	fixtures.Exec(t, db, at("typed", "notes", "", "tui", "1789990250")...)
	fixtures.Exec(t, db, at("gone", "gone", "", "cli", "1789999990")...)
	return home, top
}

// Without a name, what was active last in this workspace is resumed: the repository, else the
// folder, else anywhere, where a note says so.
func TestResumeGoesByTheWorkspace(t *testing.T) {
	for _, file := range []string{"v25.db", "v26.db", "v31.db"} {
		home, top := workspaces(t, file)
		for _, c := range []struct{ folder, args, id, note string }{
			{"a/site", "", "site-a", ""},
			{"a/site/src", "LATEST", "site-a", ""},
			{"b/site/docs", "latest", "site-b", ""},
			{"notes", "", "notes", ""},
			{"notes/sub", "", "gone", "no conversation belongs to "}, // Hermes looks below a folder, not above
			{"empty", "", "gone", "no conversation belongs to "},
			{"notes", "--anywhere", "gone", ""},
			{"notes", "--tui", "typed", ""},
			{"a/site", "--tui", "typed", "no conversation belongs to "},
			{"a/site", "in notes", "notes", ""},
		} {
			t.Chdir(filepath.Join(top, c.folder))
			code, out, errs := run(t, home, "", append([]string{"resume", "--json"}, strings.Fields(c.args)...)...)
			var r struct{ ID, Folder string }
			if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.ID != c.id {
				t.Errorf("%s: in %s, resume %s: %d %q, want %s: %v %s", file, c.folder, c.args, code, r.ID, c.id, err, errs)
			}
			if want := c.note; want == "" != !strings.Contains(errs, "no conversation belongs to ") {
				t.Errorf("%s: in %s, resume %s says %s", file, c.folder, c.args, errs)
			}
			if (c.id == "gone") != (r.Folder == "") || c.id == "gone" && !strings.Contains(errs, "no longer exists") {
				t.Errorf("%s: in %s, resume %s: folder %q: %s", file, c.folder, c.args, r.Folder, errs)
			}
		}
		if code, out, errs := run(t, home, "", "resume", "--print", "site-b"); code != 0 || !strings.HasPrefix(out, "cd "+filepath.Join(top, "b/site")+" && ") {
			t.Errorf("%s: %d %s%s", file, code, out, errs)
		}
		if code, out, errs := run(t, home, "", "resume", "--print", "gone"); code != 0 || strings.Contains(out, "cd ") || !strings.Contains(errs, "the folder of the conversation no longer exists") {
			t.Errorf("%s: %d %s%s", file, code, out, errs)
		}
	}
}

// A continuation without messages is said before it is resumed, with the way to the segment
// before it; Hermes goes to the empty one from there too.
func TestResumeSaysThatAContinuationIsEmpty(t *testing.T) {
	for _, file := range []string{"v26.db", "v31.db"} {
		home := t.TempDir()
		fixtures.Unpack(t, file, filepath.Join(home, "state.db"))
		var named map[string]struct{ Named map[string]any }
		if err := json.Unmarshal(fixtures.Read(t, "manifest-26-31.json"), &named); err != nil {
			t.Fatal(err)
		}
		id := func(name string) string { return named[file].Named[name].(string) }
		full, empty := id("chain_empty1"), id("chain_empty2")
		code, out, errs := run(t, home, "", "resume", "Empty continuation")
		if code != 1 || out != "" || !strings.Contains(errs, "its newest segment has no messages") || !strings.Contains(errs, full) ||
			!strings.Contains(errs, "hermes-sessions delete --segment "+empty) {
			t.Errorf("%s: %d %s%s", file, code, out, errs)
		}
		if code, out, errs := run(t, home, "", "resume", id("branch_parent")); code != 1 || out != "" || !strings.Contains(errs, "Hermes goes on in a later session") {
			t.Errorf("%s: %d %s%s", file, code, out, errs)
		}
	}
}

// delete takes the title of a series for none: the one that is spelled so may be meant.
func TestDeleteRefusesTheTitleOfASeries(t *testing.T) {
	home := t.TempDir()
	fixtures.Unpack(t, "v26.db", filepath.Join(home, "state.db"))
	code, out, errs := run(t, home, "", "delete", "--yes", "my project")
	if code != 1 || out != "" || !strings.Contains(errs, "'my project' is the title of a series, of which 20260807_141320_81a99e 'my project #2' is the newest") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

// The list has the workspaces where any row has one, as Hermes has them, and the source that
// began a conversation where another goes on.
func TestListHasWorkspaces(t *testing.T) {
	home, top := workspaces(t, "v31.db")
	db := filepath.Join(home, "state.db")
	fixtures.Exec(t, db, `UPDATE sessions SET created_source = 'tui' WHERE id = 'notes'`, `UPDATE sessions SET title = NULL WHERE id = 'notes'`)
	for _, c := range []struct {
		args []string
		out  string
	}{
		{
			[]string{"--workspace", "SITE", "--source", "cli,oneshot"},
			"Title                        Workspace          Last Active   ID\n" + strings.Repeat("─", 64) + "\n" +
				"in site-b                    site               2h ago        site-b\n" +
				"in site-a                    site               2h ago        site-a\n",
		},
		{
			[]string{"--workspace", filepath.Join(top, "notes"), "--source", "cli"},
			"Preview                                Workspace          Last Active   Src    ID\n" + strings.Repeat("─", 81) + "\n" +
				"said                                   notes              2h ago        tui→cli notes\n",
		},
	} {
		code, out, errs := run(t, home, "", append([]string{"list"}, c.args...)...)
		if code != 0 || out != c.out {
			t.Errorf("%q: %d\n%s%s", c.args, code, out, errs)
		}
	}
	if code, out, _ := run(t, home, "", "list", "--workspace", "no_such"); code != 1 || out != "" {
		t.Errorf("%d %s", code, out)
	}
	var list struct {
		Sessions []struct {
			ID, Workspace string
			Created       string `json:"created_source"`
		}
	}
	answerOf(t, home, &list, "list", "--workspace", filepath.Join(top, "notes"), "--source", "cli")
	if len(list.Sessions) != 1 || list.Sessions[0].Created != "tui" || list.Sessions[0].Workspace != filepath.Join(top, "notes") {
		t.Errorf("%+v", list)
	}
}
