package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// Whatever a screen can do has a row in the key map, a help text, a place in
// the palette, and a reason where it cannot be done now; and whatever the key
// map promises, the screen can do.
func TestEveryActionHasARouteOnEveryScreen(t *testing.T) {
	t.Parallel()
	type state struct {
		path []string
		lib  func(*uitest.Fake)
		then func(*driver)
	}
	states := map[string]state{
		"list": {}, "searching": {path: []string{"k", "a"}}, "nothing found": {path: []string{"z", "z", "q"}}, "marked": {path: []string{"tab"}},
		"transcript": {path: []string{"right"}}, "transcript at a hit": {path: []string{"k", "a", "right"}}, "lineage": {path: []string{"ctrl+l"}},
		"usage": {path: []string{"ctrl+x", "U"}}, "unread usage": {then: func(d *driver) {
			d.lib.Set(func() { d.lib.Delay = func(string) time.Duration { return time.Hour } })
			d.keys("ctrl+x", "U")
		}},
		"clean-up": {path: []string{"ctrl+x", "c"}}, "storage": {path: []string{"ctrl+x", "S"}}, "inactive": {path: []string{"ctrl+x", "c", "right"}}, "expiring": {path: []string{"ctrl+x", "X"}}, "comparison": {path: []string{"tab", "down", "tab", "ctrl+x", "C"}}, "after a deletion": {path: []string{"down", "ctrl+d", "y"}}, "after a rename": {path: []string{"down", "f2", "x", "enter"}},
		"another scope": {path: []string{"ctrl+o", "ctrl+o", "ctrl+o"}}, "by cost": {path: []string{"ctrl+s", "ctrl+s", "ctrl+s", "ctrl+s"}},
		"no history":        {lib: func(f *uitest.Fake) { f.Convs = nil }},
		"not read yet":      {lib: func(f *uitest.Fake) { f.Delay = func(string) time.Duration { return time.Hour } }},
		"not to be read":    {lib: func(f *uitest.Fake) { f.Err = errors.New("the disk is on fire") }},
		"not to be written": {lib: func(f *uitest.Fake) { f.Rights = unwritable{} }},
		"an old database":   {lib: func(f *uitest.Fake) { f.Old = true }},
		"while deleting":    {lib: func(f *uitest.Fake) { f.Takes = time.Hour }, path: []string{"down", "ctrl+d", "y"}},
		"unread transcript": {path: []string{"down"}, then: func(d *driver) {
			d.lib.Set(func() { d.lib.Delay = func(string) time.Duration { return time.Hour } })
			d.keys("right")
		}},
		"unread lineage": {path: []string{"down"}, then: func(d *driver) {
			d.lib.Set(func() { d.lib.Delay = func(string) time.Duration { return time.Hour } })
			d.keys("ctrl+l")
		}},
		"failed lineage": {path: []string{"down"}, then: func(d *driver) {
			d.lib.Set(func() { d.lib.Err = errors.New("the disk is on fire") })
			d.keys("ctrl+l")
		}},
		"nothing to clean up":       {lib: func(f *uitest.Fake) { f.Convs = f.Convs[:1] }, path: []string{"ctrl+x", "c"}},
		"none to clean up selected": {path: []string{"ctrl+x", "c", "*"}},
	}
	seen, whys := map[shell.Context]bool{}, map[string]bool{}
	for name, st := range states {
		for kind, change := range map[string]func(*Options){"": func(*Options) {}, "picking": func(o *Options) { o.Choose = true }, "reading only": func(o *Options) { o.Changes = nil }} {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				if st.lib != nil {
					st.lib(lib)
				}
				d := start(t, lib, 120, 40, change).keys(st.path...)
				if st.then != nil {
					st.then(d)
				}
				d.root.dialogs = nil
				c := d.root.top().Context()
				seen[c] = true
				can := map[shell.Action]shell.Handler{}
				for _, a := range d.root.can() {
					if _, twice := can[a.Action]; twice {
						t.Errorf("%s %s: %q twice", kind, name, a.Action)
					}
					can[a.Action] = a
					b := d.root.opt.Keys.Find(c, a.Action)
					if b.Action == "" || b.Help == "" {
						t.Errorf("%s %s: %q has no row or no help", kind, name, a.Action)
					}
					if a.Why == "" && a.Do == nil {
						t.Errorf("%s %s: %q neither does anything nor says why not", kind, name, a.Action)
					}
				}
				p := dialog.NewPalette(d.root, shell.OpenPalette{Title: "Commands", Commands: d.root.allCommands})
				for _, b := range d.root.opt.Keys.In(c) {
					id := b.Action
					a, ok := can[id]
					if missing := !ok || !a.Offered(); missing {
						if kind == "" {
							t.Errorf("%s: the key map has %q, the screen has not", name, id)
						}
						continue // not offered at all
					}
					words := wordsOf.Replace(string(id))
					if id != shell.Commands && !slices.ContainsFunc(p.All, func(c shell.Command) bool { return c.Words == words && c.Help != "" && c.Why == a.Why }) {
						t.Errorf("%s %s: %q is not in the palette", kind, name, id)
					}
					if a.Why == "" {
						continue
					}
					whys[a.Why] = true
					h := dialog.NewHelp(d.root, c, d.root.can)
					h.Update(tea.PasteMsg{Content: words})
					if help := strings.Join(strings.Fields(ansi.Strip(strings.Join(h.Lines(400), " "))), " "); !strings.Contains(help, "Unavailable: "+a.Why) {
						t.Errorf("%s %s: the help does not say why %q cannot be done: %s", kind, name, id, a.Why)
					}
					screens, busy := len(d.root.screens), d.root.changes.jobs.busy()
					d.run(d.root.runAction(id))
					if d.wait(10 * time.Millisecond); !strings.Contains(strings.ToLower(d.screen()), strings.ToLower(ansi.Truncate(a.Why, 60, ""))) || len(d.root.screens) != screens || d.root.changes.jobs.busy() != busy {
						t.Errorf("%s %s: %q does not say that %s\n%s", kind, name, id, a.Why, d.screen())
					}
					d.root.dialogs = nil
				}
			})
		}
	}
	for _, b := range uitest.Bindings(t) {
		if c := b.Context; c != shell.Anywhere && c != shell.InDialog && !seen[c] {
			seen[c] = true
			t.Errorf("no state of this test opens the screen %s: add one to states", c)
		}
	}
	if len(whys) < 15 {
		t.Errorf("only %d reasons were met: %v", len(whys), whys)
	}
}

