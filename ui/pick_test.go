package ui

import (
	"slices"
	"strings"
	"testing"

	"hermes-sessions/ui/uitest"
)

func TestManyArePickedByTheirMarks(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		many := func(o *Options) { o.Choose, o.Multi = true, true }
		d := start(t, lib, 80, 24, many).keys("tab", "down", "tab").types("tax").keys("enter")
		want := []string{lib.Convs[0].ID, lib.Convs[1].ID}
		if got := d.root.Chosen(); !d.quit || !slices.Equal(got, want) {
			t.Fatalf("picked %q, want %q", got, want)
		}
		if got := d.root.View().Content; got != " " { // an empty frame is written again at every tick
			t.Errorf("the last frame is %q", got)
		}
		d = start(t, lib, 80, 24, many).types("tax").keys("enter")
		if got := d.root.Chosen(); len(got) != 1 || got[0] != d.list().Current().ID {
			t.Fatalf("without marks: %q", got)
		}
		d = start(t, lib, 80, 24, many).keys("tab", "ctrl+c")
		if d.root.Chosen() != nil || !d.root.Outcome().Canceled {
			t.Fatalf("canceled: %q", d.root.Chosen())
		}
		start(t, lib, 80, 24, func(o *Options) { o.Choose = true }).keys("tab").misses("selected")
	})
}

func TestSomeLinesOfTheTerminalAreEnough(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, func(o *Options) { o.Height = 9 })
		for _, keys := range [][]string{nil, {"down", "down"}, {"ctrl+x"}, {"esc", "right"}, {"f1"}} {
			d.keys(keys...)
			if v := d.root.View(); v.AltScreen || v.MouseMode != 0 {
				t.Fatalf("after %q: the whole screen or the mouse is taken", keys)
			}
			if n := strings.Count(d.screen(), "\n"); n > 9 {
				t.Fatalf("after %q: %d lines:\n%s", keys, n, d.screen())
			}
		}
	})
}
