package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/transcript"
	"hermes-sessions/ui/uitest"
)

// addOldConversations puts n older conversations behind a history.
func addOldConversations(lib *uitest.Fake, n int) {
	for i := range n {
		id := fmt.Sprintf("old%05d", i)
		c := model.Conversation{Session: model.Session{ID: id, Title: fmt.Sprint("old ", i), Source: "cli"}, RootID: id, Segments: []string{id}}
		c.LastActive = uitest.Now().Add(-time.Duration(1000+i) * 24 * time.Hour)
		c.RootStartedAt, c.Messages = c.LastActive, 2
		lib.Convs = append(lib.Convs, c)
	}
}

// delayAnswers lets every question take so long.
func delayAnswers(lib *uitest.Fake, d time.Duration) {
	lib.Set(func() { lib.Delay = func(string) time.Duration { return d } })
}

// Of a long history a page is read, of which order and counts are sure.
func TestALongHistoryIsReadByPages(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addOldConversations(lib, 3000)
		lib.First = list.FirstRows
		d := start(t, lib, 80, 24).sees("3,012 conversations")
		if d.loaded() != list.WholePage || lib.Prepared != 1 {
			t.Fatalf("%d rows were read, and %d times ahead", d.loaded(), lib.Prepared)
		}
		d.keys("ctrl+s").sees("Started ").keys("ctrl+s").sees("by title")
		if d.loaded() != list.FirstPage {
			t.Errorf("%d rows by title", d.loaded())
		}
		d.send(tea.WindowSizeMsg{Width: 120, Height: 160})
		d.wait(2 * time.Second)
		if d.sees("old 1129"); d.loaded() != list.WholePage {
			t.Errorf("%d rows on a large screen", d.loaded())
		}
	})
}

// Pinned conversations come first, however old they are, and are in sight.
func TestPinnedRowsAreInTheFirstPage(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addOldConversations(lib, 3000)
		lib.Convs[3].Pinned, lib.Convs[len(lib.Convs)-1].Pinned = false, true
		lib.First = list.FirstRows
		d := start(t, lib, 80, 24).sees("\n Running\n", "\n Pinned\n", "old 2999")
		if d.current() != "Kafka consumer retries #3" {
			t.Errorf("on %q", d.current())
		}
	})
}

// The end is the end of the history: it is gone to when it has been read, and
// nothing is done meanwhile to the row that is left.
func TestEndGoesToTheEndOfTheHistory(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addOldConversations(lib, 3000)
		d := start(t, lib, 80, 24).keys("down")
		delayAnswers(lib, 400*time.Millisecond)
		from := d.current()
		d.send(keyPress("end"))
		if d.current() != from {
			t.Fatalf("on %q", d.current())
		}
		for _, key := range []string{"enter", "tab", "ctrl+d"} {
			d.send(keyPress(key))
			d.sees("Still reading; that row has not loaded yet")
		}
		d.wait(200 * time.Millisecond)
		d.sees(from, "reading…")
		d.wait(300 * time.Millisecond)
		if d.row() != 3011 || d.current() != "old 2999" || len(d.list().Marked()) != 0 || d.quit {
			t.Fatalf("on row %d, %q", d.row(), d.current())
		}
		d.sees("3,012 conversations", "old 2990")
		// Enter was pressed for the row that has gone.
		e := start(t, lib, 80, 24)
		e.send(keyPress("end"))
		for e.row() == 0 {
			e.wait(time.Millisecond)
		}
		e.send(keyPress("enter"))
		e.sees("The list has just changed; press again")
		// Up from the first row goes the same way, and any other way ends it.
		e = start(t, lib, 80, 24)
		e.send(keyPress("up"))
		e.wait(time.Second)
		if e.row() != 3011 {
			t.Fatalf("up from the first: row %d", e.row())
		}
		e = start(t, lib, 80, 24)
		e.send(keyPress("end"))
		e.wait(100 * time.Millisecond)
		e.send(keyPress("down"))
		e.wait(2 * time.Second)
		if e.row() != 1 {
			t.Fatalf("taken from row 1 to %d", e.row())
		}
		// What is typed is another question.
		e.send(keyPress("end"))
		e.types("kafka")
		e.wait(time.Second)
		if e.row() != 0 {
			t.Fatalf("in another answer on row %d", e.row())
		}
	})
}

