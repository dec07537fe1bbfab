package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
)

// runningLine is what the tests look at in an answer of running.
type runningLine struct {
	Sessions []struct {
		ID, State, Tool, Object string
		Silent                  float64 `json:"silent_seconds"`
	}
}

// An open session is working, waiting or silent by its last message; --watch says so again
// when another process writes, and ends with Ctrl+C.
func TestRunning(t *testing.T) {
	t.Parallel()
	db := fixtures.Database(t, "v25.db")
	now := time.Unix(1_800_000_000, 0)
	fixtures.Exec(t, db,
		`INSERT INTO sessions (id, source, title, started_at) VALUES ('at-work', 'cli', 'Build', 1799999000), ('asks', 'tui', 'Ask', 1799990000), ('over', 'cli', 'Over', 1799990000)`,
		`UPDATE sessions SET ended_at = 1799999999 WHERE id = 'over'`,
		`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('at-work', 'user', 'Build it.', 1799999900), ('asks', 'user', 'What now?', 1799990000), ('asks', 'assistant', 'Which one?', 1799990001), ('over', 'user', 'Bye.', 1799999990)`,
		`INSERT INTO messages (session_id, role, tool_calls, timestamp) VALUES ('at-work', 'assistant', '[{"id":"1","function":{"name":"terminal","arguments":"{\"command\":\"make all\"}"}}]', 1799999990)`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, Process{
			Args: []string{"--db", db, "running", "--watch", "--json"}, Stdin: strings.NewReader(""), Stdout: in, Stderr: io.Discard,
			Environ: []string{"HOME=" + t.TempDir()}, Now: func() time.Time { return now },
		})
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	read := func() (l runningLine) {
		t.Helper()
		if !lines.Scan() {
			t.Fatal("no line:", lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	first := read()
	if len(first.Sessions) != 2 {
		t.Fatalf("%+v", first)
	}
	work, ask := first.Sessions[0], first.Sessions[1]
	if work.ID != "at-work" || work.State != "working" || work.Tool != "terminal" || work.Object != "make all" || work.Silent != 10 {
		t.Errorf("%+v", work)
	}
	if ask.ID != "asks" || ask.State != "waiting" || ask.Tool != "" || ask.Silent != 9999 {
		t.Errorf("%+v", ask)
	}
	fixtures.Exec(t, db, `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('at-work', 'assistant', 'Built.', 1799999995)`)
	for l := read(); l.Sessions[0].State != "waiting"; l = read() { // the count of messages may come before
	}
	cancel()
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if code := <-ended; code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}
