//go:build !windows

package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// guestScript makes a stand-in for a pager or an editor: it notes what it got and
// waits for a key like they do.
func guestScript(t *testing.T, body string) (program, record string) {
	t.Helper()
	dir := t.TempDir()
	program, record = filepath.Join(dir, "guest"), filepath.Join(dir, "record")
	script := "#!/bin/sh\nrecord='" + record + "'\n" + body + "\necho 'the guest is here'\nuntil read _ </dev/tty; do :; done\necho bye\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return program, record
}

// From the screen to a file: proposed, written where it was said, never over
// another one without asking.
func TestExportFromTheScreenOfTheProgram(t *testing.T) {
	s := open(t, 110, 30, nil, "--demo")
	to := lookFor(t, "--demo")
	find(s, to)
	home := ""
	for _, v := range s.cmd.Env {
		if dir, ok := strings.CutPrefix(v, "HOME="); ok {
			home = dir
		}
	}
	name := filepath.Join(home, "talk.html")
	if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Press("Ctrl+X")
	s.Types("e")
	s.Sees("JSON lines")
	s.Press("Ctrl+U")
	s.Pastes("~/talk.html")
	s.Press("Enter")
	s.Sees("take another name")
	if got := contents(t, name); got != "mine" {
		t.Fatalf("replaced without asking: %.60q", got)
	}
	s.Types("y")
	s.Sees("wrote " + name)
	page := contents(t, name)
	if !strings.HasPrefix(page, "<!doctype html>") || !strings.Contains(page, to.id) || !strings.HasSuffix(page, "</html>\n") {
		t.Errorf("%.200q", page)
	}
	s.Press("Ctrl+X")
	s.Types("e")
	s.Sees("JSON lines")
	s.Press("Ctrl+U")
	s.Pastes("talk.jsonl") // beside where the program was started
	s.Press("Enter")
	beside := filepath.Join(s.cmd.Dir, "talk.jsonl")
	s.until("it is written", func(string) bool { return exists(beside) })
	if line := contents(t, beside); !strings.Contains(line, `"id": "`+to.id+`"`) {
		t.Errorf("%.200q", line)
	}
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}

// What is copied goes to the terminal byte by byte.
func TestCopySendsTheRightBytes(t *testing.T) {
	s := open(t, 110, 30, nil, "--demo")
	to := lookFor(t, "--demo")
	find(s, to)
	s.Press("Ctrl+Y")
	s.Sees("resume command")
	s.Types("i")
	s.Sees("sent to the terminal's clipboard")
	s.Press("Right")
	s.Sees("hit ")
	s.Types("y")
	s.Sees("clipboard: message")
	var got []string
	for _, m := range regexp.MustCompile("\x1b\\]52;c;([A-Za-z0-9+/=]*)(?:\a|\x1b\\\\)").FindAllStringSubmatch(s.bytes(), -1) {
		text, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil {
			t.Error(err)
		}
		got = append(got, string(text))
	}
	if len(got) != 2 || got[0] != to.id || !strings.Contains(strings.ToLower(got[1]), to.first) {
		t.Errorf("the clipboard got %q, want %q and what has %q", got, to.id, to.first)
	}
}

// The pager gets the whole conversation as text, Ctrl+C in it is its own, and
// the screen comes back.
func TestThePagerReadsTheConversation(t *testing.T) {
	pager, record := guestScript(t, `[ "$1" = "-x" ] && cat >"$record" && trap 'echo not me' INT`)
	s := open(t, 100, 30, []string{"PAGER=" + pager + " -x"}, "--demo")
	to := lookFor(t, "--demo")
	find(s, to)
	s.Press("Ctrl+X")
	s.Types("$")
	s.Sees("the guest is here")
	s.until("the screen is the guest's", func(string) bool { return !s.onScreen() })
	for try := 1; ; try++ { // a shell that is about to read misses one
		s.Press("Ctrl+C")
		if s.shows("not me", time.Second) {
			break
		}
		if try == 20 {
			t.Fatalf("the interrupt is not the pager's:\n%s", s.text())
		}
	}
	s.Press("Enter")
	s.until("the screen is back", func(text string) bool { return s.onScreen() && strings.Contains(text, to.title) })
	if text := contents(t, record); !strings.Contains(text, to.id) || !strings.Contains(strings.ToLower(text), to.words[:len(to.first)]) || strings.Contains(text, "\x1b") {
		t.Errorf("the pager got %.300q", text)
	}
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}

