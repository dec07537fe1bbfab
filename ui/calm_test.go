package ui

import (
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// The selection begins on what was worked on last: what runs, else the newest, and not on an old
// pin; the same with several databases, after a query and in its order by time.
func TestTheSelectionBeginsOnTheNewest(t *testing.T) {
	t.Parallel()
	for _, several := range []bool{false, true} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			profiles := func(o *Options) { o.Several = several }
			if d := start(t, lib, 80, 24, profiles); d.current() != "Kafka consumer retries #3" {
				t.Errorf("beside a running one, on %q", d.current())
			}
			lib.Convs[0].State = model.StateDone
			d := start(t, lib, 80, 24, profiles)
			if d.sees("\n Pinned\n"); d.row() != 1 || d.current() != "Kafka consumer retries #3" {
				t.Errorf("below a pin, on %q", d.current())
			}
			d.types("the").keys("ctrl+s", "esc")
			if d.current() != "Kafka consumer retries #3" {
				t.Errorf("after a query, on %q", d.current())
			}
			for i := range lib.Convs {
				if lib.Convs[i].Pinned {
					lib.Convs[i].LastActive = uitest.Now()
				}
			}
			if d := start(t, lib, 80, 24, profiles); d.current() != "House rules for code review" {
				t.Errorf("where the pinned one is the newest, on %q", d.current())
			}
			d = start(t, lib, 80, 24, profiles, func(o *Options) { o.List.Order = query.ByTitle })
			if d.row() != 0 {
				t.Errorf("in another order, on row %d", d.row())
			}
		})
	}
}

// The column that the rows are ordered by is there at every width: by cost in the place of the
// source where there is no room.
func TestTheColumnOfTheOrderIsAlwaysThere(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, size := range [][2]int{{200, 50}, {120, 40}, {100, 30}, {80, 24}, {60, 20}, {30, 8}} {
			d := start(t, lib, size[0], size[1]).types(":").types("sort cost").keys("enter")
			d.sees("$12.50")
			start(t, lib, size[0], size[1]).types(":").types("sort messages").keys("enter").sees(" 142")
		}
		start(t, lib, 80, 24).misses("$12.50").sees("telegram")
	})
}

// Under the heading of a month rows tell their day, and elsewhere how long ago; by start, when
// they started.
func TestMonthsTellDays(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 40).sees("\n October 1999 ", "  3 Oct  cli", "\n 1998 ", " 31 Jan  cli", " 20d  cli")
		d.keys("ctrl+s").sees("by start", "Start  Source", "Started · October 1999", "  3 Oct  cli")
		d.keys("ctrl+s").sees("by title").misses("3 Oct")
	})
}

// Only what is not usual has a mark: no rules, no mark for what ended, none for what was closed
// without an end.
func TestOnlyTheUnusualIsMarked(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 28).misses("✓", "◌", "· Empty", "── ")
		d.sees("\n Today\n", "\n     what does the blue light", "\n   ! nightly report", "\n   ★ House rules")
		if strings.Contains(d.screen(), "1/12") {
			t.Error("the place of a row is told that nobody has chosen")
		}
	})
}

// Keys in the settings for a screen that is gone are ignored; an unknown screen is an error.
func TestKeysForAScreenThatIsGone(t *testing.T) {
	t.Parallel()
	if _, err := shell.Rebind(uitest.Bindings(t), shell.Overrides{"running": {shell.Read: {"x"}}}); err != nil {
		t.Error(err)
	}
	if _, err := shell.Rebind(uitest.Bindings(t), shell.Overrides{"nowhere": {shell.Read: {"x"}}}); err == nil {
		t.Error("a screen that never was is taken")
	}
}

// A page that goes on below its box says how to get there; one that is whole does not.
func TestABoxSaysThatItScrolls(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		start(t, lib, 80, 24).keys("?").sees("↑↓ scroll · esc close")
		start(t, lib, 80, 50).keys("?").sees("─ esc close ─").misses("scroll ·")
		start(t, lib, 30, 8).keys("?").sees("↑↓ scroll · esc close")
	})
}