// Paging works as if all rows had been read: each page has the same rows, and a
// held key never stops where the rows read so far end.
func TestTurningPagesNeverStopsAtAnEdge(t *testing.T) {
	t.Parallel()
	for key, n := range map[string]int{"pgdown": campaign.Length(800, 2000), "down": campaign.Length(250, 600), "tab": campaign.Length(250, 600)} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			addOldConversations(lib, n)
			n += 12
			whole := start(t, lib, 80, 24).keys("end", "home")
			d := start(t, lib, 80, 24)
			if whole.loaded() != n || d.loaded() == n {
				t.Fatalf("%d and %d rows", whole.loaded(), d.loaded())
			}
			delayAnswers(lib, 30*time.Millisecond)
			for k := 0; d.row() < n-1; k++ {
				for _, d := range []*driver{whole, d} {
					d.send(keyPress(key))
					d.wait(33 * time.Millisecond)
				}
				if whole.current() != d.current() || whole.list().Peek().Top != d.list().Peek().Top || k > n {
					t.Fatalf("key %d leads to %q, and where all is read to %q", k, d.current(), whole.current())
				}
			}
			if key == "tab" && len(d.list().Marked()) != n-1 {
				t.Errorf("%d selected", len(d.list().Marked()))
			}
		})
	}
}

// Held down over a store that does not keep up, a key waits and goes on; it
// does not go round to the top.
func TestAHeldKeyWaitsForRows(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"pgdown", "down"} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			old := campaign.Length(700, 1500)
			last := old + 11
			addOldConversations(lib, old)
			whole, places := start(t, lib, 80, 24).keys("end", "home"), map[int]bool{0: true}
			for whole.row() < last {
				whole.send(keyPress(key))
				whole.wait(time.Millisecond)
				places[whole.row()] = true
			}
			d := start(t, lib, 80, 24)
			delayAnswers(lib, 3*time.Second)
			at, still := 0, 0
			for n := 0; n < 3000 && (at < last || still == 0); n++ {
				d.send(keyPress(key))
				d.wait(8 * time.Millisecond)
				sel := d.row()
				switch {
				case sel < at || !places[sel]:
					t.Fatalf("from row %d to %d", at, sel)
				case sel == at && sel < last:
					still++
				default:
					at = sel
				}
			}
			if at != last || still == 0 {
				t.Fatalf("on row %d, stood still %d times", at, still)
			}
		})
	}
}

// Pressed anew each time, it waits as well, and the last press is not lost.
func TestAPressedKeyWaitsForRows(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addOldConversations(lib, 1500)
		d := start(t, lib, 80, 24).keys("pgdown", "pgdown", "home")
		delayAnswers(lib, 2*time.Minute)
		for range 600 {
			d.send(keyPress("down"))
			d.wait(120 * time.Millisecond)
		}
		if sel := d.row(); sel != list.WholePage-1 {
			t.Fatalf("on row %d", sel)
		}
		d.wait(2 * time.Minute)
		if sel := d.row(); sel != list.WholePage {
			t.Fatalf("when the rows are there, on row %d", sel)
		}
	})
}

// To mark all means all, though few have been read, and nothing else goes than
// what was counted.
func TestAllOfALongListIsMarkedAndDeleted(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addOldConversations(lib, 3000)
		d := start(t, lib, 100, 24)
		delayAnswers(lib, 400*time.Millisecond)
		d.send(keyPress("alt+a"))
		d.send(keyPress("ctrl+d"))
		d.sees("Still reading the rows to select")
		if len(d.root.dialogs) > 0 {
			t.Fatalf("asked about a part:\n%s", d.screen())
		}
		d.wait(time.Second)
		d.sees("3,012 selected · esc clears · 3,012").misses("not shown")
		delayAnswers(lib, 0)
		d.keys("ctrl+d").sees("Delete 3,012 conversations?", "Type 3,012 to delete")
		lib.Set(func() { // another conversation begins
			c := model.Conversation{Session: model.Session{ID: "new", Title: "brand new", Source: "cli"}, RootID: "new", Segments: []string{"new"}, LastActive: uitest.Now()}
			lib.Convs = append(lib.Convs, c)
			lib.Version++
		})
		d.wait(2 * time.Second)
		d.types("3012").keys("enter")
		d.wait(2 * time.Second)
		if left := lib.Titles(); len(left) != 1 || left[0] != "brand new" {
			t.Fatalf("%d are left: %q", len(left), left[:min(len(left), 3)])
		}
		d.sees("brand new", "1 conversation").misses("selected")
		d.keys("alt+z")
		d.wait(2 * time.Second)
		d.sees("3,013 conversations")
		if d.current() != "Kafka consumer retries #3" && d.current() != "House rules for code review" {
			t.Errorf("on %q", d.current())
		}
	})
}

// All rows that were read can go without a word that there are none.
func TestRowsFollowThoseThatLeave(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addOldConversations(lib, 3000)
		lib.Takes = 5 * time.Second
		d := start(t, lib, 100, 160)
		left := 3012
		for range campaign.Length(4, 7) { // each behind the one before
			d.keys("home", "tab", "pgdown", "alt+v", "ctrl+d")
			n := len(d.list().Marked())
			left -= n
			d.types(fmt.Sprint(n)).keys("enter")
			if seen := d.list().Peek(); n < 140 || len(seen.Window) < seen.Height {
				t.Fatalf("%d have left, and there are %d lines:\n%s", n, len(seen.Window), d.screen())
			}
		}
		d.wait(30 * time.Second)
		d.sees(fmt.Sprintf("%s conversations", kit.Count(left)))
		if len(lib.Titles()) != left {
			t.Fatalf("%d are left, not %d", len(lib.Titles()), left)
		}
	})
}

