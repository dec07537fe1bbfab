package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/uitest"
)

func TestTheAnswersToADeletionCanBeClicked(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("ctrl+d").clickInBox("Deletes")
		if len(d.root.dialogs) != 1 {
			t.Fatal("a click on the text answers")
		}
		if d.clickInBox("n Cancel"); len(d.root.dialogs) != 0 || len(lib.Titles()) != 12 {
			t.Fatal("a click on Cancel does not cancel")
		}
		if d.keys("ctrl+d").clickInBox("y Delete").settle(); len(lib.Titles()) != 11 {
			t.Fatal("a click on Delete does not delete")
		}
	})
}

// With Shift the mouse selects text in the terminal. A terminal that reports it all the same
// changes nothing here.
func TestShiftLeavesTheMouseToTheTerminal(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		shifted := func(b tea.MouseButton, x, y int) tea.Mouse {
			return tea.Mouse{X: x, Y: y, Button: b, Mod: tea.ModShift}
		}
		d := start(t, lib, 100, 24)
		for _, keys := range [][]string{nil, {"right"}, {"esc", "ctrl+l"}, {"esc", "ctrl+d"}} {
			before := d.keys(keys...).screen()
			for y := range 24 {
				d.send(tea.MouseClickMsg(shifted(tea.MouseLeft, 20, y)), tea.MouseMotionMsg(shifted(tea.MouseLeft, 40, y)),
					tea.MouseReleaseMsg(shifted(tea.MouseLeft, 40, y)), tea.MouseWheelMsg(shifted(tea.MouseWheelDown, 20, y)))
			}
			d.settle()
			if after := d.screen(); after != before {
				t.Fatalf("after %q, the mouse with Shift made of\n%s\nthis:\n%s", keys, before, after)
			}
		}
		d.keys("esc")
		d.send(click(20, 5))
		if d.settle(); d.current() == "" {
			t.Fatal("a click without Shift chooses nothing")
		}
	})
}

func TestTabsAndMarksOfClutterCanBeClicked(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 110, 24).keys("ctrl+x", "c").sees("2 of 2 selected").clickOn("◆").sees("1 of 2 selected")
		d.clickOn("Inactive 30 d").sees("First steps").clickOn("Clutter").sees("1 of 2 selected")
		d = start(t, lib, 30, 24).keys("ctrl+x", "c").clickOn("→").sees("Inactive 30 d").clickOn("←").sees("Clutter")
		d.clickOn("◆")
		y := 0
		for i, l := range strings.Split(d.screen(), "\n") {
			if strings.Contains(l, "Empty one") {
				y = i
			}
		}
		d.send(click(10, y), click(10, y))
		if d.settle(); len(d.root.screens) != 3 {
			t.Fatalf("a double click does not open:\n%s", d.screen())
		}
	})
}

func TestFoldsOfTheLineageCanBeClicked(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addFamily(lib)
		d := start(t, lib, 120, 40).types("payment").keys("ctrl+l").sees("▾")
		rows := strings.Count(d.screen(), "↳")
		fold := func(mark string) {
			t.Helper()
			for y, l := range strings.Split(d.screen(), "\n") {
				if before, _, ok := strings.Cut(l, mark+" §1"); ok && y > 1 {
					d.send(click(ansi.StringWidth(before), y))
					d.settle()
					return
				}
			}
			t.Fatalf("no %q:\n%s", mark, d.screen())
		}
		if fold("▾"); strings.Count(d.screen(), "↳") >= rows {
			t.Fatalf("nothing is folded:\n%s", d.screen())
		}
		if fold("▸"); strings.Count(d.screen(), "↳") != rows {
			t.Fatalf("it does not unfold:\n%s", d.screen())
		}
	})
}

// What a box offers can be clicked on: forms, switches, choices, and the keys it names.
func TestWhatBoxesOfferCanBeClicked(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		var k disk
		d := start(t, lib, 100, 30, k.plug).keys("ctrl+x", "e").clickInBox("JSON lines").sees("▸ JSON lines", "kafka.jsonl")
		d.clickInBox("Redact secrets").sees("Redact secrets  on").clickInBox("ctrl+r").sees("Redact secrets  off")
		if d.clickInBox("tab format").sees("▸ Markdown").clickInBox("File  ").sees("▸ Markdown"); len(d.root.dialogs) != 1 {
			t.Fatal("a click on text closes the box")
		}
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("ctrl+r", "ctrl+u").types("Tax return of last year").clickInBox("use “").sees("▸ Tax return of last year #2")
		d.clickInBox("enter save").sees("Renamed to “Tax return of last year #2”")
		if d.keys("ctrl+r").clickInBox("Rename"); len(d.root.dialogs) != 1 {
			t.Fatal("a click on the title closes the box")
		}
		if d.clickInBox("esc cancel"); len(d.root.dialogs) != 0 {
			t.Fatal("a click on cancel does not close the box")
		}
		if d.keys("ctrl+x").clickInBox("esc close"); len(d.root.dialogs) != 0 {
			t.Fatal("a click on a key in the lower edge of a box does not press it")
		}
		if d.keys("ctrl+x", "i").clickInBox("y copy everything"); len(d.sent) != 1 {
			t.Fatalf("a click on the letter of a box copies %q", d.sent)
		}
		start(t, lib, 100, 24, withQueries()).types("kafka").keys("ctrl+x", "Q").types("ax").clickInBox("save as @ax").sees("Saved as @ax")
	})
}