func TestThePaletteFindsByName(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		first := func(typed string) string {
			d := start(t, lib, 100, 30).types(":").types(typed)
			p := d.root.dialogs[0].(*dialog.Palette)
			if len(p.Found) == 0 {
				return ""
			}
			return p.Found[p.Sel].Words
		}
		for typed, want := range map[string]string{
			"sort": "sort", "sort cost": "sort cost", "undo": "undo", "SCOPE arch": "scope archived",
			"rtui": "resume in the TUI", "and return": "resume and return", "srt ti": "sort title", "zzqx": "", "quit": "quit", "unpin": "pin",
		} {
			if got := first(typed); got != want {
				t.Errorf("%q finds %q, want %q", typed, got, want)
			}
		}
		d := start(t, lib, 100, 30).types(":sort title").keys("enter")
		if d.list().Listing().Order != query.ByTitle || len(d.root.dialogs) != 0 {
			t.Errorf("the order is %v", d.list().Listing().Order)
		}
		d.types(":scope automation").keys("enter").sees("12 in automation")
		d.types(":sort relevance").keys("enter").sees("Only for a search")
		if len(d.root.dialogs) != 1 {
			t.Error("the impossible closed the box")
		}
		if d.keys("esc"); len(d.root.dialogs) != 0 || d.query() != "" {
			t.Error("Esc does not lead back to the list as it was")
		}
		if d.types(":").keys("backspace"); len(d.root.dialogs) != 0 {
			t.Error("Backspace on nothing does not close the box")
		}
		d.keys("right").types(":back").keys("enter")
		if len(d.root.screens) != 1 {
			t.Error("the palette of the transcript does not act")
		}
	})
}