// A conversation far down is at its place when the user comes back from it, though
// another process has written meanwhile; and an undo restores a row at its place.
func TestARowFarDownIsFoundAgain(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addOldConversations(lib, 3000)
		d := start(t, lib, 100, 24)
		for range 15 {
			d.keys("pgdown")
		}
		was, y := d.current(), d.rowLine()
		if !strings.HasPrefix(was, "old ") || d.loaded() == 3012 {
			t.Fatalf("on %q of %d", was, d.loaded())
		}
		n := 0
		write := func(k int) {
			lib.Set(func() {
				for range k {
					n++
					id := fmt.Sprint("new", n)
					lib.Convs = append(lib.Convs, model.Conversation{Session: model.Session{ID: id, Title: id, Source: "cli"}, RootID: id, Segments: []string{id}, LastActive: uitest.Now()})
				}
				lib.Version++
			})
			d.wait(3 * time.Second)
			if d.current() != was || d.rowLine() != y {
				t.Fatalf("%d have come: on %q, line %d; was on %q, line %d", n, d.current(), d.rowLine(), was, y)
			}
		}
		write(1)
		if d.loaded() > 3000 {
			t.Errorf("%d rows are read after a small change", d.loaded())
		}
		d.keys("right")
		write(300)
		d.keys("esc")
		write(2500) // more than fit in what is read
		d.sees(was)
		d.keys("ctrl+d", "y").sees("Deleted")
		d.keys("home")
		d.keys("f5")
		if d.loaded() != list.WholePage {
			t.Fatalf("%d rows are kept at the top", d.loaded())
		}
		d.keys("alt+z")
		d.wait(2 * time.Second)
		if d.current() != was {
			t.Fatalf("brought back, and on %q", d.current())
		}
		d.sees(was)
	})
}

// Marks further down stay known while others write, also where the order is
// another one.
func TestMarksFarDownAreKnown(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addOldConversations(lib, 3000)
		d := start(t, lib, 100, 24)
		for range 40 {
			d.keys("pgdown")
		}
		root := d.list().Current().RootID
		d.keys("tab", "home")
		lib.Set(func() { // it goes on in a new segment
			for i := range lib.Convs {
				if lib.Convs[i].RootID == root {
					lib.Convs[i].ID = "next"
					lib.Convs[i].Segments = append(lib.Convs[i].Segments, "next")
				}
			}
			lib.Version++
		})
		d.wait(3 * time.Second)
		d.sees("1 selected · esc clears · 1/3,012").misses("not shown")
		if got := d.list().Marked(); got[0] != "next" || d.loaded() == 3012 {
			t.Fatalf("marked %q of %d", got, d.loaded())
		}
		d.keys("ctrl+s", "ctrl+s").sees("Empty one", "1 selected · ").misses("not shown")
	})
}

// Reading on leads from conversation to conversation over the edge of what was
// read.
func TestTheNextResultIsReadInTime(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addOldConversations(lib, 1500)
		d := start(t, lib, 100, 24).keys("right")
		seen := map[string]bool{}
		for range 700 {
			d.send(keyPress(">"))
			d.wait(20 * time.Millisecond)
			seen[d.root.top().(*transcript.Screen).Conv.ID] = true
		}
		if len(seen) < 700 {
			t.Fatalf("%d conversations:\n%s", len(seen), d.screen())
		}
	})
}

// A conversation that another screen goes to is found however far down it is.
func TestGoingToARowFarDown(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addOldConversations(lib, 3000)
		d := start(t, lib, 100, 24).types("kafka")
		d.run(d.root.Do(shell.SelectConversation{Conversation: lib.Convs[len(lib.Convs)-100]}))
		d.wait(time.Second)
		if d.current() != "old 2900" {
			t.Fatalf("on %q", d.current())
		}
		// What is nowhere is not looked for at every change.
		d.keys("home")
		d.run(d.root.Do(shell.SelectConversation{Conversation: model.Conversation{Session: model.Session{ID: "nowhere"}, RootID: "nowhere"}}))
		d.wait(time.Second)
		lib.Set(func() { lib.Limits = nil; lib.Version++ })
		d.wait(3 * time.Second)
		if len(lib.Limits) != 1 || lib.Limits[0] != list.WholePage {
			t.Errorf("asked for %d rows", lib.Limits)
		}
	})
}