// Columns that do not fit are gone to by the arrow. A click below the values switches none.
func TestColumnsOutOfSightCanBeClicked(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 60, 12).keys("f4").sees("Scope", "›").misses("Folder")
		d.clickInBox("›").clickInBox("›").clickInBox("›").sees("Folder", "‹")
		d.clickInBox("‹").clickInBox("‹").clickInBox("‹").sees("Scope")
		was := d.keys("left").sees("When").asks()
		for _, text := range []string{"type", "to narrow", "narrow", "w ·"} {
			if d.clickInBox(text); !d.asks().List.ShowsScope(was.List.Scope) || d.query() != "" {
				t.Fatalf("a click on %q asks for %+v", text, d.asks())
			}
		}
		if d.clickInBox("esc close"); len(d.root.dialogs) != 0 {
			t.Fatal("a click on close does not close the box")
		}
	})
}

// A chip takes its filter away: one that is typed, or one of the command line. The tab of the
// named query in force leaves it.
func TestChipsAndTabsCanBeClicked(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 30, func(o *Options) { o.List.Sources = []string{"cli", "telegram"} }).types("msgs:>2 kafka source:telegram ")
		d.sees("source cli or telegram").clickOn("source telegram").misses("messages   source telegram")
		if d.query() != "msgs:>2 kafka " {
			t.Fatalf("the query is %q", d.query())
		}
		d.clickOn("source cli or telegram").misses("source cli")
		if d.query() != "msgs:>2 kafka " {
			t.Fatalf("the query is %q after a click on the sources", d.query())
		}
		d.clickOn("over 2 messages")
		if d.query() != "kafka " {
			t.Fatalf("the query is %q after a click on the last chip", d.query())
		}
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24, withQueries(query.Named{Name: "ax", Text: "kafka"}, query.Named{Name: "tg", Text: "source:telegram"}))
		if d.clickOn("2 tg"); d.query() != "@tg " {
			t.Fatalf("the query is %q", d.query())
		}
		if d.clickOn("▸2 tg"); d.query() != "" {
			t.Fatalf("the query is %q after a second click", d.query())
		}
	})
}

// The wheel scrolls every screen and box that has more than it shows.
func TestTheWheelScrolls(t *testing.T) {
	t.Parallel()
	states := painted()
	for _, name := range []string{"search", "nothing", "expiring", "clutter", "delete", "lineage", "inspector"} { // they fit
		delete(states, name)
	}
	for name, keys := range map[string][]string{"copy": {"ctrl+y"}, "palette": {":"}, "details": {"ctrl+x", "i", "enter"}, "reading": {"right"}} {
		states[name] = func(d *driver) *driver { return d.keys(keys...) }
	}
	for name, path := range states {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			d := path(start(t, lib, 80, 12))
			was := d.screen()
			for _, b := range []tea.MouseButton{tea.MouseWheelDown, tea.MouseWheelUp} {
				d.send(tea.MouseWheelMsg{Button: b, X: 30, Y: 5})
				if d.settle(); d.screen() != was {
					return
				}
			}
			t.Errorf("%s does not scroll:\n%s", name, was)
		})
	}
}

// opensByClicks tests that a double click on a row opens another screen.
func (d *driver) opensByClicks(text string) {
	d.t.Helper()
	was := len(d.root.screens)
	for y, l := range strings.Split(d.screen(), "\n") {
		if before, _, ok := strings.Cut(l, text); ok {
			x := ansi.StringWidth(before)
			d.send(click(x, y), click(x, y))
			break
		}
	}
	if d.settle(); len(d.root.screens) != was+1 {
		d.t.Fatalf("a double click on %q does not open:\n%s", text, d.screen())
	}
}

// Folds of a transcript, tabs and rows of the other screens can be clicked; a double click on
// a row opens it.
func TestRowsOfEveryScreenCanBeClicked(t *testing.T) {
	t.Parallel()
	states := painted()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 30)
		d.reads(addConversation(lib, nil, uitest.Kinds()["tools"]...), "", 0)
		open, shut := strings.Count(d.screen(), "▾"), strings.Count(d.screen(), "▸")
		if d.clickOn("▸ "); strings.Count(d.screen(), "▾") <= open {
			t.Fatalf("a click does not unfold:\n%s", d.screen())
		}
		if d.clickOn("▾ "); strings.Count(d.screen(), "▸") != shut {
			t.Fatalf("a click does not fold:\n%s", d.screen())
		}
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := states["space"](start(t, lib, 100, 30))
		d.clickOn("Clutter").sees("Why").clickOn("Largest").clickOn("Tax return").sees("▸ Tax return")
		d.opensByClicks("Tax return")
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		states["comparison"](start(t, lib, 100, 30)).clickOn("use the other one").sees("│▸ ● use the other one")
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := states["running"](start(t, lib, 100, 30)).clickOn("what does the blue light").sees("▸   what does")
		d.opensByClicks("what does the blue light")
	})
}
