//go:build !windows

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// A large history is printed from its newest sessions, and only the note for a
// person needs all of them. What is printed is what a small history prints,
// which is read whole: the two differ in the ids of their messages, by which a
// large one is known.
func TestAPrintedListIsThatOfTheWholeHistory(t *testing.T) {
	t.Parallel()
	whole, rows := filepath.Join(t.TempDir(), "state.db"), filepath.Join(t.TempDir(), "state.db")
	for _, db := range []string{whole, rows} {
		fixtures.Unpack(t, "v11.db", db)
	}
	otherWriter(t, rows)(`UPDATE messages SET id = id + 30000`)
	for i, args := range []string{
		"list", "list --limit 5", "list --limit 1", "list --limit 0", "list --limit 500", "list --limit 5 --offset 3", "list --all --limit 5",
		"list --scope subagents --limit 2", "list --scope archived", "list --source cli --limit 5", "list --source nobody",
		"list --exclude-source cli --limit 3", "list --sort title --limit 5", "list --json --limit 5", "list source:cli --limit 5", "list docker --limit 5",
	} {
		if i%campaign.Length(5, 1) > 0 {
			continue
		}
		want := run(t, append(strings.Fields(args), "--db", whole)...)
		got := run(t, append(strings.Fields(args), "--db", rows)...)
		if got.code != want.code || got.stdout != want.stdout || got.stderr != want.stderr {
			t.Errorf("%s: exit code %d for %d\n got %s%s\nwant %s%s", args, got.code, want.code, got.stdout, got.stderr, want.stdout, want.stderr)
		}
	}
	printed := func(db string, args ...string) string {
		c := openConsole(t, 120, 40, environment(t), program, append([]string{"list", "--db", db}, args...)...)
		c.Sees("(--limit, --offset)")
		c.exits(0)
		return c.text()
	}
	for _, limit := range []string{"5", "20"}[:campaign.Length(1, 2)] {
		want, got := printed(whole, "--limit", limit), printed(rows, "--limit", limit)
		if got != want || !strings.Contains(got, "1 to "+limit+" of ") {
			t.Errorf("on a terminal, %s rows:\n%s\nnot\n%s", limit, got, want)
		}
	}
}

// A word that is nearly a command is searched for, and the browser says which command it is like.
func TestAMistypedCommandIsSaid(t *testing.T) {
	t.Parallel()
	s := open(t, 120, 30, nil, "--demo", "lsit")
	s.Sees(`"lsit" was searched for; list is a command`)
	s.Press("Ctrl+C")
	s.exits(130)
}
