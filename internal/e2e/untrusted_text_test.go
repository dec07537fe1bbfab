//go:build !windows

package e2e

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// What is in titles and messages cannot act on the terminal.
func TestHostileTextIsHarmless(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", filepath.Join("bad", "invalid-utf8-title.db"), filepath.Join("bad", "invalid-utf8.db")} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), filepath.Base(name))
			fixtures.Unpack(t, name, db)
			var list struct {
				Sessions []struct{ Title, Preview string }
			}
			ask(t, &list, "--db", db, "list", "--scope", "all", "--limit", "0")
			c := openConsole(t, 120, 40, environment(t), program, "--db", db, "--scope", "all")
			c.until("the list is there", func(string) bool { return c.onScreen() })
			c.Sees(fmt.Sprintf("%d conversations", len(list.Sessions)))
			for range 1 + len(list.Sessions)/30 {
				c.Press("PgDn")
			}
			c.Press("End")
			// Rows further down are read when they are wanted.
			last := list.Sessions[len(list.Sessions)-1]
			if name := cmp.Or(last.Title, last.Preview); regexp.MustCompile(`^[ -~]{12}`).MatchString(name) {
				c.Sees("▸   " + name[:12])
			}
			c.Press("Right")
			c.Sees(" fold")
			c.Press("Ctrl+C")
			c.exits(130)
			c.restored()
			raw := c.bytes()
			for _, bad := range []string{"\u009b", "\u202e", "\x1b]52", "\x1b]0;pwned", "\x1b[2J\x1b[1;31m"} {
				if strings.Contains(raw, bad) {
					t.Errorf("%q reached the terminal", bad)
				}
			}
			for i, r := range raw {
				if r >= 0x80 && r < 0xa0 {
					t.Errorf("%U reached the terminal: %q", r, raw[max(0, i-20):i+2])
					break
				}
			}
		})
	}
}

// Rings, foundlings and hostile text in every field of a tree are drawn, and
// nothing of it acts on the terminal.
func TestOddTreesAreHarmless(t *testing.T) {
	t.Parallel()
	for name, ids := range map[string][]string{
		"v11.db": nil, filepath.Join("bad", "cycle.db"): {"20260302_040001_cyc002", "20260302_050000_selfed", "20260302_060001_plain2"},
		filepath.Join("bad", "orphan-parent.db"): nil, filepath.Join("bad", "invalid-utf8-title.db"): nil,
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), filepath.Base(name))
			fixtures.Unpack(t, name, db)
			var list struct{ Sessions []struct{ ID string } }
			ask(t, &list, "--db", db, "list", "--all", "--limit", "0")
			for _, id := range ids {
				if r := run(t, "--db", db, "lineage", id); r.code != 0 || !strings.Contains(r.stdout, id) {
					t.Errorf("%s: %+v", id, r)
				}
			}
			for i, s := range list.Sessions {
				if i%campaign.Length(20, 1) > 0 {
					continue
				}
				r := run(t, "--db", db, "lineage", "--ascii", s.ID)
				if r.code != 0 || strings.ContainsFunc(r.stdout, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' }) {
					t.Errorf("%s: exit code %d: %q", s.ID, r.code, r.stdout)
				}
				if len(list.Sessions) > 30 {
					break // enough processes; the screen goes through all
				}
			}
			c := openConsole(t, 120, 40, environment(t), program, "--db", db, "--scope", "all")
			c.Sees("none hidden")
			for range campaign.Length(2, 12) {
				c.Press("Ctrl+L")
				c.Sees("tokens · ") // it has been read
				c.Types("*G")
				c.Press("Enter")
				c.Loses("Lineage")
				c.Types("q")
				c.Sees("Lineage")
				c.Types("q")
				c.Sees("none hidden")
				c.Press("Down", "Down", "Down")
			}
			c.Press("Ctrl+C")
			c.exits(130)
			c.restored()
			for _, bad := range []string{"\u009b", "\u202e", "\x1b]52", "\x1b]0;pwned"} {
				if strings.Contains(c.bytes(), bad) {
					t.Errorf("%q reached the terminal", bad)
				}
			}
		})
	}
}

// What is stored cannot act on the terminal that a plain command writes to.
func TestTrapEscapeSequencesInPlainOutput(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "hostile.db")
	fixtures.Unpack(t, "v25.db", db)
	write := otherWriter(t, db)
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
