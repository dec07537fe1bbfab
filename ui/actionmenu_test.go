package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/shell"
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
		d = start(t, lib, 120, 40).keys("ctrl+x").misses("earlier queries").keys("h").sees("No earlier queries").clickOn("s  sort")
		if len(d.root.dialogs) > 0 {
			t.Fatal("a click does not choose")
		}
	})
}

// The menu begins with what can be done on the screen, also where nothing can be changed, and
// leaves out suspending and quitting, which every screen has.
func TestTheMenuBeginsWithWhatTheScreenIsFor(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		start(t, lib, 80, 24).keys("ctrl+x", "U", "ctrl+x").sees("▸ r  resume", "o  open").misses("suspend", "quit")
	})
}

// A menu that is opened before the first rows have come says why a letter does nothing yet, and
// offers what can be done to the rows when they have come.
func TestTheMenuOffersWhatAnAnswerMakesPossible(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Delay = func(string) time.Duration { return 2 * time.Second }
		d := start(t, lib, 120, 40).keys("ctrl+x", "r").sees("Still reading").misses("resume", "Unavailable")
		d.wait(3 * time.Second)
		if d.sees("r  resume").keys("r").wait(3 * time.Second); !d.quit {
			t.Fatal("it is not resumed")
		}
	})
}

// What is found in help is ordered by what actions are for; marks and words are found, too.
func TestHelpIsOrderedByGroups(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 200).keys("f1").sees("works now", "segments, branches, subagents").misses("One page up", "Query syntax", "Words")
		d.types("page up").sees("One page up").misses("Find").keys("esc")
		d.types("lineage").sees("the tree of segments").misses("pinned").keys("esc").types("works").sees("Marks", "●").keys("esc")
		h := dialog.NewHelp(d.root, shell.InList, d.root.can)
		h.Update(tea.PasteMsg{Content: "s"})
		text := "\n" + ansi.Strip(strings.Join(h.Lines(100), "\n"))
		at := -1
		for _, title := range []string{"Act", "Organize", "Read", "Find", "Show", "Overview", "Select", "Move", "Query syntax", "Marks", "Words"} {
			i := strings.Index(text, "\n"+title+"\n")
			if i < at || i < 0 {
				t.Fatalf("%q is out of its order:\n%s", title, text)
			}
			at = i
		}
	})
}

// The menu has what can be done, whatever can be: at most 24 entries in the list, and groups of
// at most seven on every screen.
func TestTheMenuIsShort(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		history := func(o *Options) { o.History = []string{"kafka"} }
		for name, path := range map[string][]string{
			"list": {"f2", "x", "enter", "k", "tab", "tab"}, "transcript": {"f2", "x", "enter", "k", "right"}, "lineage": {"ctrl+l"}, "usage": {"ctrl+x", "U"},
			"clean-up": {"ctrl+x", "c"}, "storage": {"ctrl+x", "S"},
		} {
			d := start(t, lib, 120, 40, history).keys(path...)
			shown, hidden := actionEntries(d.root)
			groups, last := map[string]int{}, ""
			for _, e := range shown {
				if groups[e.Group]++; e.Group != last && groups[e.Group] > 1 {
					t.Errorf("%s: the group %s is divided", name, e.Group)
				}
				last = e.Group
				if e.Why != "" || groups[e.Group] > 7 {
					t.Errorf("%s: %q of %s: %q", name, e.Label, e.Group, e.Why)
				}
			}
			if name == "list" && len(shown) > 24 || len(shown) < 3 || len(hidden) == 0 {
				t.Errorf("%s: %d entries", name, len(shown))
			}
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
		d.keys("ctrl+x", "z").sees("No shell to return to")
	})
}
