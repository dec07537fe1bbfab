//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ownSettings makes a folder of the user's with our settings in it.
func ownSettings(t *testing.T, text string) (environ string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "hermes-sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "hermes-sessions", "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "XDG_CONFIG_HOME=" + folder
}

// The user's own keys, preset and manner of resuming hold in the program.
func TestOwnSettings(t *testing.T) {
	to := lookFor(t, "--demo")
	s := open(t, 100, 30, []string{ownSettings(t, "preset = \"vim\"\nascii = true\nafter-resume = \"return\"\nhermes-args = [\"--yolo\"]\n[keys.list]\nscope = \"f6\"\n")}, "--demo")
	s.Sees(to.other)
	s.Sees("F6 scope")
	s.Types("/")
	find(s, to)
	s.Press("Enter")
	s.Sees("stand-in: what now?")
	s.Types("go on\r")
	s.Sees("Hermes ended at once")
	if c := s.called(); !slices.Equal(c.Args, []string{"--yolo", "--resume", to.id}) {
		t.Errorf("Hermes was called with %q", c.Args)
	}
	s.Press("Esc")
	s.Sees("normal")
	s.Types("q")
	s.Sees(to.other)
	s.Types("q")
	s.exits(0)
	s.restored()
}

// Where Enter comes as a line feed, that chooses; else it moves down.
func TestEnterAsALineFeed(t *testing.T) {
	to := lookFor(t, "--demo")
	s := open(t, 100, 30, []string{ownSettings(t, "enter-lf = true\n")}, "--demo")
	s.Sees(to.other)
	find(s, to)
	s.Press("Ctrl+J")
	if c := s.resumed(); !slices.Equal(c.Args, []string{"--resume", to.id}) {
		t.Errorf("Hermes was called with %q", c.Args)
	}
}

// A settings file that is wrong is told in one line with its place, and can be
// left aside.
func TestWrongSettings(t *testing.T) {
	for text, want := range map[string]string{
		"colour = 1":                     `there is no setting "colour"`,
		"[keys.list]\nfly = \"f6\"":      `list has no action "fly"`,
		"[keys.list]\ncopy = \"ctrl+o\"": "key ctrl+o does both",
		"[keys.list]\ntype = []":         `"type" in list has no route`,
	} {
		own := ownSettings(t, text)
		s := openConsole(t, 240, 30, environment(t, own), program, "--demo")
		s.Sees("config.toml: ")
		s.Sees(want)
		s.Sees("--config=none")
		s.exits(2)
	}
	own := ownSettings(t, "colour = 1")
	if r := runIn(t, environment(t, own), "--demo", "--config=none", "--plain"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := runIn(t, environment(t, own), "--demo", "list"); r.code != 0 || strings.Contains(r.stderr, "settings") {
		t.Errorf("settings of the browser stop a script: %+v", r)
	}
}
