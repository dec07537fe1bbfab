package ui

import (
	"errors"
	"slices"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// Conversations worth deleting are shown with the reason, and deleted together.
func TestCleanUpShowsReasonsAndPurges(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 110, 24).keys("ctrl+x", "c").sees("Clean up · 2 of 2 conversations selected, 12 messages", "Empty one", "empty", "nightly report", "numbered duplicate of Broker")
		d.keys("space").sees("1 of 2 conversations selected")
		d.keys("d").sees("Delete “").keys("n").keys("*").sees("2 of 2").keys("d").sees("Delete 2 conversations?").keys("y")
		d.sees("No clutter: no empty, ghost or duplicate conversations.", "Deleted 2 conversations")
		if got := lib.Titles(); len(got) != 10 || slices.Contains(got, "Empty one") {
			t.Fatalf("left: %q", got)
		}
		d.keys("u").sees("2 of 2").keys("q").sees("12 conversations")
	})
}

// Clean-up is one of the scopes to choose from, though not of those that the scope
// key cycles through: letters are commands there, and a user who has just pressed
// that key may begin to type.
func TestTheScopesLeadToTheCleanUp(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 110, 24).types(":scope clean").sees("Show clutter and inactive conversations").keys("enter")
		d.sees("Clean up · 2 of 2 conversations selected").keys("q").sees("12 conversations")
		for range 2 * len(model.Scopes()) {
			if d.keys("ctrl+o"); len(d.root.screens) > 1 {
				t.Fatal("the key of the scopes leads to a screen where letters act")
			}
		}
		e := start(t, lib, 110, 24, func(o *Options) { o.Changes = nil })
		e.keys(":").types("scope clean").misses("clutter")
	})
}

// A prune begins as a dry run: a table of what would go.
func TestPruneIsATableFirst(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 110, 24).keys("ctrl+x", "c", "right").sees("2 of 2", "Inactive 30 d", "Tax return of last year", "First steps", "3mo")
		d.keys("right", "right").sees("1 of 1").misses("Tax return").keys("left", "left", "left", "left").sees("Inactive 365 d", "First steps")
		if len(lib.Titles()) != 12 {
			t.Fatal("something went")
		}
		d.keys("enter").sees("What shall we look at?").keys("q").sees("Clean up")
		lib.Set(func() { lib.Err = errors.New("the disk is on fire") })
		d.keys("f5").sees("the disk is on fire").keys("d").sees("could not be read")
	})
}

// The screen follows the rule of a prune by hand, and says how many it leaves out and why.
func TestTheCleanUpSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 110, 24).keys("ctrl+x", "c", "right").sees("2 of 2 conversations selected, 79 messages · 1 pinned stay")
		lib.Set(func() {
			for i := range lib.Convs {
				switch lib.Convs[i].Title {
				case "Tax return of last year":
					lib.Convs[i].Pinned = true
				case "First steps":
					lib.Convs[i].Archived = true
				}
			}
		})
		d.keys("f5").sees("0 of 0 conversations selected, 0 messages · 2 pinned, 1 archived stay", "No ended conversation has been inactive for 30 days.")
		d.keys("left").sees("Clean up · 2 of 2").misses("stay")
	})
}

func TestCleanUpAtEverySize(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][2]int{"200x50": {200, 50}, "80x24": {80, 24}, "30x8": {30, 8}} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				golden.RequireEqual(t, start(t, lib, size[0], size[1]).keys("ctrl+x", "c", "down").screen())
			})
		})
	}
}