// A pager that is left early is no fault, one that can not be run is said.
func TestAPagerThatHasEnough(t *testing.T) {
	s := open(t, 100, 30, []string{"PAGER=head -1; true"}, "--demo")
	s.until("the list is there", func(string) bool { return s.onScreen() })
	s.Press("Ctrl+X")
	s.Types("$")
	s.until("the screen is back", func(text string) bool {
		return s.onScreen() && strings.Contains(text, "Pinned") || strings.Contains(text, "Today")
	})
	if strings.Contains(s.text(), "pager:") {
		t.Errorf("a fault:\n%s", s.text())
	}
	missing := open(t, 100, 30, []string{"PAGER=no-such-pager"}, "--demo")
	missing.until("the list is there", func(string) bool { return missing.onScreen() })
	missing.Press("Ctrl+X")
	missing.Types("$")
	missing.Sees("pager: no-such-pager: exit status 127")
}

// The editor gets a private copy as Markdown, which is gone afterwards.
func TestTheEditorGetsACopy(t *testing.T) {
	editor, record := guestScript(t, `echo "$@" >"$record"; ls -l "$1" >>"$record"; cat "$1" >>"$record"`)
	s := open(t, 100, 30, []string{"VISUAL=", "EDITOR=" + editor}, "--demo")
	to := lookFor(t, "--demo")
	find(s, to)
	s.Press("Right")
	s.Sees("hit ")
	s.Types("v")
	s.Sees("the guest is here")
	note := contents(t, record)
	file, rest, _ := strings.Cut(note, "\n")
	if !strings.HasSuffix(file, ".md") || !strings.HasPrefix(rest, "-rw-------") || !strings.Contains(note, "\n# ") || !strings.Contains(note, "## You") {
		t.Errorf("the editor got %.300q", note)
	}
	s.Press("Enter")
	s.until("the screen is back", func(text string) bool { return s.onScreen() && strings.Contains(text, "hit ") })
	if exists(file) || exists(filepath.Dir(file)) {
		t.Errorf("%s is still there", file)
	}
	s.Types("q")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}

// Inside tmux as it comes, which keeps what programs send to the clipboard to
// itself, copying works all the same.
func TestCopyInTmux(t *testing.T) {
	if testing.Short() {
		t.Skip("a second opinion, left out of short runs")
	}
	to := lookFor(t, "--demo")
	begin := filepath.Join(t.TempDir(), "begin")
	script := "#!/bin/sh\nunset NO_COLOR HERMES_HOME HERMES_BIN; export HOME='" + t.TempDir() + "' TZ=UTC LANG=C.UTF-8\n'" + program + "' --demo\n"
	if err := os.WriteFile(begin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	x := openTmux(t, 100, 30, begin)
	find(x, to)
	x.Press("Ctrl+Y")
	x.Sees("resume command")
	x.Types("i")
	x.Sees("copied: " + to.id)
	if got := x.run("show-buffer"); strings.TrimSpace(got) != to.id {
		t.Errorf("tmux has %q", got)
	}
}

// A message that is named like show names one is what the browser begins with;
// other words with # are searched for.
func TestBrowseBeginsAtAMessage(t *testing.T) {
	to := lookFor(t, "--demo")
	var shown struct{ Messages []struct{ ID int64 } }
	ask(t, &shown, "--demo", "show", to.id)
	place := to.id + "#" + jsonText(t, shown.Messages[1].ID)
	s := open(t, 100, 30, nil, "--demo", place)
	s.Sees(" 2 / ")
	s.Sees(to.title)
	s.Types("q")
	s.Sees("type to search")
	s.Press("Ctrl+C")
	s.exits(130)
	if r := run(t, "--demo", "show", place); r.code != 0 || !strings.Contains(r.stdout, "▶ message") || !strings.Contains(strings.ToLower(r.stdout), to.first) {
		t.Errorf("%+v", r)
	}
	words := open(t, 100, 30, nil, "--demo", "nothing#12")
	words.Sees("Nothing matches")
	gone := open(t, 100, 30, nil, "--demo", to.id+"#999999")
	gone.Sees("has no message 999999")
	gone.exits(1)
}
