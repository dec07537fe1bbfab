//go:build !windows

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
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
	t.Parallel()
	to := lookFor(t, "--demo")
	s := open(t, 100, 30, []string{ownSettings(t, "preset = \"vim\"\nascii = true\nafter-resume = \"return\"\nhermes-args = [\"--yolo\"]\n[keys.list]\nscope = \"f6\"\n")}, "--demo")
	s.Sees(to.other)
	s.Press("Ctrl+X")
	s.Sees("f6")
	s.Press("Ctrl+X")
	s.Loses("Actions")
	s.Types("/")
	find(s, to)
	s.Press("Enter")
	s.Sees("fake Hermes: what now?")
	s.Types("go on\r")
	s.Sees("Hermes ended immediately")
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
	t.Parallel()
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
	t.Parallel()
	for text, want := range map[string]string{
		"colour = 1":                     `there is no setting "colour"`,
		"[keys.list]\nfly = \"f6\"":      `list has no action "fly"`,
		"[keys.list]\nrenmae = \"f6\"":   `list has no action "renmae"; did you mean rename?`,
		"[keys.lists]\ncopy = \"f6\"":    `there is no screen "lists"; did you mean list?`,
		"[keys.sky]\ncopy = \"f6\"":      `there is no screen "sky", only anywhere, comparison`,
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

// Keys for a screen that is gone are named at the start, with what replaces it; the browser
// opens all the same.
func TestKeysForAScreenThatIsGone(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	s := open(t, 120, 30, []string{ownSettings(t, "[keys.running]\nread = \"f6\"\n")}, "--demo")
	s.Sees(to.other)
	s.Sees("[keys.running] has no effect: what runs is in the list, with [keys.list]")
	s.Press("Down")
	s.Loses("has no effect")
	s = open(t, 200, 30, []string{ownSettings(t, "[keys.running]\nread = \"f6\"\n")}, "--demo", "lst")
	s.Sees("[keys.running] has no effect") // beside what else is said at the start
	s.Sees("list is a command")
}

// The queries of the browser are there again at the next start, its scope and order are not: they
// would open a list that lacks what one looks for. A damaged file is reported and replaced; pickers
// and the demo save nothing.
func TestTheBrowserRemembers(t *testing.T) {
	t.Parallel()
	db := runningSessions(t, "")
	folder := t.TempDir()
	file := filepath.Join(folder, "hermes-sessions", "state.json")
	own := []string{"XDG_STATE_HOME=" + folder}
	start := func(args ...string) *browser {
		t.Helper()
		return open(t, 100, 30, own, append(args, "--db="+db)...)
	}
	for _, args := range [][]string{{"--print-id"}, {"--multi"}} {
		s := start(args...)
		s.Sees("Quarry survey")
		s.Press("Ctrl+O")
		s.Press("Ctrl+C")
		s.exits(130)
	}
	demo := open(t, 100, 30, own, "--demo")
	demo.until("the list is there", func(text string) bool { return demo.onScreen() && strings.Contains(text, "conversations ·") })
	demo.Press("Ctrl+C")
	demo.exits(130)
	if _, err := os.Stat(file); err == nil {
		t.Fatal("a picker or the demo has left something behind")
	}

	s := start()
	s.Sees("Quarry survey")
	s.Types(":")
	s.Sees("Commands")
	s.Types("sort title")
	s.Sees("sort title")
	s.Press("Enter")
	s.Sees("by title")
	s.Types("quarry")
	s.Sees(one)
	s.Press("Enter")
	s.resumed()
	if text := contents(t, file); !strings.Contains(text, `"quarry"`) || strings.Contains(text, `"title"`) {
		t.Fatalf("remembered %s", text)
	}

	if err := os.WriteFile(file, []byte(`{"scope": "archived", "sort": "title", "sources": ["cron"], "folder": "/gone", "screen": "running", "queries": ["quarry"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s = start() // after an earlier version
	s.Sees("Quarry survey")
	s.Sees("recent first")
	s.Loses("ignored")
	s.Press("Ctrl+X")
	s.Types("h")
	s.Sees("Earlier queries")
	s.Sees("quarry")
	s.Press("Ctrl+C")
	s.exits(130)

	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = start()
	s.Sees("is damaged and was ignored")
	s.Types("quarry")
	s.Sees(one)
	s.Press("Enter")
	s.resumed()
	if text := contents(t, file); !strings.Contains(text, `"quarry"`) {
		t.Errorf("not replaced: %s", text)
	}
}

// Every preset must be sound, or the browser cannot start.
func TestTheKeyMapIsSound(t *testing.T) {
	t.Parallel()
	for i, preset := range []string{"", "default", "vim", "upstream"} {
		for _, feeds := range []bool{false, true} {
			if !campaign.On() && feeds != (i%2 == 1) {
				continue
			}
			t.Run(fmt.Sprintf("%q %v", preset, feeds), func(t *testing.T) {
				t.Parallel()
				own := ownSettings(t, fmt.Sprintf("preset = %q\nenter-lf = %v\n", preset, feeds))
				c := openConsole(t, 100, 30, environment(t, own), program, "--demo")
				c.Sees("conversations ·")
				c.Press("Ctrl+C")
				c.exits(130)
			})
		}
	}
}
