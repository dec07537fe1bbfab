package cli

import (
	"encoding/json"
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
