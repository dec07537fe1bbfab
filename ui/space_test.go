package ui

import (
	"errors"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// stored gives a fake a file with free pages and a log.
func stored(f *uitest.Fake) {
	f.Forecast = model.ForecastVacuum(model.FileSizes{Path: "state.db", Journal: "wal", File: 900_000, Log: 40_000, Free: 120_000, Editable: true})
	f.Forecast.Available = 10_000_000_000
}

// The screen lists the largest conversations with what a delete frees, and no second number
// beside it; a conversation is read or deleted from there, and several at once.
func TestSpaceListsTheLargest(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() { stored(lib) })
		d := start(t, lib, 120, 24).keys("ctrl+x", "S").sees("Space · 900 kB, 120 kB free, write-ahead log 40 kB", " of text in ", "of indexes and rows", "Largest   Clutter   Inactive 30 d   Expiring", "Frees").misses("Text")
		d.keys("enter").sees("you").keys("q").sees("Space ·")
		title := lib.Titles()
		d.keys("d").sees("Delete “").keys("y").sees("Deleted “", "Space ·")
		if now := lib.Titles(); len(now) != len(title)-1 {
			t.Errorf("%d of %d conversations are left", len(now), len(title))
		}
		d.keys("u").sees("Restored “").keys("space", "space").sees("2 of 24 selected", "frees ~").keys("d").sees("Delete 2 conversations?").keys("n")
		d.keys("t").sees("Only inactive conversations have an age").keys("q").sees("12 conversations")
		low := start(t, lib, 60, 12).keys("ctrl+x", "S").sees("120 kB free", "1 / 24").keys("down", "down").sees("3 / 24")
		low.send(tea.WindowSizeMsg{Width: 60, Height: 40})
		low.misses(" / 24")
	})
}

// Conversations worth deleting are shown with the reason, and deleted together.
func TestClutterIsShownWithReasonsAndDeleted(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 110, 24).keys("ctrl+x", "c").sees("Clutter", "2 of 2 selected, 12 messages, frees ~", "Empty one", "empty", "nightly report", "numbered duplicate of Broker")
		d.keys("space").sees("1 of 2 selected")
		d.keys("d").sees("Delete “").keys("n").keys("*").sees("2 of 2").keys("d").sees("Delete 2 conversations?").keys("y")
		d.sees("No clutter: no empty, ghost or duplicate conversations.", "Deleted 2 conversations")
		if got := lib.Titles(); len(got) != 10 || slices.Contains(got, "Empty one") {
			t.Fatalf("left: %q", got)
		}
		d.keys("u").sees("2 of 2").keys("q").sees("12 conversations")
		none := start(t, lib, 110, 24).keys("ctrl+x", "c", "*").sees("0 of 2 selected").keys("down", "d").sees("Delete “Empty one”?")
		none.keys("n", "right", "left").sees("0 of 2 selected")
	})
}

// Clean-up is one of the scopes to choose from, though not of those that the scope
// key cycles through: letters are commands there, and a user who has just pressed
// that key may begin to type.
func TestTheScopesLeadToTheCleanUp(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 110, 24).types(":scope clean").sees("Show clutter and inactive conversations").keys("enter")
		d.sees("2 of 2 selected").keys("q").sees("12 conversations")
		for range 2 * len(model.Scopes()) {
			if d.keys("ctrl+o"); len(d.root.screens) > 1 {
				t.Fatal("the key of the scopes leads to a screen where letters act")
			}
		}
		e := start(t, lib, 110, 24, func(o *Options) { o.Changes = nil })
		e.keys(":").types("scope clean").misses("clutter")
	})
}

// A prune begins as a dry run: a table of what would go, by the rule of a prune by hand, with the
// number of those that stay.
func TestPruneIsATableFirst(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 110, 24).keys("ctrl+x", "c", "right").misses("selected").keys("*").sees("2 of 2 selected, 79 messages", "1 pinned stay", "Inactive 30 d", "Tax return of last year", "First steps", "3mo")
		d.keys("t", "t").sees("Inactive 180 d", "1 of 1").misses("Tax return").keys("t").sees("Inactive 365 d", "First steps").keys("t").sees("Inactive 30 d")
		if len(lib.Titles()) != 12 {
			t.Fatal("something went")
		}
		d.keys("down", "enter").sees("What shall we look at?").keys("q").sees("Space")
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
		d.keys("f5").sees("2 pinned, 1 archived stay", "No ended conversation has been inactive for 30 days.")
		d.keys("left").sees("2 of 2 selected").misses("stay")
		lib.Set(func() { lib.Err = errors.New("the disk is on fire") })
		d.keys("right").sees("the disk is on fire").keys("d").sees("could not be read")
	})
}

