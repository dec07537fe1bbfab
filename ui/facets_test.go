package ui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// clickInBox clicks on the first place of a text in a box.
func (d *driver) clickInBox(text string) *driver {
	d.t.Helper()
	inside := false
	for y, line := range strings.Split(d.screen(), "\n") {
		inside = inside || strings.Contains(line, "╭") && strings.Contains(line, "╮")
		if before, _, ok := strings.Cut(line, text); ok && inside {
			d.send(click(ansi.StringWidth(before), y))
			d.settle()
			return d
		}
	}
	d.t.Fatalf("no %q in a box to click on:\n%s", text, d.screen())
	return d
}

// The parts of the history stand in columns with their numbers. They are switched on and
// off while the box stays open, and are said above the list while they are in force.
func TestTheListIsConfinedToFacets(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 160, 40).keys("f4").sees("Filter  12 conversations", "Scope", "automation", "Source", "Model", "larder/", "Last 30 days")
		d.types("tele").keys("space").sees("source telegram")
		if q := d.asks().List; !slices.Equal(q.Sources, []string{"telegram"}) || len(d.root.dialogs) != 1 {
			t.Fatalf("asked for %+v\n%s", q, d.screen())
		}
		if d.keys("esc").clickInBox("cli "); len(d.asks().List.Sources) != 2 {
			t.Fatalf("asked for %+v", d.asks().List)
		}
		d.keys("space").types("tele").keys("enter", "esc")
		if q := d.asks().List; q.Sources != nil {
			t.Fatalf("asked for %+v\n%s", q, d.screen())
		}
		d.types("larder").keys("space").sees("in /home/ada/larder").keys("esc")
		if q := d.root.list.Listing(); q.CWD != "/home/ada/larder" {
			t.Fatalf("left behind: %+v", q)
		}
		d.clickInBox("larder/").clickInBox("automation")
		if q := d.asks().List; q.CWD != "" || q.Scope != model.ScopeAutomation {
			t.Fatalf("asked for %+v\n%s", q, d.screen())
		}
		if d.keys("f4"); len(d.root.dialogs) != 0 {
			t.Fatal("its own key does not close the box")
		}
	})
}

// Model and time are filters of the query language, so they are written into the query;
// of the times one is in force.
func TestFacetsOfTheQueryAreWrittenIntoIt(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 160, 40).types("kafka").keys("f4").types("4-70b").keys("space")
		if got := d.query(); got != "kafka model:hermes-4-70b " {
			t.Fatalf("the query is %q", got)
		}
		d.keys("esc").clickInBox("Last 7 days").clickInBox("Last 30 days")
		if got := d.query(); got != "kafka model:hermes-4-70b after:30d " {
			t.Fatalf("the query is %q", got)
		}
		d.clickInBox("Last 30 days").clickInBox("✓ hermes-4-70b").keys("esc")
		if got := d.query(); got != "kafka " {
			t.Fatalf("the query is %q", got)
		}
	})
}

// A model is counted as its filter finds it, by a part of the name; models whose short names
// are the same are shown whole.
func TestModelsAreCountedAsTheirFilterFindsThem(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for i, name := range []string{"gpt-4", "gpt-4o", "GPT-4o", "opus-4-20260131", "opus-4-20260214"} {
			lib.Convs[i].Model = name
		}
		d := start(t, lib, 160, 40).keys("f4").sees("opus-4-20260131", "opus-4-20260214")
		_, row, _ := strings.Cut(d.screen(), "   gpt-4 ")
		if n := strings.FieldsFunc(row, func(r rune) bool { return r < '0' || r > '9' })[0]; n != "3" {
			t.Errorf("gpt-4 is said to find %s\n%s", n, d.screen())
		}
		d.keys("esc").types("model:gpt-4").sees("▸ gpt-4", " 3 ")
	})
}

// Beside each value stands what the list shows when it is chosen, in the scope that is chosen.
func TestFacetsCountWhatTheyShow(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		counted := func(d *driver, value string) string {
			t.Helper()
			found := regexp.MustCompile(regexp.QuoteMeta(value) + ` +[█▉▊▋▌▍▎▏]* +([0-9]+)`).FindStringSubmatch(d.screen())
			if found == nil {
				t.Fatalf("no count of %s:\n%s", value, d.screen())
			}
			return found[1]
		}
		for _, scope := range []string{"conversations", "archived"} {
			for _, value := range []string{"cli", "cron", "telegram", "hermes-4-70b", "larder/", "Today"} {
				d := start(t, lib, 160, 40).keys("f4").clickInBox(scope)
				n := counted(d, value)
				d.clickInBox(value).sees("Filter  " + n + " ")
			}
		}
	})
}

// A database without folders has no empty column for them, also where that is found out
// while the box is open.
func TestFacetsWithoutFolders(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for i := range lib.Convs {
			lib.Convs[i].CWD = ""
		}
		start(t, lib, 160, 40).keys("f4").sees("Model", "When").misses("Folder", "none")
		d := start(t, lib, 160, 40)
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 2 * time.Second } })
		d.keys("f4", "left").sees("Folder", "counting…").misses("none").wait(2 * time.Minute)
		d.sees("When").misses("Folder").keys("space").sees("✓ Today")
	})
}

// A tall window shows more values, as many as it has lines for.
func TestFacetsUseTheHeight(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for i := range 20 {
			c := lib.Convs[0]
			c.ID, c.CWD = fmt.Sprintf("20250101_0900%02d_many", i), fmt.Sprintf("/home/ada/many-%02d", i)
			lib.Convs = append(lib.Convs, c)
		}
		start(t, lib, 160, 40).keys("f4").sees("many-00/", "many-19/").misses(" 16/")
		start(t, lib, 160, 20).keys("f4").sees("many-00/").misses("many-19/")
	})
}

func TestFacetScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{30, 8}, {60, 20}, {80, 24}, {120, 40}, {200, 50}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				d := start(t, lib, size[0], size[1]).keys("f4", "right", "space")
				golden.RequireEqual(t, d.screen())
				for range 5 {
					d.keys("right", "down", "end")
				}
				if text := d.screen(); size[0] >= 24 && !strings.Contains(text, "Filter") {
					t.Fatalf("no title:\n%s", text)
				}
			})
		})
	}
}

// On a small screen the number over the facets stays whole, and a column says that it has more
// values than are in sight.
func TestFacetsCountWhereThereIsLittleRoom(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for i := range 1200 {
			id := fmt.Sprint("more", i)
			lib.Convs = append(lib.Convs, model.Conversation{Session: model.Session{ID: id, Title: id}, RootID: id, LastActive: uitest.Now(), Segments: []string{id}})
		}
		d := start(t, lib, 30, 8).keys("f4").sees("Filter  1,212   ", "Scope  4/5", "archived").misses("all")
		d.keys("down", "down", "down", "down").sees("Scope  5/5", "all")
	})
}

// Bars go before names are cut.
func TestNamesOfScopesAreWholeInNarrowWindows(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for w := 26; w < 40; w++ {
			start(t, lib, w, 24).keys("f4").sees("✓ conversations", "esc close")
		}
	})
}

// Bars compare where they have cells to do it with: at least four, else there are none.
func TestFacetsHaveBarsOrNone(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, w := range []int{40, 60, 80, 100, 120, 140, 160, 200} {
			text := start(t, lib, w, 40).keys("f4").screen()
			if strings.Contains(text, "█") && !strings.Contains(text, "████") {
				t.Errorf("bars at %d columns:\n%s", w, text)
			}
		}
	})
}
