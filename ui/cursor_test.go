package ui

import (
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/ui/uitest"
)

// The terminal's cursor goes where the user's attention is, because screen readers and
// magnifiers follow it.
func TestTheCursorIsWhereTheAttentionIs(t *testing.T) {
	t.Parallel()
	const (
		down, left, right, esc, f2, ctrlD, ctrlL, ctrlX = "\x1b[B", "\x1b[D", "\x1b[C", "\x1b", "\x1bOQ", "\x04", "\x0c", "\x18"
	)
	at(t, func(t *testing.T, lib *uitest.Fake) {
		s := startProgram(t, lib, 80, 24)
		// on tests that the cursor is on the character mark of a line with these words.
		on := func(when, mark string, words ...string) {
			t.Helper()
			at := s.screen.CursorPosition()
			line := strings.Split(s.text(), "\n")[at.Y]
			cell := s.screen.CellAt(at.X, at.Y)
			for _, w := range words {
				if !strings.Contains(line, w) {
					t.Errorf("%s the cursor is in %q", when, line)
				}
			}
			if got := strings.TrimSpace(cell.Content); got != mark {
				t.Errorf("%s the cursor is on %q, column %d of %q", when, got, at.X, line)
			}
		}
		press := func(keys ...string) {
			for _, k := range keys {
				_, _ = io.WriteString(s.keys, k)
				s.wait(time.Second)
			}
		}
		on("at first", "S", "Search…")
		press(down)
		on("one row down", "▸", "House rules")
		press("k")
		on("while a query is written", "", "▸ k")
		press(down)
		on("in the results", "▸", "Broker")
		press(esc, f2)
		on("in the field of a new title", "", "▸ ")
		press(esc, ctrlD)
		on("before a deletion", "▸", "Cancel")
		press(left)
		on("at its other answer", "▸", "Delete")
		press(esc, ctrlX, down)
		on("in a menu", "▸")
		press(esc, ":", "s", "o", "r", "t")
		on("in the palette", "", ": sort")
		press(down)
		on("at a command", "▸", "sort")
		press(esc, ctrlL)
		on("in the tree", "▸")
		press(esc, right)
		on("in a transcript", "│")
		press("/", "x")
		on("in its search", "", "/x")
		s.leave()
	})
}

// Every screen and every box has a cursor, on the mark of its current row, in its field, or
// where its text begins.
func TestEveryScreenHasACursor(t *testing.T) {
	t.Parallel()
	states := painted()
	for name, keys := range map[string][]string{
		"copy": {"ctrl+y"}, "export": {"ctrl+x", "e"}, "rename": {"ctrl+r"}, "palette": {":"}, "reading": {"right"}, "find": {"right", "/"},
		"vacuum": {"ctrl+x", "S", "V"}, "keys of the transcript": {"right", "?"}, "one to go": {"right", "ctrl+x"}, "details": {"ctrl+x", "i"},
	} {
		states[name] = func(d *driver) *driver { return d.keys(keys...) }
	}
	for name, path := range states {
		for _, size := range [][2]int{{100, 30}, {60, 20}, {30, 8}} {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				var k disk
				d := path(start(t, lib, size[0], size[1], k.plug))
				for _, key := range []string{"", "down", "up"} {
					if key != "" {
						d.keys(key)
					}
					c := d.root.View().Cursor
					if c == nil {
						t.Fatalf("%s %v: no cursor after %q in\n%s", name, size, key, d.screen())
					}
					line := strings.Split(d.screen()+strings.Repeat("\n", size[1]), "\n")[c.Y]
					under := strings.TrimSpace(ansi.Cut(line, c.X, c.X+1))
					before := strings.TrimRight(ansi.Cut(line, 0, c.X), " ")
					atText := len(d.root.dialogs) > 0 && (before == "" || strings.HasSuffix(before, "│")) // a title
					if c.Shape == tea.CursorUnderline && !strings.Contains("▸│", under) && !atText {
						t.Errorf("%s %v: after %q the cursor is on %q in %q", name, size, key, under, line)
					}
				}
			})
		}
	}
}
