package cli

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
	if code != 0 || out != "Deleted session 'second'.\nAlso deleted 1 other session: 2 messages in total.\n" || errs != "" {
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

// The transcript files beside a copy of a database belong to the sessions of the original.
func TestDeleteInACopyLeavesTheTranscriptFiles(t *testing.T) {
	dir := home(t)
	text, err := os.ReadFile(filepath.Join(dir, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	archived := filepath.Join(dir, "state.db.bak")
	if err := os.WriteFile(archived, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := Run(t.Context(), Process{Args: []string{"--db", archived, "delete", "--yes", "second"}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: t.Output(), Now: time.Now}); code != 0 {
		t.Error(code)
	}
	if _, err := os.Stat(filepath.Join(dir, "sessions", "second.json")); err != nil {
		t.Error(err)
	}
}

// The command that an error prints is for the database of the run: without the flags that
// name it, it would delete from another one that has the same sessions.
func TestPrintedCommandsNameTheDatabase(t *testing.T) {
	t.Parallel()
	said := func(args ...string) string {
		var errs strings.Builder
		Run(t.Context(), Process{Args: args, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs, Now: time.Now})
		return errs.String()
	}
	main := home(t)
	work := filepath.Join(main, "profiles", "work")
	if err := errors.Join(os.MkdirAll(filepath.Dir(work), 0o700), os.Rename(home(t), work)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(work, "state.db")
	for _, c := range []struct{ flags, name, want string }{
		{"--db " + file, "chain", " --db " + file},
		{"--home " + main, "work/chain", " --db " + file},
		{"--home " + main + " --profile work", "chain", " --home " + main + " --profile work"},
	} {
		if errs := said(append(strings.Fields(c.flags), "delete", "--yes", c.name)...); !strings.HasSuffix(errs, "\n  hermes-sessions delete second"+c.want+"\n") {
			t.Errorf("%s: %s", c.flags, errs)
		}
	}
}
