//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// A conversation that only a file has is found in the list, read, exported, and brought into
// the database, once; the file stays as it was.
func TestAConversationThatOnlyAFileHas(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	sessions := filepath.Join(home, "sessions")
	if err := os.Mkdir(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	fixtures.Unpack(t, "v25.db", filepath.Join(home, "state.db"))
	const id = "20260920_101500_abc123"
	name := filepath.Join(sessions, id+".jsonl")
	if err := os.WriteFile(name, []byte(`{"role": "user", "content": "Where is the rain gauge?", "timestamp": 1789900000}
{"role": "assistant", "content": "It is on the roof.", "timestamp": 1789900003}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	before := folder(t, sessions)
	of := func(args ...string) []string { return append([]string{"--home", home}, args...) }

	s := openConsole(t, 120, 30, environment(t), program, of("source:file")...)
	s.Sees("Where is the rain gauge?")
	s.Press("Right")
	s.Sees("It is on the roof.")
	s.Press("Ctrl+C")
	s.exits(130)

	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{of("list", "source:file"), 0, "Where is the rain gauge?"},
		{of("show", id[:14]), 0, "It is on the roof."},
		{of("show", "--recap", id), 0, "It is on the roof."},
		{of("export", "-", "--session-id", id), 0, `{"id": "` + id + `", "source": "unknown", "started_at": 1789900000.0`},
		{of("resume", "--print", id), 1, "only in sessions/" + id + ".jsonl"},
		{of("doctor"), 0, "hermes-sessions import " + id},
		{of("import", name), 0, "Imported 1 session with 2 messages.\n"},
		{of("import", id), 0, "The database has all messages of these files.\n"},
		{of("list", "--scope", "all", "--source", "unknown", "--limit", "0"), 0, "Where is the rain gauge?"},
		{of("list", "source:file"), 1, ""},
	} {
		if r := run(t, c.args...); r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.says) {
			t.Errorf("%q: %d\n%s%s", c.args, r.code, r.stdout, r.stderr)
		}
	}
	same(t, "the folder", before, folder(t, sessions))
}
