//go:build !windows

package e2e

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// On a terminal a table fits its width, whatever that is, and in a pipe it is that of
// Hermes.
func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	environ := environment(t, "PAGER=")
	for _, c := range []struct {
		args  string
		width int
		sees  []string
	}{
		{"list --limit 5", 100, []string{"Title", "Source", "Messages", "Cost", "Age", "ID"}},
		{"list --limit 5", 48, []string{"Title", "ID"}},
		{"search docker --limit 2", 72, []string{"Title", "Matches", "ID"}},
		{"stats", 60, []string{"Total sessions:", "Source", "Sessions", "Model", "Cost"}},
		{"lineage my project", 70, []string{"Session", "Messages", "ID"}},
	} {
		s := openConsole(t, c.width, 50, environ, program, append([]string{"--demo"}, strings.Fields(c.args)...)...)
		s.exits(0)
		text := s.text()
		for _, word := range c.sees {
			if !strings.Contains(text, word) {
				t.Errorf("%s, %d columns: no %q in\n%s", c.args, c.width, word, text)
			}
		}
		for line := range strings.Lines(s.bytes()) {
			if got := ansi.StringWidth(ansi.Strip(strings.TrimRight(line, "\r\n"))); got > c.width {
				t.Errorf("%s: a line of %d columns on a terminal of %d: %q", c.args, got, c.width, line)
			}
		}
	}
	plain := openConsole(t, 100, 50, append(environ, "TERM=dumb"), program, "--demo", "list", "--limit", "5")
	plain.exits(0)
	if raw := plain.bytes(); strings.Contains(raw, "\x1b") || !strings.Contains(raw, "Title") {
		t.Errorf("TERM=dumb: %q", raw)
	}
	for _, c := range [][]string{{"NO_COLOR=1", "--demo"}, {"NO_COLOR=", "--demo", "--no-color"}} {
		black := openConsole(t, 100, 50, append(environ, c[0]), program, append(c[1:], "list", "--limit", "5")...)
		black.exits(0)
		if raw := black.bytes(); strings.Contains(raw, "\x1b[3") || !strings.Contains(raw, "\x1b[1m") {
			t.Errorf("%s: %q", c, raw)
		}
	}
	if r := run(t, "--demo", "list", "--limit", "5"); !strings.Contains(r.stdout, "Last Active") || strings.Contains(r.stdout, "Cost") {
		t.Errorf("in a pipe: %s", r.stdout)
	}
	wide := run(t, "--demo", "list", "--limit", "5", "--wide")
	for _, word := range []string{"Title", "Model", "Tokens", "Cost"} {
		if !strings.Contains(wide.stdout, word) || strings.Contains(wide.stdout, "…") {
			t.Errorf("--wide: no %q, or something is cut:\n%s", word, wide.stdout)
		}
	}
}

// Long output goes to the pager on a terminal, and quitting it early is no failure.
func TestLongOutputOnATerminalIsPaged(t *testing.T) {
	t.Parallel()
	environ := environment(t, "PAGER=sed 's/^/paged: /'")
	for _, args := range []string{"list --limit 60", "search the --limit 60", "stats", "show wallpaper --tools", "lineage my project", "list --limit 60 --no-pager", "help list", "list --help", "version --help --no-pager"} {
		s := openConsole(t, 80, 8, environ, program, append([]string{"--demo"}, strings.Fields(args)...)...)
		s.exits(0)
		paged := strings.Contains(s.bytes(), "paged: ")
		if want := !strings.HasPrefix(args, "lineage") && !strings.HasSuffix(args, "--no-pager"); paged != want {
			t.Errorf("%s: paged %t\n%s", args, paged, s.text())
		}
	}
	if r := runIn(t, environ, "--demo", "list", "--limit", "60"); strings.Contains(r.stdout, "paged: ") || r.code != 0 {
		t.Errorf("in a pipe: %+v", r)
	}
	board := openConsole(t, 80, 3, environ, program, "--demo", "running")
	if board.exits(0); !strings.Contains(board.bytes(), "paged: ") {
		t.Errorf("running: not paged\n%s", board.text())
	}
	quit := openConsole(t, 80, 8, environment(t, "PAGER=true"), program, "--demo", "show", "--tools", "wallpaper")
	quit.exits(0)
	if text := strings.TrimSpace(quit.text()); text != "" {
		t.Errorf("after quitting at once: %q", text)
	}
}
