//go:build !windows

package program

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
)

// fakeTmux puts a program named tmux into the path that notes how it is called and answers
// with the lines of panes, a new pane and the session $1.
func fakeTmux(t *testing.T, panes string) (calls func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	if err := os.WriteFile(filepath.Join(dir, "panes"), []byte(panes), 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\n" +
		`for a in "$@"; do printf '[%s]' "$a" >>` + log + "; done; echo >>" + log + "\n" +
		"case $1 in list-panes) cat " + dir + "/panes ;; new-window) echo %9 4242 ;; display-message) echo '$1' ;; esac\n"
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() string {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// A pane is that of a conversation if it is marked with its key and the process of the mark
// runs in it.
func TestJumpingToTheRightPane(t *testing.T) {
	key, pid := Key("/h/state.db", "a"), strconv.Itoa(os.Getpid())
	const gone = "999999999"
	for name, c := range map[string]struct {
		pane string // after others
		want string // called after list-panes, "" for no jump
	}{
		"same session":    {"%3 $1 0 " + key + " " + pid, "[select-window][-t][%3]\n[select-pane][-t][%3]\n[display-message][-p][#{session_id}]\n"},
		"another session": {"%3 $2 0 " + key + " " + pid, "[select-window][-t][%3]\n[select-pane][-t][%3]\n[display-message][-p][#{session_id}]\n[switch-client][-t][%3]\n"},
		"dead pane":       {"%3 $1 1 " + key + " " + pid, ""},
		"ended process":   {"%3 $1 0 " + key + " " + gone, ""},
		"another key":     {"%3 $1 0 " + Key("/h/state.db", "b") + " " + pid, ""},
		"another file":    {"%3 $1 0 " + Key("/i/state.db", "a") + " " + pid, ""},
		"odd mark":        {"%3 $1 0 " + key + " all", ""},
	} {
		calls := fakeTmux(t, "%1 $1 0\n%2 $1 0 "+key+"\n"+c.pane+"\n")
		there, err := Tmux{env.Vars(os.Environ())}.Jump(t.Context(), key)
		_, got, _ := strings.Cut(calls(), "\n")
		if err != nil || there != (c.want != "") || got != c.want {
			t.Errorf("%s: %v %v\n%s", name, there, err, got)
		}
	}
}

// What a title, a folder or an argument has of tmux's own signs means nothing in a call.
func TestAWindowIsOpenedAndMarked(t *testing.T) {
	calls := fakeTmux(t, "")
	key := Key("/h/state.db", "a")
	err := Tmux{env.Vars(os.Environ())}.Open(t.Context(), key, "#(reboot) Émile's #[fg=red] notes; and more and more of them", "/tmp/a#(b);", []string{"env", "hermes", "--resume", "x;"})
	want := "[new-window][-P][-F][#{pane_id} #{pane_pid}][-n][reboot Émile s fg red n…][-c][/tmp/a##(b)\\;][--][env][hermes][--resume][x\\;]\n" +
		"[set-option][-p][-t][%9][@hermes-session][" + key + " 4242]\n"
	if got := calls(); err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if name := windowName("#!"); name != "hermes" {
		t.Error(name)
	}
}

func TestWithoutTmux(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Tmux{}.Jump(t.Context(), "key")
	if f, ok := errors.AsType[*fault.Fault](err); !ok || f.Kind != "tmux" || f.Remedy == "" {
		t.Error(err)
	}
	if (Tmux{env.Vars{"TMUX="}}).Inside() || !(Tmux{env.Vars{"TMUX=/tmp/s,1,0"}}).Inside() {
		t.Error("TMUX says whether this is tmux")
	}
}
