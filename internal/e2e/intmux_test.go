//go:build !windows

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In tmux, a conversation is resumed in a new window; while Hermes runs there, resuming it
// again goes to that window. Outside tmux the error says what to do.
func TestResumeInTmux(t *testing.T) {
	t.Parallel()
	folder := resolved(t, t.TempDir())
	db := runningSessions(t, folder)
	if r := run(t, "--db", db, "resume", "--in-tmux", "quiet-one"); r.code != 1 || !strings.Contains(r.stderr, "this terminal is not in it (start tmux first, or resume without --in-tmux)") {
		t.Errorf("outside tmux: %+v", r)
	}

	hermes := filepath.Join(t.TempDir(), "hermes")
	if err := os.WriteFile(hermes, []byte("#!/bin/sh\necho \"Hermes got $* in $(pwd)\"\nread line\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	x := openTmux(t, 100, 30, "env HOME="+t.TempDir()+" PS1='prompt>' sh")
	x.Sees("prompt>")
	windows := func() string {
		return strings.TrimSpace(x.run("display-message", "-p", "-t", "t", "#{session_windows}:#{window_index}"))
	}
	first := windows()
	resume := func(id, flags string) {
		x.Types(fmt.Sprintf("clear; %s --db %s resume --in-tmux --hermes %s %s %s\n", program, db, hermes, flags, id))
	}
	resume("quiet-one", "")
	x.Sees("Hermes got --resume quiet-one in " + folder)
	opened := windows()
	if opened == first || !strings.HasPrefix(opened, "2:") {
		t.Errorf("windows %s, then %s", first, opened)
	}
	if name := strings.TrimSpace(x.run("display-message", "-p", "-t", "t", "#{window_name}")); name != "Quarry survey" {
		t.Errorf("the window is called %q", name)
	}

	x.run("last-window", "-t", "t")
	x.Sees("prompt>")
	resume("quiet-one", "") // it runs
	x.Sees("Hermes got --resume quiet-one in " + folder)
	if now := windows(); now != opened {
		t.Errorf("windows %s, want %s", now, opened)
	}

	x.Types("\n") // it ends, and its window closes
	x.Sees("prompt>")
	resume("busy-one", "") // asks, as without tmux
	x.Sees("Resume it anyway? [y/N]")
	x.Types("y\n")
	x.Sees("Hermes got --resume busy-one")
	x.Types("\n")
	x.Sees("prompt>")
	resume("quiet-one", "--tui")
	x.Sees("Hermes got --tui --resume quiet-one in " + folder)
}
