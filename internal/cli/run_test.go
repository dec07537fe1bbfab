package cli

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/store"
)

// home makes a Hermes home with a few sessions and returns its path.
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

// run runs a command line on a home, without a terminal.
func run(t *testing.T, dir, in string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = Run(context.WithoutCancel(t.Context()), Process{
		Args: append([]string{"--home", dir}, args...), Stdin: strings.NewReader(in), Stdout: &o, Stderr: &e,
		Now: func() time.Time { return time.Unix(1_790_000_000, 0) },
	})
	return code, o.String(), e.String()
}

// damage runs SQL statements on a database.
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
