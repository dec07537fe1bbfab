package cli

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"hermes-sessions/store"
)

// home makes a Hermes home with a few sessions and gives its path.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	if _, err := store.Migrate(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	code, _, errs := run(t, dir, strings.Join([]string{
		`{"id": "first", "source": "cli", "started_at": 1.0, "ended_at": 2.0, "end_reason": "compression", "messages": [{"role": "user", "content": "one", "timestamp": 1.5}]}`,
		`{"id": "second", "source": "cli", "parent_session_id": "first", "title": "the chain", "started_at": 2.0, "ended_at": 3.0, "messages": [{"role": "user", "content": "two", "timestamp": 2.5}]}`,
		`{"id": "other", "source": "telegram", "title": "other", "started_at": 3.0, "ended_at": 4.0, "messages": []}`,
		`{"id": "open", "source": "cli", "title": "open one", "started_at": 4.0, "messages": [{"role": "user", "content": "three", "timestamp": 4.5}]}`,
	}, "\n"), "import", "-")
	if code != 0 {
		t.Fatal(code, errs)
	}
	if err := os.MkdirAll(filepath.Join(dir, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sessions", "second.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs a command line on a home, with nobody to ask.
func run(t *testing.T, dir, in string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = Run(context.WithoutCancel(t.Context()), Process{
		Args: append([]string{"--home", dir}, args...), Stdin: strings.NewReader(in), Stdout: &o, Stderr: &e,
		Now: func() time.Time { return time.Unix(1_790_000_000, 0) },
	})
	return code, o.String(), e.String()
}

func TestDeleteCommand(t *testing.T) {
	dir := home(t)
	if code, _, errs := run(t, dir, "y\n", "delete", "second"); code != 2 || !strings.Contains(errs, "--yes") {
		t.Error(code, errs)
	}
	if code, _, errs := run(t, dir, "", "delete", "--yes", "second", "nobody"); code != 1 || !strings.Contains(errs, "Session 'nobody' not found.") {
		t.Error(code, errs)
	}
	backup := filepath.Join(dir, "backup.jsonl")
	code, out, errs := run(t, dir, "", "delete", "--yes", "--backup", backup, "the chain")
	if code != 0 || out != "Deleted session 'second'.\nWith it went 1 other session: 2 messages in all.\n" || errs != "" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "sessions", "second.json")); err == nil {
		t.Error("the transcript file is left")
	}
	if code, out, _ := run(t, dir, "", "list"); code != 0 || strings.Contains(out, "the chain") {
		t.Errorf("%q", out)
	}
	if code, _, errs := run(t, dir, "", "delete", "--yes", "--backup", backup, "other"); code != 1 || !strings.Contains(errs, "exists") {
		t.Error(code, errs)
	}
	if code, out, errs := run(t, dir, "", "import", backup); code != 0 || out != "Imported 2 sessions with 2 messages.\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "sessions", "second.json")); err != nil {
		t.Error(err)
	}
	code, out, _ = run(t, dir, "", "--json", "delete", "--yes", "first")
	var said struct {
		Deleted  []string
		Messages int
		Complete bool
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || code != 0 || len(said.Deleted) != 2 || said.Messages != 2 || !said.Complete {
		t.Errorf("%d %s %v", code, out, err)
	}
}

// What the rename says is what is stored (store/README.md#q33).
func TestQ33RenameCommand(t *testing.T) {
	dir := home(t)
	for _, c := range []struct {
		args []string
		out  string
	}{
		{[]string{"first", "a ", " new\ttitle"}, "Session 'second' renamed to: a new title\n"},
		{[]string{"a new title", " \n "}, "Session 'second' has no title now.\n"},
	} {
		if code, out, errs := run(t, dir, "", append([]string{"rename"}, c.args...)...); code != 0 || out != c.out {
			t.Errorf("%q: %d %q %q", c.args, code, out, errs)
		}
	}
	if code, _, errs := run(t, dir, "", "rename", "first", "other"); code != 1 || !strings.Contains(errs, "Title 'other' is already in use by session other") {
		t.Error(code, errs)
	}
	if code, _, errs := run(t, dir, "", "rename", "first", strings.Repeat("x", 101)); code != 1 || !strings.Contains(errs, "Title too long (101 chars, max 100)") {
		t.Error(code, errs)
	}
	if code, _, _ := run(t, dir, "", "rename", "first"); code != 2 {
		t.Error(code)
	}
}

func TestPruneCommand(t *testing.T) {
	dir := home(t)
	code, out, _ := run(t, dir, "", "prune", "--dry-run")
	if code != 0 || !strings.Contains(out, "the chain") || strings.Contains(out, "open one") || !strings.Contains(out, "2 conversations, 3 sessions, would go.") {
		t.Errorf("%d %q", code, out)
	}
	if code, _, errs := run(t, dir, "", "prune"); code != 2 || !strings.Contains(errs, "Delete all ended sessions older than 90 days? (give --yes)") {
		t.Error(code, errs)
	}
	if code, _, _ := run(t, dir, "", "prune", "--yes", "--older-than", "-1"); code != 2 {
		t.Error(code)
	}
	if code, out, _ := run(t, dir, "", "prune", "--yes", "--source", "telegram"); code != 0 || out != "Pruned 1 session(s).\n" {
		t.Errorf("%d %q", code, out)
	}
	if code, out, _ := run(t, dir, "", "prune", "--yes", "--json"); code != 0 || !strings.Contains(out, `"messages": 2`) {
		t.Errorf("%d %q", code, out)
	}
	if code, out, _ := run(t, dir, "", "prune", "--yes"); code != 0 || out != "Pruned 0 session(s).\n" {
		t.Errorf("%d %q", code, out)
	}
}

