//go:build !windows

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// click presses and releases the left button where a text stands, as terminals
// report it (SGR).
func (c *console) click(text string) {
	c.t.Helper()
	c.Sees(text)
	for y, line := range strings.Split(c.text(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			at := fmt.Sprintf("0;%d;%d", len([]rune(before))+1, y+1)
			c.Types("\x1b[<" + at + "M\x1b[<" + at + "m")
			return
		}
	}
}

// The mouse reaches what stands on the screen, and is the terminal's again
// afterwards; --no-mouse leaves it alone.
func TestTheMouse(t *testing.T) {
	to := lookFor(t, "--demo")
	s := open(t, 100, 30, nil, "--demo")
	s.Sees(to.other)
	s.Sees("↵ resume") // the bottom line stands still from then on
	s.click("scope")
	s.Sees("in automation")
	s.click("more")
	s.Sees("│ Do ")
	s.click("s  sort") // in the menu, not in the bottom line
	s.Sees("Started ")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()

	quiet := open(t, 100, 30, nil, "--demo", "--no-mouse")
	quiet.Sees(to.other)
	quiet.Press("Ctrl+C")
	quiet.exits(130)
	if strings.Contains(quiet.bytes(), "\x1b[?1002h") || strings.Contains(quiet.bytes(), "\x1b[?1006h") {
		t.Error("the mouse was taken")
	}
}
