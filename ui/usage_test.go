package ui

import (
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// The screen of usage sums up a year, by each view, and each row opens its conversations:
// on the screen, in the list, and one of them as its transcript.
func TestUsageOpensConversations(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 40).types(":tokens over").sees("usage").keys("enter").sees("Usage · 12 months", "Conversations   Time   Models", "Mon", "Cost", "$12.50", "sessions").keys("tab").sees("Day ")
		d.keys("tab").sees("Model ").keys("tab").sees("Source ", "telegram").keys("enter").sees("→  ", "Conversation ")
		d.keys("esc").sees("Source ").misses("→  ")
		d.keys("enter", "enter").sees("House rules for code review").keys("q").sees("Conversation ", "→  ")
		d.keys("esc", "l").sees("source ", " none hidden ctrl+o").misses("Usage · 12 months")
		if d.root.list.Listing().Scope != model.ScopeConversations {
			t.Error("the scope of the query would be that of the next start")
		}
		if d.keys("esc").misses("source ", "none hidden").sees("12 conversations"); d.root.list.Listing().Scope != model.ScopeConversations {
			t.Error("the scope of the query stays")
		}
		low := start(t, lib, 60, 8).keys("ctrl+x", "U", "d").sees("· 1 / ").keys("down").sees("· 2 / ")
		low.send(tea.WindowSizeMsg{Width: 60, Height: 12})
		low.sees("cost", " 2 / ")
		low.send(tea.WindowSizeMsg{Width: 60, Height: 40})
		low.misses("2 / ")
	})
}

func TestUsageRangesAndMeasures(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 30).keys("ctrl+x", "U", "d").sees("12 months", "Day ")
		d.keys("d").sees("Week ", "-W").keys("d").sees("Month ").keys("d").sees("Day ")
		d.sees("  cost").keys("m", "m").sees("  messages").keys("m").sees("  tokens").keys("m").sees("  cache reads")
		d.keys("t").sees("All time").keys("t").sees("7 days").keys("t").sees("30 days").keys("[").sees(" to ").keys("]").sees("30 days")
		d.keys("]").sees("This is the newest period").keys("T").sees("7 days")
		d.keys("shift+tab", "shift+tab").sees("Weekday ", "Monday", "Sunday").keys("shift+tab").sees("Hour ", "00:00", "09:00")
		d.keys("l").sees("The list has no filter for it")
		d.keys("shift+tab").sees("Tool ", "terminal", "read_file", "Calls", "Failed").keys("m").sees("failed calls").keys("enter").sees("→  ", "terminal")
		d.keys("esc", "q").sees("12 conversations")
	})
}

// What an old database does not record has no column of zeros, and no line.
func TestUsageLeavesOutWhatNoRowHas(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		start(t, lib, 110, 26).keys("ctrl+x", "U", "d").sees("Cache reads", "cache reads")
		for i := range lib.Convs {
			lib.Convs[i].Total.Input, lib.Convs[i].Total.Output = 100, 10
		}
		start(t, lib, 110, 26).keys("ctrl+x", "U", "d").sees("tokens out", "Estimated").misses("Cache reads", "cache reads")
	})
}

// What cannot be read, is not there yet or is not there at all is said.
func TestUsageOfNothing(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 10 * time.Second } })
		d.keys("ctrl+x", "U").keys("enter").sees("Still reading the sessions")
		d.keys("d", "d", "t").sees("reading…").wait(10 * time.Second)
		d.sees("Usage · All time", "Week ").keys("T", "d", "d").sees("Usage · 12 months", "Day ")
		lib.Set(func() { lib.Delay, lib.Err = nil, errors.New("the disk is on fire") })
		d.keys("f5").sees("the disk is on fire").keys("m").sees("could not be read")
		lib.Set(func() { lib.Err, lib.Convs = nil, nil })
		d.keys("f5").sees("No sessions yet.").keys("enter").sees("No session here")
		odd := model.Conversation{Session: model.Session{ID: "odd", Source: "cli"}, RootID: "odd", Segments: []string{"odd"}, Messages: 3, Total: model.Usage{Input: -5}}
		lib.Set(func() { lib.Convs = []model.Conversation{odd} })
		d.keys("f5").sees("No sessions started in this period.").keys("t").sees("All time", "undated", "-5", "?")
	})
}

// After a year without sessions the screen says when the last one was, and all time has the
// calendar of the year before that.
func TestUsageAfterAYearOfNothing(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		long := uitest.Now().AddDate(-2, 0, 0)
		for i := range lib.Convs {
			lib.Convs[i].RootStartedAt = long.AddDate(0, -i, 0)
		}
		d := start(t, lib, 110, 24).keys("ctrl+x", "U", "d").sees("0 sessions · 0 tokens", "No sessions started in this period; the newest started on "+long.Format(time.DateOnly)+".", "changes the range")
		d.keys("t").sees("All time", long.Format("2006-01-02 Mon"), "unused", " █", "·█")
	})
}

// Leaving the screen, or the view of tools, cancels what it still reads.
func TestUsageIsCancellable(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		slow := func(string) time.Duration { return time.Hour }
		d := start(t, lib, 120, 40)
		lib.Set(func() { lib.Delay = slow })
		d.keys("ctrl+x", "U").sees("reading…")
		if lib.Running() == 0 {
			t.Error("nothing is read")
		}
		if d.keys("esc").misses("Usage · "); lib.Running() != 0 {
			t.Error("the sessions are still read")
		}
		lib.Set(func() { lib.Delay = nil })
		d.keys("ctrl+x", "U", "d").sees("Day ")
		lib.Set(func() { lib.Delay = slow })
		d.keys("tab", "tab", "tab", "tab").sees("Tool")
		if lib.Running() == 0 {
			t.Error("no tools are counted")
		}
		if d.keys("shift+tab").sees("Folder "); lib.Running() != 0 {
			t.Error("the tools are still counted")
		}
	})
}

// A click chooses a view, a day of the calendar or a row; the second one opens the row.
func TestUsageWithTheMouse(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24).keys("ctrl+x", "U", "d")
		click := func(x, y int) {
			d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			d.settle()
		}
		click(5+52, 3+1+4) // the Friday of this week
		d.sees("▸ 1999-12-31 Fri")
		click(2, 13)
		d.sees("▸ 2000-01-01 Sat")
		click(24, 1)
		d.sees("Model ").misses("Day ")
		d.send(tea.MouseClickMsg{X: 4, Y: 4, Button: tea.MouseLeft})
		click(4, 4)
		d.sees("Conversation ")
	})
}

func TestUsageAtEverySize(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][2]int{"200x50": {200, 50}, "120x40": {120, 40}, "80x24": {80, 24}, "30x8": {30, 8}} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				golden.RequireEqual(t, start(t, lib, size[0], size[1]).keys("ctrl+x", "U", "down").screen())
			})
		})
	}
}

// The screen opens on what costs most, and at every width the cost is there, whatever is compared;
// where nothing has a price, on what used most.
func TestUsageOpensOnWhatCostsMost(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, w := range []int{30, 60, 80, 120, 200} {
			d := start(t, lib, w, 24).keys("ctrl+x", "U").sees("▸ House rules", "$12.50", "Cost")
			d.keys("m", "m").sees("Messages", "Cost", "$12.50")
			d.keys("d").sees("Day ", "Cost", "≥$2.05")
		}
		for i := range lib.Convs {
			lib.Convs[i].Total.Cost = model.Cost{}
		}
		start(t, lib, 80, 24).keys("ctrl+x", "U").sees("▸ House rules", "  tokens")
	})
}
