//go:build !windows

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// Traps that other browsers of sessions fell into, as the whole program meets
// them; most have their tests in ui and store.

// As many conversations as a heavy user has after years, on a screen that is
// paged, searched and read, take a bounded memory. The goal is 80 MB; it takes
// 140 today, and this holds it there.
func TestTrapMemoryOnGiantStores(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how much memory a process took is told elsewhere otherwise")
	}
	if testing.Short() {
		t.Skip("takes seconds to write")
	}
	const most = 160 << 10 // KB
	db := filepath.Join(t.TempDir(), "giant.db")
	fixtures.Unpack(t, "v11.db", db)
	write := neighbour(t, db)
	write(`PRAGMA synchronous = off`)
	write(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 35000)
		INSERT INTO sessions (id, source, title, started_at, ended_at, model, system_prompt)
		SELECT 'giant' || n, 'cli', 'conversation ' || n, 1700000000 + n, 1700000100 + n, 'nousresearch/hermes-4-70b', printf('%.*c', 300, 'x') FROM i`)
	write(`INSERT INTO messages (session_id, role, content, timestamp)
		SELECT id, 'user', 'the quagga of ' || title, started_at FROM sessions WHERE id LIKE 'giant%'`)
	peak := func(c *console) (kb int) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		_, said, _ := strings.Cut(string(text), "VmHWM:")
		if _, err := fmt.Sscan(said, &kb); err != nil {
			t.Fatal(err)
		}
		return kb
	}
	s := open(t, 120, 40, nil, "--db", db)
	s.until("all have been counted", func(text string) bool {
		return strings.Contains(text, "35\u2009") && strings.Contains(text, " conversations")
	})
	s.Press("End")
	s.Sees("▸")
	s.Pastes("quagga")
	s.Sees("35\u2009000 hits")
	s.Press("PgDn", "PgDn", "Right")
	s.Sees(" fold")
	s.Press("Esc")
	s.Loses(" fold")
	if kb := peak(s.console); kb > most {
		t.Errorf("the browser took %d KB, at most %d are allowed", kb, most)
	} else {
		t.Logf("the browser took %d KB", kb)
	}
	s.Press("Ctrl+C")
	s.exits(130)
}

// What is stored can not act on the terminal that a plain command writes to.
func TestTrapEscapeSequencesInPlainOutput(t *testing.T) {
	db := filepath.Join(t.TempDir(), "hostile.db")
	fixtures.Unpack(t, "v25.db", db)
	write := neighbour(t, db)
	const bad = "quagga \x1b]0;pwned\x07\x1b]52;c;aGk=\x07\x1b[2J\u009b31m\u202eevil\r\x08"
	write(`INSERT INTO sessions (id, source, title, model, cwd, started_at) VALUES ('hostile', ?1, ?1, ?1, ?1, 1800000000)`, bad)
	for _, role := range []string{"user", "assistant", "tool"} {
		write(`INSERT INTO messages (session_id, role, content, tool_name, tool_calls, reasoning, timestamp) VALUES ('hostile', ?1, ?2, ?2, ?3, ?2, 1800000001)`,
			role, bad, `[{"id": "1", "function": {"name": "a\u001b[2J", "arguments": "{\"x\": \"\u001b]0;pwned\u0007\"}"}}]`)
	}
	for _, args := range []string{
		"list --all --limit 0", "search quagga", "search quagga --group message", "show hostile", "show hostile --tools --reasoning", "show hostile --recap",
		"show hostile --format md --tools --reasoning", "lineage hostile", "stats", "--plain", "resume --print hostile --yes", "delete hostile", "rename hostile x\x1b[2J",
	} {
		r := run(t, append([]string{"--db", db}, strings.Split(args, " ")...)...)
		if out := r.stdout + r.stderr; strings.ContainsAny(out, "\x1b\x07\x08\u009b\u202e") {
			t.Errorf("%s: not harmless: %q", args, out)
		} else if !strings.Contains(out, "quagga") && !strings.Contains(out, "hostile") {
			t.Errorf("%s does not speak of it:\n%s", args, out)
		}
	}
}
