//go:build !windows

package e2e

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/sourcetree"
	"hermes-sessions/internal/testing/picture"
	"hermes-sessions/theme"
)

var update = flag.Bool("update", false, "draw the pictures of the README anew")

// drawing reports whether journeys are drawn: to write the pictures, or in a
// campaign to compare them.
func drawing() bool { return *update || campaign.On() }

// pause is how long nothing is written until a screen counts as finished.
const pause = 700 * time.Millisecond

// shot waits until the screen is finished, and gives it.
func (c *console) shot() picture.Screen {
	c.t.Helper()
	for quiet := false; !quiet; {
		select {
		case <-c.written:
		case <-time.After(pause):
			quiet = true
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if insideFrame(c.raw) {
		c.t.Errorf("the program stopped in the middle of a frame\n%s", c.frame)
	}
	s := picture.Of(c.screen)
	at := c.screen.CursorPosition()
	s.Title, s.Cursor = c.title, c.cursor
	s.Cursor.X, s.Cursor.Y = at.X, at.Y
	return s
}

// schemeOf returns the colors of a terminal: it is light where the program is told to
// be, else dark, and has the colors of linen where that paints it.
func schemeOf(args []string) picture.Scheme {
	i := slices.Index(args, "--theme")
	if i < 0 || i+1 == len(args) {
		return picture.Dark
	}
	switch scheme := picture.Light; args[i+1] {
	case "light":
		return scheme
	case "linen":
		p := theme.Linen
		scheme.Background, scheme.Foreground = p.Ground, p.Text
		scheme.Frame, scheme.FrameText, scheme.Edge = p.Surface, p.Faint, p.Selection
		return scheme
	}
	return picture.Dark
}

// keepPicture writes a picture of the README, or compares it with the one there is.
func keepPicture(t *testing.T, name string, svg []byte) {
	t.Helper()
	file := filepath.Join(sourcetree.Root(t), "screenshots", name+".svg")
	if *update {
		if err := os.WriteFile(file, svg, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(kept, []byte("\r\n"), []byte("\n")), svg) {
		t.Errorf("screenshots/%s.svg does not show the program as it is: make screenshots", name)
	}
}
