//go:build !windows

package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// Ctrl+C leaves from everywhere and leaves nothing behind.
func TestCtrlCLeavesFromEverywhere(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	for i, c := range []struct {
		name string
		path func(s *browser)
	}{
		{"list", func(*browser) {}},
		{"search", func(s *browser) { find(s, to) }},
		{"nothing found", func(s *browser) { s.Types("zzyzxqqq"); s.Loses(to.other) }},
		{"transcript", func(s *browser) { find(s, to); s.Press("Right"); s.Sees("q back"); s.Sees("match ") }},
		{"help", func(s *browser) { s.Press("F1"); s.Sees("List keys") }},
		{"menu", func(s *browser) { s.Press("Ctrl+X"); s.Sees("│ Actions ") }},
	} {
		if !campaign.On() && i%2 == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, 100, 30, nil, "--demo")
			s.Sees(to.other)
			c.path(s)
			s.Press("Ctrl+C")
			s.exits(130)
			s.restored()
		})
	}
}

// Signals end the browser as Ctrl+C does: screen back, exit code 130.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			db := filepath.Join(dir, "v11.db")
			fixtures.Unpack(t, "v11.db", db)
			before := folder(t, dir)
			c := openConsole(t, 80, 24, environment(t), program, "--db", db)
			c.Sees("Docker networking")
			if err := c.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			c.exits(130)
			c.restored()
			same(t, sig.String(), before, folder(t, dir))
		})
	}
}

// A terminal that goes away ends the program, and the database is closed.
func TestClosedTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "v11.db")
	fixtures.Unpack(t, "v11.db", db)
	before := folder(t, dir)
	c := openConsole(t, 80, 24, environment(t), program, "--db", db)
	c.Sees("Docker networking")
	c.hangUp()
	c.ends()
	same(t, "a closed terminal", before, folder(t, dir))
}

// The prompt of the plain list can be left with Ctrl+C too.
func TestCtrlCAtThePrompt(t *testing.T) {
	t.Parallel()
	s := open(t, 100, 60, nil, "--demo", "--plain", "--limit", "5")
	s.Sees("Number to resume")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}

// Any size works; a screen that is too small shows what it can.
func TestSizes(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	s := open(t, 100, 30, nil, "--demo")
	find(s, to)
	word, _, _ := strings.Cut(to.title, " ")
	for _, size := range [][2]int{{18, 3}, {1, 1}, {20, 4}, {59, 10}, {200, 50}, {80, 24}} {
		s.resize(size[0], size[1])
		if size[0] > 1 {
			s.Sees(word)
		}
	}
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()

	small := open(t, 18, 3, nil, "--demo")
	small.until("something is shown", func(text string) bool { return small.onScreen() && text != "" })
	small.Press("Ctrl+C")
	small.exits(130)
	small.restored()
}

// color matches a sequence that sets a color.
var color = regexp.MustCompile(`\x1b\[(?:[0-9;:]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:[;:][0-9;:]*)?m`)

// NO_COLOR counts with any value; without it there are colors.
func TestNoColor(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	for _, value := range []string{"", "yes"} {
		s := open(t, 100, 30, []string{"NO_COLOR=" + value}, "--demo")
		find(s, to)
		s.Press("Ctrl+C")
		s.exits(130)
		if got := color.MatchString(s.bytes()); got != (value == "") {
			t.Errorf("NO_COLOR=%q: colors %v", value, got)
		}
	}
}

// A terminal that can nothing gets a numbered list and a prompt, and not one
// escape code.
func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	s := open(t, 200, 60, []string{"TERM=dumb"}, "--demo", "--limit", "5")
	s.Sees("Number to resume")
	s.Types(to.words + "\r")
	s.Sees("  1  ")
	s.Sees(to.id)
	s.Types("77\r")
	s.Sees("There is no number 77")
	s.Types("1\r")
	s.Sees("fake Hermes: what now?")
	s.Types("go on\r")
	s.exits(fakeHermesExit)
	if c := s.called(); len(c.Args) != 2 || c.Args[1] != to.id {
		t.Errorf("Hermes was called with %q, want %s", c.Args, to.id)
	}
	if strings.Contains(s.bytes(), "\x1b") {
		t.Errorf("escape codes: %q", s.bytes())
	}
}

// Enter at the prompt leaves.
func TestPromptLeaves(t *testing.T) {
	t.Parallel()
	s := open(t, 100, 60, nil, "--demo", "--plain", "--limit", "5", "--print-id")
	s.Sees("Number to print its ID")
	s.Types("\r")
	s.exits(1)
}

// The first screen of the demo shows each group once, and nothing that needs a legend.
func TestTheFirstScreenOfTheDemo(t *testing.T) {
	t.Parallel()
	s := open(t, 80, 24, nil, "--demo")
	s.until("each group is there once", func(text string) bool {
		for _, group := range []string{"Running", "Pinned", "Today", "Yesterday", "Last 7 days", "Last 30 days"} {
			if strings.Count(text, "\n "+group+"\n") != 1 {
				return false
			}
		}
		return strings.Contains(text, "21 hidden ctrl+o") && !strings.ContainsAny(text, "§↳⇉◌✓")
	})
	s.Press("Ctrl+C")
	s.exits(130)
}

// Clicks reach the text on the screen, and the mouse is the terminal's again
// afterwards; --no-mouse leaves it alone.
func TestTheMouse(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	s := open(t, 100, 30, nil, "--demo")
	s.Sees(to.other)
	s.Sees("enter resume") // the bottom line stands still from then on
	s.click("21 hidden")
	s.Sees("none hidden")
	s.click("more")
	s.Sees("│ Actions ")
	s.click("s  sort") // in the menu, not in the bottom line
	s.Sees("Started ")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()

	quiet := open(t, 100, 30, nil, "--demo", "--no-mouse")
	quiet.Sees(to.other)
	quiet.Press("Ctrl+C")
	quiet.exits(130)
	if strings.Contains(quiet.bytes(), "\x1b[?1002h") || strings.Contains(quiet.bytes(), "\x1b[?1006h") {
		t.Error("the mouse was taken")
	}
}

// Without a shell that could continue it, as in a window of its own, the program does not wait
// for that: it would be deaf, to Ctrl+C too.
func TestSuspendWithoutAShell(t *testing.T) {
	t.Parallel()
	s := open(t, 100, 30, nil, "--demo")
	s.Sees("conversations")
	s.Types("\x1a")
	s.Sees("No shell to return to")
	s.Press("Ctrl+C")
	s.exits(130)
}