// The name of a command is cut only where the line ends: its help gives way.
func TestALongCommandIsReadWhole(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		const folder = "/home/ada/work/customers/larder"
		lib.Set(func() { lib.Convs[0].CWD = folder })
		start(t, lib, 80, 24).types(":folder cust").sees("folder " + folder + " ")
		start(t, lib, 60, 20).types(":folder cust").sees("folder " + folder[:20])
	})
}

// Before anything is typed, commands come before those that only move about.
func TestThePaletteBeginsWithWhatActs(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for name, path := range map[string][]string{"list": nil, "transcript": {"right"}, "lineage": {"ctrl+l"}, "clean-up": {"ctrl+x", "c"}} {
			d := start(t, lib, 120, 40).keys(path...)
			p := dialog.NewPalette(d.root, shell.OpenPalette{Title: "Commands", Commands: d.root.allCommands})
			moving := false
			for _, c := range p.Found {
				m := shell.MovesOnly(shell.Action(strings.ReplaceAll(c.Words, " ", "-")))
				if moving && !m {
					t.Errorf("%s: %q comes after a command that only moves", name, c.Words)
				}
				moving = m
			}
			if !moving {
				t.Errorf("%s: what moves is not there", name)
			}
		}
	})
}

func TestHelpIsFilteredByTyping(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 56).keys("?").types("select all")
		d.sees("alt+a").misses("Resume in Hermes, at")
		d.keys("esc").sees("Resume in Hermes, at")
		d.types("zzqx").sees("No matches").keys("f1")
		if len(d.root.dialogs) != 0 {
			t.Fatal("its own key does not close the help")
		}
		if d.keys("?", "?"); len(d.root.dialogs) != 0 {
			t.Fatal("? does not close the help that it opened")
		}
	})
}

// The box does not move while its filter is typed, whatever that leaves.
func TestHelpKeepsItsSizeWhileItIsFiltered(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, size := range [][2]int{{60, 20}, {120, 60}, {200, 50}} {
			for _, path := range [][]string{{"f1"}, {"right", "f1"}, {"ctrl+l", "f1"}, {"ctrl+x", "c", "f1"}} {
				d := start(t, lib, size[0], size[1]).keys(path...)
				box := func() kit.Area {
					return dialog.Place(d.root.styles.Cells, d.root.dialogs.top().Box(size[0], size[1]), size[0], size[1])
				}
				whole := box()
				for _, typed := range []string{"a", "ll", "zzqx"} {
					if d.types(typed); box() != whole {
						t.Fatalf("%v at %v: %v, was %v with %q", path, size, box(), whole, typed)
					}
				}
				if d.keys("esc"); box() != whole {
					t.Fatalf("%v at %v: %v without the filter again, was %v", path, size, box(), whole)
				}
			}
		}
	})
}

func click(x, y int) tea.MouseClickMsg { return tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft} }

// clickOn clicks on the first place of a text on the screen.
func (d *driver) clickOn(text string) *driver {
	d.t.Helper()
	for y, line := range strings.Split(d.screen(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			d.send(click(ansi.StringWidth(before), y))
			d.settle()
			return d
		}
	}
	d.t.Fatalf("no %q to click on:\n%s", text, d.screen())
	return d
}

