//go:build !windows

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// searchReadResume is the journey that the program is for.
func searchReadResume(u user, to target) {
	find(u, to)
	u.Press("Right")
	u.Sees("q back")
	u.Sees("match ") // the header tells which
	u.Press("Esc")
	u.Sees("f1 help") // of the list: Enter right behind Esc would be another key
	u.Press("Enter")
}

// Search, read at the hit, come back to the same list, resume: Hermes gets
// the tip, a terminal in order, and a closed database.
func TestSearchReadResume(t *testing.T) {
	t.Parallel()
	histories(t, func(t *testing.T, args ...string) {
		to := lookFor(t, args...)
		s := open(t, 100, 30, nil, args...)
		searchReadResume(s, to)
		c := s.resumed()
		if want := []string{"--resume", to.id}; !slices.Equal(c.Args, want) {
			t.Errorf("Hermes was called with %q, want %q", c.Args, want)
		}
		for _, f := range c.Files {
			if !strings.HasSuffix(f, ".db") {
				t.Errorf("when Hermes began there was %s: the database was open", f)
			}
		}
	})
}

// The journey of the program in tmux: the same decisions, the same ends.
func TestJourneyInTmux(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	record := filepath.Join(dir, "call.json")
	begin := filepath.Join(dir, "begin")
	script := "#!/bin/sh\n" +
		"unset NO_COLOR HERMES_HOME HERMES_BIN; export HOME='" + dir + "' COLORTERM=truecolor TZ=UTC LANG=C.UTF-8\n" +
		recordVariable + "='" + record + "' '" + program + "' --demo --hermes='" + self + "'\n" +
		"echo \"exit=$?\"; read _\n"
	if err := os.WriteFile(begin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	x := openTmux(t, 100, 30, begin)
	searchReadResume(x, to)
	x.Sees("fake Hermes: what now?")
	if state := strings.TrimSpace(x.run("display", "-p", "-t", "t", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}")); state != "0 1 0" {
		t.Errorf("alternate screen, cursor, mouse: %s, want 0 1 0", state)
	}
	x.Types("go on")
	x.Press("Enter")
	x.Sees(fmt.Sprintf("exit=%d", fakeHermesExit))
	if note := contents(t, record); !strings.Contains(note, to.id) {
		t.Errorf("Hermes was called with %s, want %s", note, to.id)
	}
}

// Esc leaves with nothing chosen: that is a success.
func TestEscClearsThenQuits(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	s := open(t, 80, 24, nil, "--demo")
	find(s, to)
	s.Press("Esc")
	s.Sees(to.other)
	s.Press("Esc")
	s.exits(0)
	s.restored()
}
