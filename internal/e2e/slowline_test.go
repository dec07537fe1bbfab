//go:build !windows

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
)

// Over 9,600 baud, which carry 960 bytes in a second, a user searches, reads and resumes.
// Neither the first nor the last line leaves the screen in between.
func TestSlowLine(t *testing.T) {
	t.Parallel()
	perSecond := campaign.Length(11_520, 960)
	to := lookFor(t, "--demo")
	s := openOnLine(t, perSecond, 80, 24, nil, "--demo")
	s.Sees(to.other)
	s.Sees("? help")
	// The first frames come before the terminal has said that it can hold frames back.
	first, rest := to.words[:1], to.words[1:]
	s.Types(first)
	s.Sees("demo  ▸ " + first)
	broken := ""
	s.watch(func(text string) {
		if !strings.Contains(text, "demo  ") || !strings.Contains(text, "f1 help") {
			broken = text
		}
	})
	s.Types(rest) // faster than the line carries the answers to the letters
	s.Sees(one)
	s.Sees(to.title)
	s.Loses(to.other)
	s.watch(nil)
	if broken != "" {
		t.Errorf("the first or the last line is gone for a moment:\n%s", broken)
	}
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()

	reading := openOnLine(t, perSecond, 80, 24, nil, "--demo")
	searchReadResume(reading, to)
	if c := reading.resumed(); !slices.Equal(c.Args, []string{"--resume", to.id}) {
		t.Errorf("Hermes was called with %q, want the session %s", c.Args, to.id)
	}
}

// The mark behind a pasted text comes in two pieces over a slow line, the second one long after
// the first: the text is pasted, and the keys behind it are keys.
func TestAPasteThatComesInPieces(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	s := open(t, 80, 24, nil, "--demo")
	s.Sees(to.other)
	s.Types("\x1b[200~" + to.words + "\x1b[20")
	<-time.After(200 * time.Millisecond) // longer than an incomplete key is waited for
	s.Types("1~")
	s.Sees(to.title)
	s.Press("Ctrl+C")
	s.exits(130)
}