func TestImportCommand(t *testing.T) {
	dir := home(t)
	code, out, errs := run(t, dir, "junk\n"+`{"id": "x", "source": "cli", "started_at": 1.0, "mood": "good"}`+"\n", "import", "-")
	if code != 1 || !strings.Contains(errs, "line 1: ") || !strings.Contains(out, "Imported 1 session with 0 messages.\n1 line could not be imported.\nThe database has no place for: sessions.mood.\n") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if code, _, errs := run(t, dir, "junk\n", "import", "--strict", "-"); code != 1 || !strings.Contains(errs, "line 1") {
		t.Error(code, errs)
	}
	if code, _, errs := run(t, dir, "", "import", filepath.Join(dir, "state.db")); code != 2 {
		t.Error(code, errs)
	}
	all := filepath.Join(dir, "all.jsonl")
	if code, _, errs := run(t, dir, "", "export", all); code != 0 {
		t.Fatal(errs)
	}
	fresh := t.TempDir()
	if code, _, errs := run(t, fresh, "", "import", all); code != 1 || !strings.Contains(errs, "(the same with --new makes it") || strings.Count(errs, "\n") != 1 {
		t.Error("a database was made unasked, or nothing told", code, errs)
	}
	if err := os.WriteFile(filepath.Join(fresh, "state.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run(t, fresh, "", "import", "--new", all); code != 0 || !strings.HasPrefix(out, "Imported 5 sessions") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// What import, rename and export did is there for scripts too.
func TestChangesInJSON(t *testing.T) {
	dir := home(t)
	all := filepath.Join(dir, "all.jsonl")
	for _, c := range []struct {
		code     int
		in, args string
		want     string
	}{
		{0, "", "export " + all, `{"exported": 4, "file": "` + all + `"}`},
		{0, "", "import " + all, `{"imported": 0, "messages": 0, "skipped": 4, "renumbered": 0, "untitled": 0, "unlinked": 0, "unknown_columns": [], "bad_lines": 0, "bad": []}`},
		{1, "junk\n", "import -", `{"imported": 0, "messages": 0, "skipped": 0, "renumbered": 0, "untitled": 0, "unlinked": 0, "unknown_columns": [], "bad_lines": 1, "bad": [{"line": 1, "message": "not JSON: 'j' where '{' should be"}]}`},
		{0, "", "rename first Anew", `{"id": "second", "title": "Anew", "old_title": "the chain"}`},
	} {
		code, out, errs := run(t, dir, c.in, append(strings.Fields(c.args), "--json")...)
		var got, want any
		if err := errors.Join(json.Unmarshal([]byte(out), &got), json.Unmarshal([]byte(c.want), &want)); err != nil || code != c.code || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d %v\n got %s\nwant %s\n%s", c.args, code, err, out, c.want, errs)
		}
	}
}

// An export that finds no room says so and what to do.
func TestExportToAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no full disk here")
	}
	dir := home(t)
	code, out, errs := run(t, dir, "", "export", "--json", "/dev/full")
	var e struct {
		Error struct{ Kind, Message, Remedy string }
	}
	if err := json.Unmarshal([]byte(errs), &e); err != nil || code != 1 || out != "" || e.Error.Kind != store.KindDiskFull || e.Error.Remedy == "" {
		t.Errorf("%d %q %q %v", code, out, errs, err)
	}
}

// damage changes a database behind the program's back.
func damage(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// Of a damaged file an export has all that can be read; that something is
// missing is said, and fails.
func TestExportOfADamagedFile(t *testing.T) {
	dir := home(t)
	var messages []string
	for i := range 12 {
		messages = append(messages, fmt.Sprintf(`{"role": "user", "content": "needle%02d%s", "timestamp": %d.0}`, i, strings.Repeat(" word", 600), i))
	}
	code, _, errs := run(t, dir, `{"id": "big", "source": "cli", "started_at": 9.0, "messages": [`+strings.Join(messages, ", ")+"]}\n", "import", "-")
	if code != 0 {
		t.Fatal(errs)
	}
	path := filepath.Join(dir, "state.db")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	at := bytes.Index(file, []byte("biguserneedle05")) / page * page // where the message lies
	if at <= 0 {
		t.Fatal("the message is nowhere")
	}
	clear(file[at : at+page])
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	all := filepath.Join(dir, "all.jsonl")
	code, out, errs := run(t, dir, "", "export", all)
	if code != 1 || out != "" || !strings.Contains(errs, "at least 0 sessions and 1 messages could not be read; everything else was exported") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	lines, err := os.ReadFile(all)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		if has := bytes.Contains(lines, fmt.Appendf(nil, "needle%02d", i)); has != (i != 5) {
			t.Errorf("message %d is exported: %v", i, has)
		}
	}
	if n := bytes.Count(lines, []byte("\n")); n != 5 {
		t.Errorf("%d sessions were exported", n)
	}
}
