//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A hit, its transcript, with n on into the next conversations of the answer,
// from there to the family, to a branch, and back the same way.
func TestReadingJourney(t *testing.T) {
	t.Parallel()
	k := findBranch(t, "bakery", "--demo")
	s := open(t, 120, 32, nil, "--demo")
	s.Sees("conversations ·")
	s.Pastes("bakery")
	s.Sees("▸   Name for the bakery app")
	s.Press("Right")
	s.Sees("match 1 of 1")
	for n := 1; !strings.Contains(s.text(), " "+k.title+" "); n++ { // through the matches of each, and on to the next
		before := s.text()
		s.Types("n")
		s.until("n goes on", func(text string) bool { return text != before && strings.Contains(text, "match ") })
		if n > 40 {
			t.Fatalf("%q is never reached:\n%s", k.title, s.text())
		}
	}
	s.Sees("match 1 of 1")
	s.Types("l")
	s.Sees("Lineage")
	s.Types("/" + k.branch)
	s.Sees("match 1 of 1")
	s.Press("Enter")
	s.Sees("forked at")
	s.Press("Enter")
	s.Sees(" fold")
	s.Types("q")
	s.Sees("forked at")
	s.Types("q")
	s.Sees(" fold")
	s.Types("q")
	s.Sees("▸ bakery")
}

// A message that is named like show names one is what the browser begins with;
// other words with # are searched for.
func TestBrowseBeginsAtAMessage(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	var shown struct{ Messages []struct{ ID int64 } }
	ask(t, &shown, "--demo", "show", to.id)
	place := to.id + "#" + jsonText(t, shown.Messages[1].ID)
	s := open(t, 100, 30, nil, "--demo", place)
	s.Sees(" 2 / ")
	s.Sees(to.title)
	s.Types("q")
	s.Sees("Search…")
	s.Press("Ctrl+C")
	s.exits(130)
	if r := run(t, "--demo", "show", place); r.code != 0 || !strings.Contains(r.stdout, "▶ message") || !strings.Contains(strings.ToLower(r.stdout), to.first) {
		t.Errorf("%+v", r)
	}
	words := open(t, 100, 30, nil, "--demo", "nothing#12")
	words.Sees("\n Closest")
	gone := open(t, 100, 30, nil, "--demo", to.id+"#999999")
	gone.Sees("has no message 999999")
	gone.exits(1)
}

// guestScript makes a fake pager or editor: it records its input and waits for a
// key as those do.
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

// The pager gets the whole conversation as text, Ctrl+C in it is its own, and
// the screen comes back.
func TestThePagerReadsTheConversation(t *testing.T) {
	t.Parallel()
	pager, record := guestScript(t, `[ "$1" = "-x" ] && cat >"$record" && trap 'echo not me' INT`)
	s := open(t, 100, 30, []string{"PAGER=" + pager + " -x"}, "--demo")
	to := lookFor(t, "--demo")
	find(s, to)
	s.Press("Ctrl+X")
	s.Types("$")
	s.Sees("the guest is here")
	s.until("the screen is the guest's", func(string) bool { return !s.onScreen() })
	s.Press("Ctrl+C")
	s.Press("Enter") // a shell that was about to read hears of the interrupt with it
	s.until("the interrupt is the pager's", func(string) bool { return strings.Contains(s.bytes(), "not me") })
	s.until("the screen is back", func(text string) bool { return s.onScreen() && strings.Contains(text, to.title) })
	if text := contents(t, record); !strings.Contains(text, to.id) || !strings.Contains(strings.ToLower(text), to.words[:len(to.first)]) || strings.Contains(text, "\x1b") {
		t.Errorf("the pager got %.300q", text)
	}
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}

// A pager that is left early is no fault, one that cannot be run is said.
func TestAPagerThatEndsEarly(t *testing.T) {
	t.Parallel()
	s := open(t, 100, 30, []string{"PAGER=head -1; echo left early"}, "--demo")
	s.Sees("conversations ·")
	s.Press("Ctrl+X")
	s.Types("$")
	s.until("the screen is back", func(text string) bool {
		return s.onScreen() && strings.Contains(text, "Pinned") && strings.Contains(s.bytes(), "left early")
	})
	if strings.Contains(s.text(), "Pager:") {
		t.Errorf("a fault:\n%s", s.text())
	}
	missing := open(t, 100, 30, []string{"PAGER=no-such-pager"}, "--demo")
	missing.Sees("conversations ·")
	missing.Press("Ctrl+X")
	missing.Types("$")
	missing.Sees("Pager: no-such-pager: exit status 127")
}

// The editor gets a private copy as Markdown, which is gone afterwards.
func TestTheEditorGetsACopy(t *testing.T) {
	t.Parallel()
	editor, record := guestScript(t, `echo "$@" >"$record"; ls -l "$1" >>"$record"; cat "$1" >>"$record"`)
	s := open(t, 100, 30, []string{"VISUAL=", "EDITOR=" + editor}, "--demo")
	to := lookFor(t, "--demo")
	find(s, to)
	s.Press("Right")
	s.Sees("q back")
	s.Sees("match ")
	s.Types("v")
	s.Sees("the guest is here")
	note := contents(t, record)
	file, rest, _ := strings.Cut(note, "\n")
	if !strings.HasSuffix(file, ".md") || !strings.HasPrefix(rest, "-rw-------") || !strings.Contains(note, "\n# ") || !strings.Contains(note, "## you") {
		t.Errorf("the editor got %.300q", note)
	}
	s.Press("Enter")
	s.until("the screen is back", func(text string) bool { return s.onScreen() && strings.Contains(text, "match ") })
	if exists(file) || exists(filepath.Dir(file)) {
		t.Errorf("%s is still there", file)
	}
	s.Types("q")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}

// A signal that ends the browser while the editor is open leaves no copy.
func TestNoCopyIsLeftBySignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		editor, record := guestScript(t, `echo "$@" >"$record"`)
		s := open(t, 100, 30, []string{"VISUAL=", "EDITOR=" + editor}, "--demo")
		s.Sees("Today") // the rows are there
		s.Press("Right")
		s.Sees("q back")
		s.Types("v")
		s.Sees("the guest is here")
		file := strings.TrimSpace(contents(t, record))
		if !exists(file) {
			t.Fatalf("%s is not there", file)
		}
		if err := s.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		s.ends()
		if exists(file) || exists(filepath.Dir(file)) {
			t.Errorf("after %v %s is still there", sig, file)
		}
	}
}
