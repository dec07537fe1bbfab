package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/uitest"
)

// The actions are in columns, one for each group or, in a low window, one group after the
// other, and those that are not possible below them with the reasons; where that does not fit,
// in one list in the same order.
func TestActionMenuScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{30, 8}, {60, 20}, {80, 24}, {120, 40}} {
		for name, path := range map[string][]string{"list": nil, "transcript": {"down", "right"}, "lineage": {"down", "ctrl+l"}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					golden.RequireEqual(t, start(t, lib, size[0], size[1]).keys(path...).keys("ctrl+x", "down").screen())
				})
			})
		}
	}
}

func TestArrowsMoveBetweenTheColumnsOfTheMenu(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 40).keys("ctrl+x", "right").sees("▸ t  read").keys("right", "left", "left").sees("▸ r  resume")
		if d.keys("left").sees("▸ r  resume"); len(d.root.dialogs) != 1 {
			t.Fatal("an arrow closes the menu")
		}
		for range 40 {
			d.keys("down") // around
		}
		if d.keys("esc", "ctrl+x").clickOn("l  lineage"); len(d.root.screens) != 2 {
			t.Fatal("a click in the second column does nothing")
		}
		d = start(t, lib, 120, 40).keys("ctrl+x").clickOn("h  earlier queries").sees("no earlier queries")
		if m := d.root.dialogs[0].(*dialog.Menu); m.Sel == 0 {
			t.Fatal("a click does not select")
		}
	})
}

// The menu begins with what can be done on the screen, also where nothing can be changed:
// suspending and quitting, which every screen has, come last.
func TestTheMenuBeginsWithWhatTheScreenIsFor(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		start(t, lib, 80, 24).keys("ctrl+x", "U", "ctrl+x").sees("▸ r  resume", "o  open", "z  suspend", "x  quit")
	})
}

// A menu that is opened before the first rows have come offers what can be done to them
// when they have, and keeps the selection on its action.
func TestTheMenuOffersWhatAnAnswerMakesPossible(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Delay = func(string) time.Duration { return 2 * time.Second }
		d := start(t, lib, 120, 40).keys("ctrl+x", "r").sees("▸ r  resume", "Unavailable", "still reading")
		d.wait(3 * time.Second)
		if d.sees("▸ r  resume").misses("still reading").keys("enter").wait(3 * time.Second); !d.quit {
			t.Fatal("it is not resumed")
		}
	})
}

// Help is ordered by what actions are for. What every user knows is told when it is
// looked for; marks and words are explained and found.
func TestHelpIsOrderedByGroups(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 200).keys("f1").sees("Find", "Read", "Act", "Select", "Move", "Query syntax", "Symbols", "Words", "segments of a conversation")
		d.misses("One page up").types("page up").sees("One page up").misses("Find")
		d.keys("esc").types("lineage").sees("the tree of segments").misses("pinned")
		d.keys("esc").types("interrupted").sees("Symbols", "◌")
		text := start(t, lib, 120, 200).keys("f1").screen()
		at := -1
		for _, title := range []string{"│ Find", "│ Read", "│ Act", "│ Select", "│ Move", "│ Query syntax", "│ Symbols", "│ Words"} {
			i := strings.Index(text, title)
			if i < at || i < 0 {
				t.Fatalf("%q is out of its order", title)
			}
			at = i
		}
	})
}

// A letter that a menu does not have is answered, and leaves it open.
func TestAMenuAnswersLettersItDoesNotHave(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24).keys("ctrl+x", "B").sees("Actions", "No entry for B · esc closes")
		if d.keys("down").misses("No entry"); len(d.root.dialogs) != 1 {
			t.Fatal("the letter closes the menu")
		}
		start(t, lib, 80, 24).keys("ctrl+y", "x").sees("No entry for x · esc closes")
	})
}

// Where no shell would continue the program, it is not suspended: nothing could wake it.
func TestSuspendNeedsAShell(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 40, func(o *Options) { o.NoShell = true }).keys("ctrl+z").sees("No shell to return to")
		d.keys("ctrl+x").sees("z  suspend", "no shell to return to")
	})
}
