//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

// Commands of one's own get the terminal and give it back, are shown in a box where they can be
// stopped, or run when the browser has ended.
func TestCommandsOfOnesOwn(t *testing.T) {
	t.Parallel()
	own := ownSettings(t, `
[commands.ask]
key = "f7"
run = 'printf "\033[2Jwho is there? "; read name; test -t 0 && test -t 1 && echo "hello $name" > "$OUT"'
[commands.fails]
key = "f8"
run = "exit 7"
[commands.box]
letter = "G"
run = "echo {title}; test -t 0 || echo no terminal; echo drawn > /dev/tty"
then = "show"
[commands.hangs]
letter = "H"
run = "echo $$ > \"$OUT\"; sleep 100"
then = "show"
[commands.go]
letter = "J"
run = "echo gone to {id} > \"$OUT\"; cat {file} | head -1; exit 3"
then = "leave"
`)
	out := filepath.Join(t.TempDir(), "out")
	to := lookFor(t, "--demo")
	s := open(t, 100, 30, []string{own, "OUT=" + out}, "--demo")
	s.Sees(to.other)
	find(s, to)
	s.Press("F7")
	s.Sees("who is there?")
	s.Types("ada\r")
	s.until("the command has read", func(screen string) bool {
		text, _ := os.ReadFile(out)
		return string(text) == "hello ada\n" && s.onScreen() && strings.Contains(screen, to.title)
	})
	s.Press("F8")
	s.Sees("ails: exit status 7")
	s.Press("Ctrl+X")
	s.Sees("G  box")
	s.Types("G")
	s.Sees("no terminal")
	s.Sees("exit status")
	s.Press("Esc")
	s.Press("Ctrl+X")
	s.Sees("H  hangs")
	s.Types("H")
	s.Sees("esc stop")
	s.Press("Esc")
	s.Loses("esc stop")
	s.Press("Ctrl+X")
	s.Sees("J  go")
	s.Types("J")
	s.exits(1)
	s.Sees("go: exit status 3")
	s.Sees("# ")
	s.restored()
	if text := contents(t, out); !strings.HasPrefix(text, "gone to "+to.id) {
		t.Errorf("%q", text)
	}
}

// The commands of the manual have keys and letters that are free, with every preset.
func TestTheCommandsOfTheManualFit(t *testing.T) {
	t.Parallel()
	text := contents(t, filepath.Join(sourcetree.Root(t), "docs/commands.md"))
	_, part, _ := strings.Cut(text, "## Ten to begin with\n\n```toml\n")
	part, _, _ = strings.Cut(part, "```")
	to := lookFor(t, "--demo")
	for _, preset := range []string{"default", "vim", "upstream"} {
		s := open(t, 110, 34, []string{ownSettings(t, "preset = \""+preset+"\"\n"+part)}, "--demo")
		s.Sees(to.other)
		s.Press("Ctrl+X")
		s.Sees("O  open folder")
		s.Sees("J  journal")
		s.Press("Ctrl+C")
		s.exits(130)
	}
	for text, want := range map[string]string{
		"[commands.x]\nrun = \"ls\"\nkey = \"ctrl+o\"\n":                `line 1: key map: key ctrl+o does both "hidden" and "x" in list`,
		"\n[commands.x]\nrun = \"ls\"\nkey = \"x\"\n":                   `line 2: key map: "x" in list has the key "x", which is typed there`,
		"[commands.delete]\nrun = \"ls\"\nletter = \"G\"\n":             `line 1: key map: list has an action "delete" already`,
		"[commands.x]\nrun = \"ls\"\nletter = \"G\"\nthen = \"stay\"\n": "line 4: commands.x.then: must be one of",
	} {
		s := openConsole(t, 240, 30, environment(t, ownSettings(t, text)), program, "--demo")
		s.Sees(want)
		s.exits(2)
	}
}

// The settings are edited from the browser, which has their colors and columns when the editor
// ends; a mistake is told with its line, and config --check says the same.
func TestEditingTheSettings(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	editor := filepath.Join(folder, "editor")
	script := "#!/bin/sh\nread line < \"$NEXT\"; grep -q '^#theme' \"$1\" && echo \"$line\" >> \"$1\"\n"
	next := filepath.Join(folder, "next")
	for file, text := range map[string]string{editor: script, next: `columns = ["id"]` + "\n"} {
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	own := []string{"XDG_CONFIG_HOME=" + folder, "VISUAL=", "EDITOR=" + editor, "NEXT=" + next}
	to := lookFor(t, "--demo")
	s := open(t, 110, 34, own, "--demo")
	s.Sees(to.other)
	s.Sees("Msgs")
	edit := func() {
		s.Press("Ctrl+X")
		s.Sees(",  settings")
		s.Types(",")
	}
	edit()
	s.Sees("Settings read")
	s.Loses("Msgs")
	if err := os.WriteFile(next, []byte("colour = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	edit()
	s.Sees(`there is no setting "colour"`)
	s.Press("Ctrl+C")
	s.exits(130)
	file := filepath.Join(folder, "hermes-sessions", "config.toml")
	if r := runIn(t, environment(t, own...), "config", "--check"); r.code != 2 || !strings.Contains(r.stderr, "line ") || !strings.Contains(r.stderr, "colour") {
		t.Errorf("%+v", r)
	}
	if r := runIn(t, environment(t, own...), "config", "--init"); r.code != 1 || !strings.Contains(contents(t, file), "colour") {
		t.Errorf("%+v", r)
	}
}