// Rows of the list say when Hermes deletes them, where that is soon and there is room; a key
// shows them, the soonest first, and a pin keeps one.
func TestExpiring(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		const day = 24 * time.Hour
		for i, in := range []time.Duration{6*day + time.Hour, 5*time.Hour + time.Minute, 20 * day, -day} {
			lib.Convs[i].ExpiresAt = uitest.Now().Add(in)
		}
		d := start(t, lib, 80, 24)
		d.sees("expires in 6 d", "expires in 5 h", "expires now").misses("in 20 d")
		d.keys("ctrl+x", "X").sees("Expires", "now", "5 h", "6 d").misses("20 d")
		d.keys("down", "p").sees("Pinned “").keys("u").sees("Undone: pinned “")
		d.keys("esc").misses("Expires")
		narrow := start(t, lib, 40, 12)
		narrow.misses("expires")
		lib.Set(func() {
			for i := range lib.Convs {
				lib.Convs[i].ExpiresAt = time.Time{}
			}
		})
		start(t, lib, 80, 24).keys("ctrl+x", "X").sees("No conversation expires within 14 days.")
	})
}

// A vacuum is asked for with what it takes, runs as a job, and is not offered where it
// cannot work; a checkpoint empties the log.
func TestVacuumAndCheckpoint(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() { stored(lib) })
		d := start(t, lib, 120, 24).keys("ctrl+x", "S").keys("V").sees("Vacuum the database?", "The file shrinks by about 120 kB", "up to 1.6 MB of free disk space", "close Hermes first")
		d.keys("n").sees("120 kB free").keys("V", "y").sees("Vacuumed: 780 kB, was 900 kB", "780 kB, no free pages")
		d.keys("V").sees("The file has no free pages")
		d.keys("C").sees("Emptied the write-ahead log, 40 kB").misses("write-ahead log 40 kB,").keys("C").sees("The write-ahead log is empty")
		lib.Set(func() { stored(lib); lib.Forecast.Available = 1000; lib.Forecast.InUse = model.InUseByOther })
		d.keys("f5", "V").sees("Cannot vacuum: another process has the database open").misses("y  vacuum")
		if lib.Vacuums != 1 {
			t.Errorf("%d vacuums", lib.Vacuums)
		}
		start(t, lib, 120, 24, func(o *Options) { o.Changes = nil }).keys("ctrl+x", "S").sees("Space ·").keys("V").sees("--read-only")
	})
}

// Of several databases all are measured, rows say which one theirs is, and a vacuum is of that
// one. Errors are told.
func TestSpaceOfSeveralAndOfNone(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() {
			stored(lib)
			for i := range lib.Convs {
				lib.Convs[i].Profile = []string{"home", "work"}[i%2]
			}
		})
		several := func(o *Options) { o.Several = true }
		d := start(t, lib, 110, 24, several).keys("ctrl+x", "S").sees("Space · 1.8 MB in 2 databases, 240 kB free", "Profile", "home", "work")
		d.keys("V").sees("Vacuum the database of ").keys("n")
		start(t, lib, 110, 24, several).types("zzzz").keys("ctrl+x", "S").sees("1.8 MB in 2 databases")
		d = start(t, lib, 110, 24).keys("ctrl+x", "S").sees("Space ·")
		lib.Set(func() { lib.Err = errors.New("the disk is on fire") })
		d.keys("f5").sees("stopped: the disk is on fire")
		lib.Set(func() { lib.Err, lib.Delay = nil, func(string) time.Duration { return time.Hour } })
		d.keys("f5").sees("measuring again").keys("q").misses("Space ·")
	})
}

func TestSpaceAtEverySize(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][2]int{"200x50": {200, 50}, "120x40": {120, 40}, "80x24": {80, 24}, "30x8": {30, 8}} {
		for tab, letter := range map[string]string{"largest": "S", "clutter": "c"} {
			t.Run(tab+"-"+name, func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					lib.Set(func() { stored(lib) })
					golden.RequireEqual(t, start(t, lib, size[0], size[1]).keys("ctrl+x", letter, "down").screen())
				})
			})
		}
	}
}

// Sums of a damaged file say that something may be missing in them, as its list does.
func TestFiguresOfADamagedFileSayThatSomeAreMissing(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		slow := model.HealthNote{Kind: "fts-missing", Message: "there is no full-text index"}
		lib.HealthNotes = []model.HealthNote{{Kind: "damaged", Message: "the database is damaged; some is missing"}, slow}
		for _, key := range []string{"S", "U"} {
			start(t, lib, 100, 30).keys("ctrl+x", key).sees("! the database is damaged; some is missing").misses("full-text")
			start(t, lib, 30, 12).keys("ctrl+x", key).sees("! the database is damaged")
		}
		lib.Set(func() { lib.HealthNotes = []model.HealthNote{slow} })
		for _, key := range []string{"S", "U"} {
			start(t, lib, 100, 30).keys("ctrl+x", key).misses("full-text")
		}
	})
}

// Each view of the screen is found in the commands by the name that stands on its tab.
func TestViewsOfSpaceAreFoundByName(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, name := range []string{"largest", "clutter", "inactive", "expir"} {
			start(t, lib, 120, 30).keys(":").types(name).keys("enter").sees("Largest   Clutter   Inactive 30 d   Expiring")
		}
	})
}
