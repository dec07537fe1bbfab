//go:build !windows

package program

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"hermes-sessions/internal/cli/env"
)

// lines returns numbered lines.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, "line", i+1)
	}
	return b.String()
}

func TestThePagerShowsOnlyWhatIsLongerThanTheScreen(t *testing.T) {
	const mark = "sed 's/^/paged: /'"
	for _, c := range []struct {
		name, line, text string
		width            int
		paged            bool
	}{
		{"short", mark, lines(8), 80, false},
		{"a line too many", mark, lines(10), 80, true},
		{"lines that wrap", mark, strings.Repeat("x", 1000) + "\n", 80, true},
		{"no such pager", "no-such-pager -x", lines(50), 80, false},
		{"nothing", mark, "", 80, false},
	} {
		var screen bytes.Buffer
		p := Pager{Terminal: &screen, Errors: os.Stderr, Line: c.line, Environ: os.Environ(), Width: c.width, Height: 10}
		p.Begin(t.Context())
		for part := range strings.Lines(c.text) {
			if _, err := p.Write([]byte(part)); err != nil {
				t.Fatal(c.name, err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(c.name, err)
		}
		if got := screen.String(); strings.HasPrefix(got, "paged: ") != c.paged || strings.ReplaceAll(got, "paged: ", "") != c.text {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestQuittingThePagerEndsTheOutput(t *testing.T) {
	var screen bytes.Buffer
	held, released := 0, 0
	p := Pager{
		Terminal: &screen, Errors: os.Stderr, Line: "head -1", Environ: os.Environ(), Width: 80, Height: 5,
		Hold: func() func() { held++; return func() { released++ } },
	}
	p.Begin(t.Context())
	var err error
	for err == nil {
		_, err = p.Write([]byte(lines(1000)))
	}
	if !errors.Is(err, syscall.EPIPE) {
		t.Error(err)
	}
	if err := p.Close(); err != nil || screen.String() != "line 1\n" || held != 1 || released != 1 {
		t.Errorf("%v, %q, interrupts held %d times, released %d times", err, screen.String(), held, released)
	}
}

func TestAPagerThatTheShellCannotRunIsAnError(t *testing.T) {
	p := Pager{Terminal: &bytes.Buffer{}, Errors: &bytes.Buffer{}, Line: "X=1 no-such-pager", Environ: os.Environ(), Width: 80, Height: 5}
	p.Begin(t.Context())
	_, _ = p.Write([]byte(lines(10)))
	if err := p.Close(); err == nil || !strings.Contains(err.Error(), "X=1 no-such-pager") {
		t.Error(err)
	}
}

// What is known to fit is printed before all of it is there.
func TestTheEndOfAShortTextIsAnnounced(t *testing.T) {
	for missing, want := range map[int]string{2: lines(5), 5: ""} {
		var screen bytes.Buffer
		p := Pager{Terminal: &screen, Line: "cat", Width: 80, Height: 10}
		p.Begin(t.Context())
		_, _ = p.Write([]byte(lines(5)))
		if err := p.Ends(missing); err != nil || screen.String() != want {
			t.Errorf("%d lines missing: %v %q", missing, err, screen.String())
		}
		if err := p.Close(); err != nil || screen.String() != lines(5) {
			t.Errorf("%v %q", err, screen.String())
		}
	}
}

func TestPagerOf(t *testing.T) {
	for _, c := range []struct{ environ, want string }{
		{"", "less"},
		{"PAGER=more", "more"},
		{"PAGER=", ""},
		{"PAGER=cat", ""},
		{"PAGER=more HERMES_SESSIONS_PAGER=bat", "bat"},
		{"PAGER=more HERMES_SESSIONS_PAGER=", ""},
		{"TERM=dumb", ""},
	} {
		if got := PagerOf(strings.Fields(c.environ)); got != c.want {
			t.Errorf("%s: %q, want %q", c.environ, got, c.want)
		}
	}
	if got := withLess(env.Vars{"A=b"}); strings.Join(got, " ") != "A=b LESS=FRX" {
		t.Error(got)
	}
	if got := withLess(env.Vars{"LESS="}); strings.Join(got, " ") != "LESS=" {
		t.Error(got)
	}
}