func TestTextOnTheScreenCanBeClicked(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 30)
		if d.clickOn("f4 filter"); len(d.root.dialogs) != 1 {
			t.Fatal("a click on a hint does nothing")
		}
		d.keys("esc")
		if d.clickOn("12 hidden"); d.list().Listing().Scope != model.ScopeAll {
			t.Fatal("a click on what is hidden does not show it")
		}
		if d.clickOn("none hidden"); d.list().Listing().Scope != model.ScopeConversations {
			t.Fatal("a click does not hide it again")
		}
		d = start(t, lib, 120, 30)
		if d.clickOn("recent first"); d.list().Listing().Order != query.ByStart {
			t.Fatal("a click on the order does not change it")
		}
		if d.clickOn("Msgs"); d.list().Listing().Order != query.ByMessages {
			t.Fatal("a click on the title of a column does not order by it")
		}
		d = start(t, lib, 120, 30).clickOn("more").sees("│ Actions ")
		if d.clickOn("sort "); len(d.root.dialogs) != 0 || d.list().Listing().Order == query.ByActivity {
			t.Fatal("a click on an entry of the menu does not take it")
		}
		d = start(t, lib, 120, 30).types(":sort").clickOn("sort cost")
		if len(d.root.dialogs) != 0 || d.list().Listing().Order != query.ByCost {
			t.Fatal("a click on a command does not do it")
		}
		d = start(t, lib, 120, 30).keys("ctrl+x")
		d.send(click(0, 0))
		if len(d.root.dialogs) != 1 {
			t.Fatal("a click beside the box closes it")
		}
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		if m := d.root.dialogs[0].(*dialog.Menu); m.Sel != 1 {
			t.Fatal("the wheel does not move in the menu")
		}
		d = start(t, lib, 120, 30).clickOn("Broker upgrade")
		if d.current() != "Broker upgrade plan" || len(d.root.screens) != 1 {
			t.Fatalf("a click selects %q", d.current())
		}
		row := d.screen()
		y := slices.IndexFunc(strings.Split(row, "\n"), func(l string) bool { return strings.Contains(l, "  Broker upgrade") })
		d.send(click(10, y), click(10, y))
		if d.settle(); len(d.root.screens) != 2 {
			t.Fatal("a double click does not open")
		}
	})
}

// A click on the toast of a change undoes it, as long as the toast is shown; a
// click on any other text does nothing.
func TestAClickOnTheToastUndoesTheChange(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("ctrl+d", "y").sees("Deleted “Kafka", "11 conversations")
		d.clickOn("alt+z undo").sees("Restored “Kafka", "12 conversations")
		if d.clickOn("Restored"); len(lib.Titles()) != 12 {
			t.Fatal("a line that offers nothing does something")
		}
		d.keys("f2").types("x").keys("enter").sees("Renamed to").clickOn("Renamed to").sees("Undone: renamed")
		d.keys("ctrl+x", "p").sees("Pinned “").clickOn("undo").sees("Undone: pinned")
		d.keys("ctrl+d", "y").wait(10 * time.Second) // the line has gone
		if d.misses("undo").clickOn("resume"); len(lib.Titles()) != 11 {
			t.Fatal("a click where the line stood takes back")
		}
		e := start(t, lib, 100, 24).keys("down", "ctrl+d", "y").sees("alt+z undo")
		lib.Set(func() { lib.Takes = time.Minute })
		e.keys("ctrl+d", "y").misses("alt+z undo") // it would be about the second now
	})
}

func TestWithoutTheMouseNothingIsAskedOfIt(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, func(o *Options) { o.Mouse = false })
		if d.root.View().MouseMode != tea.MouseModeNone {
			t.Fatal("the terminal's mouse is taken")
		}
	})
}

// The list of commands says how much of it is shown, and shows more in a tall window.
func TestThePaletteSaysHowMuchItShows(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		start(t, lib, 80, 24).keys(":").sees("Commands  14/").types("suspend").misses("14/")
		start(t, lib, 120, 50).keys(":").sees("Commands  23/")
	})
}
