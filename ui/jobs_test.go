package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/theme"
	"hermes-sessions/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"
)

// deleting is a browser in the middle of a delete that takes long.
func deleting(t *testing.T, lib *uitest.Fake, w int, change ...func(*Options)) *driver {
	lib.Takes = 6 * time.Second
	d := start(t, lib, w, 24, change...).keys("ctrl+d", "y")
	d.wait(3 * time.Second)
	return d
}

func (d *driver) lastLine() string {
	lines := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
	return lines[len(lines)-1]
}

// A long change shows a bar, its counts and the key that stops it. The key stays at every
// width.
func TestProgressOfAChange(t *testing.T) {
	t.Parallel()
	ascii := func(o *Options) { o.Theme = theme.Setup{Theme: "mono", ASCII: true} }
	var lines []string
	for _, w := range []int{120, 100, 80, 60, 40, 30, 20} {
		for name, change := range map[string]func(*Options){"": func(*Options) {}, "ascii": ascii, "reduced": func(o *Options) { o.Still = true }} {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				line := deleting(t, lib, w, change).lastLine()
				lines = append(lines, fmt.Sprintf("%3d %-7s %s", w, name, line))
				if !strings.Contains(line, "alt+c stops") {
					t.Errorf("%d columns: %q does not say how to stop", w, line)
				}
				if bar := strings.Contains(line, "██") || strings.Contains(line, "##"); bar != (w >= 80 && name != "reduced") {
					t.Errorf("%d columns, %s: bar %t: %q", w, name, bar, line)
				}
			})
		}
	}
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := deleting(t, lib, 100)
		content := strings.Split(d.root.View().Content, "\n")
		lines = append(lines, strings.ReplaceAll(content[len(content)-1], "\x1b", "␛"))
	})
	slices.Sort(lines)
	golden.RequireEqual(t, strings.Join(lines, "\n"))
}

// A change that counts nothing shows a block that moves to and fro, and ends like any other by
// its key.
func TestProgressWithoutCounts(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Takes = 100 * time.Second // a tenth of it here
		d := start(t, lib, 100, 24).keys("ctrl+x")
		d.send(keyPress("a"))
		d.wait(900 * time.Millisecond)
		d.sees("Archiving “Kafka consumer retries #3”… · alt+c stops")
		d.wait(120 * time.Millisecond)
		d.sees("Archiving “Kafka consumer retries #3”… ─████─────────────── · alt+c stops")
		d.wait(3 * time.Second)
		d.sees("#3”… ────────────────████ · alt")
		d.wait(3400 * time.Millisecond)
		d.sees("#3”… ─████───────────────")
		d.keys("alt+c").sees("Stopped", "Kafka consumer retries #3")
		d.wait(20 * time.Second)
		d.misses("alt+c stops")
		if lib.Convs[0].Archived || lib.Convs[1].Archived {
			t.Error("it is archived all the same")
		}
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Takes = 100 * time.Second
		d := start(t, lib, 100, 24, func(o *Options) { o.Still = true }).keys("ctrl+x", "p")
		d.wait(5 * time.Second)
		d.sees("Pinning “Kafka consumer retries #3”… · alt+c stops")
	})
}

// A click on the hint stops, one beside it does not.
func TestClickStopsAChange(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := deleting(t, lib, 100)
		_, x := d.root.changes.jobs.line(100)
		d.send(tea.MouseClickMsg{X: x - 4, Y: 23, Button: tea.MouseLeft})
		d.wait(time.Second)
		d.misses("Stopped").sees("alt+c stops")
		d.send(tea.MouseClickMsg{X: x + 1, Y: 23, Button: tea.MouseLeft})
		d.wait(time.Second)
		d.sees("Stopped")
	})
}

// With reduced motion the counts change rarely, and no cursor blinks.
func TestReducedMotion(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24, func(o *Options) { o.Still = true })
		if c := d.root.View().Cursor; c == nil || c.Blink {
			t.Errorf("the cursor is %+v", c)
		}
		if c := start(t, lib, 100, 24).root.View().Cursor; c == nil || c.Shape != tea.CursorUnderline && !c.Blink {
			t.Errorf("without the setting the cursor is %+v", c)
		}
	})
}

// The menu's key for stopping works while there is a change, which ends before the key comes.
func TestStopOfAChangeThatHasEnded(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Takes = 3 * time.Second
		d := start(t, lib, 120, 40).keys("ctrl+d", "y", "ctrl+x")
		d.wait(4 * time.Second)
		d.keys("!").sees("11 conversations")
	})
}
