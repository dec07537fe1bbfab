package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

func TestRenameAndUndo(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"ctrl+r", "f2"} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			d := start(t, lib, 100, 24).keys(key).sees("Rename “Kafka consumer retries #3”", "▸ Kafka consumer retries #3", "25/100", "enter save · esc cancel")
			d.keys("ctrl+u").types("Retry storm").sees("enter save").keys("enter")
			d.sees("Renamed to “Retry storm” · alt+z undo", "  Retry storm")
			long := start(t, lib, 60, 24).keys(key, "ctrl+u").types(strings.Repeat("retry storms ", 6)).keys("enter")
			long.sees("Renamed to “retry storms retry stor", "…” · alt+z undo").keys("alt+z")
			if d.current() != "Retry storm" {
				t.Fatalf("on %q", d.current())
			}
			d.keys("alt+z").sees("Undone: renamed", "  Kafka consumer retries #3")
			d.keys(key).types(" twice").keys("esc")
			if slices.Contains(lib.Titles(), "Kafka consumer retries #3 twice") {
				t.Fatal("Esc renames")
			}
		})
	}
}

// A busy machine reads the title late: what is typed meanwhile is typed behind it.
func TestWhatIsTypedBeforeTheTitleIsReadIsKept(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24)
		d.send(keyPress("ctrl+r"), keyPress("space"), keyPress("n"), tea.PasteMsg{Content: "ow"})
		d.settle()
		d.sees("▸ Kafka consumer retries #3 now").keys("esc")

		d.send(keyPress("ctrl+r"), keyPress("space"), keyPress("2"), keyPress("enter"))
		d.settle()
		d.sees("Renamed to “Kafka consumer retries #3 2”")

		d.send(keyPress("ctrl+r"), keyPress("x"), keyPress("esc"))
		d.settle()
		d.misses("Rename “")
	})
}

func TestALengthIsToldWhileTyping(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 24).keys("ctrl+r", "ctrl+u").types(strings.Repeat("ö", 100)).sees("100/100", "enter save")
		d.types("x").sees("101 characters, 1 too many").keys("enter")
		if len(d.root.dialogs) != 1 || !slices.Contains(lib.Titles(), "Kafka consumer retries #3") {
			t.Fatal("it was renamed")
		}
		d.keys("backspace", "enter").sees("Renamed to")
	})
}

// A conflict names who has the title, and offers the ways out.
func TestATitleInUseSaysWhoHasIt(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("ctrl+r", "ctrl+u").types("Tax return of last year")
		d.sees("Another conversation has this title (cli, 3mo):", "▸ use “Tax return of last year #2” instead", "go to that conversation", "keep the current title")
		d.keys("enter").sees("▸ Tax return of last year #2", "enter save").keys("enter").sees("Renamed to “Tax return of last year #2”")

		d = start(t, lib, 100, 24).keys("ctrl+r", "ctrl+u").types("Tax return of last year").keys("down", "enter")
		if d.current() != "Tax return of last year" || len(d.root.dialogs) != 0 {
			t.Fatalf("on %q", d.current())
		}
		// One that the scope hides is gone to as well.
		lib.Set(func() {
			for i := range lib.Convs {
				if lib.Convs[i].Title == "First steps" {
					lib.Convs[i].Scope, lib.Convs[i].Archived = model.ScopeArchived, true
				}
			}
		})
		d = start(t, lib, 100, 24).types("kafka").keys("ctrl+r", "ctrl+u").types("First steps").sees("(cli, 23mo, archived)").keys("down", "enter")
		if d.current() != "First steps" {
			t.Fatalf("on %q:\n%s", d.current(), d.screen())
		}
	})
}

// The title of an earlier segment, which no screen shows, moves to the tip.
func TestATitleMovesFromAnEarlierSegment(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Earlier = "the one title"
		d := start(t, lib, 100, 24).keys("ctrl+r", "ctrl+u").types("the one title").sees("An earlier segment has this title; it moves to the newest one.")
		d.keys("enter").sees("Renamed to “the one title”")
	})
}

func TestATitleCanBeRemoved(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("ctrl+r", "ctrl+u")
		d.sees("tab inserts “Why does the retry topic lag behind?”, from the first prompt", "▸ keep the current title", "remove the title")
		d.keys("enter").sees("  Kafka consumer retries #3").misses("no longer has a title").keys("ctrl+r", "ctrl+u", "down", "enter").sees("“Kafka consumer retries #3” no longer has a title", "  Why does the retry topic lag behind?")
		d.keys("ctrl+r").sees("untitled").keys("tab").sees("▸ Why does the retry topic lag behind?").keys("enter").sees("Renamed to “Why does the retry topic lag behind?”")
		d.keys("alt+z", "alt+z").sees("  Kafka consumer retries #3")
	})
}

// A title without a visible character is refused, and the field says why.
func TestAnInvisibleTitleIsRefused(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("ctrl+r", "ctrl+u").types("  ").sees("a title needs a visible character").keys("enter")
		if len(d.root.dialogs) != 1 || !slices.Contains(lib.Titles(), "Kafka consumer retries #3") {
			t.Fatal("it was renamed")
		}
		d.types("x\u200by").sees("Will be saved as “xy”").keys("enter").sees("Renamed to “xy”")
	})
}

// Enter before it is known whether the title is free waits for that.
func TestEnterWaitsForTheCheck(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Delay = func(q string) time.Duration {
			if strings.HasPrefix(q, "First") {
				return 700 * time.Millisecond
			}
			return 0
		}
		d := start(t, lib, 100, 24).keys("ctrl+r", "ctrl+u").types("First steps").keys("enter")
		d.wait(2 * time.Second)
		d.sees("Another conversation has this title")
		d.types("!").keys("enter")
		d.wait(2 * time.Second)
		d.sees("Renamed to “First steps!”")
	})
}

// Another process was faster: its title stays, and the browser says so.
func TestARenameOfWhatWasRenamedMeanwhile(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 140, 24).keys("ctrl+r", "ctrl+u").types("mine")
		lib.Set(func() { lib.ByID(lib.Convs[0].ID).Title = "theirs" })
		d.keys("enter").sees("Another program has renamed it; nothing was renamed")
		if lib.Convs[0].Title != "theirs" {
			t.Fatal(lib.Convs[0].Title)
		}
	})
}

func TestRenamingWhatIsRead(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("right", "ctrl+r", "ctrl+u").types("Read and renamed").keys("enter").sees("Renamed to “Read and renamed”")
		if d.root.View().WindowTitle != "Read and renamed · hermes sessions" {
			t.Fatalf("the window is called %q", d.root.View().WindowTitle)
		}
		d.keys("u").sees("Undone: renamed")
		if !strings.HasPrefix(d.root.View().WindowTitle, "Kafka") {
			t.Fatalf("the window is called %q", d.root.View().WindowTitle)
		}
	})
}

func TestPinAndArchive(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 30).keys("down", "down").keys("ctrl+x", "p").sees("Pinned “Broker upgrade plan” · alt+z undo", "★ Broker upgrade plan")
		if d.items()[1].Title != "Broker upgrade plan" && d.items()[0].Title != "Broker upgrade plan" {
			t.Fatalf("the pinned ones are not first:\n%s", d.screen())
		}
		d.keys("ctrl+x", "p").sees("Unpinned “Broker upgrade plan”").misses("★ Broker")
		d.keys("alt+z", "alt+z").misses("★ Broker").sees("Undone: pinned")

		d.keys("ctrl+x", "a").sees("Archived “Broker upgrade plan”", "11 conversations").misses("▸   Broker")
		d.keys("alt+z").sees("12 conversations", "Broker upgrade plan")
		d.keys("tab", "tab", "ctrl+x", "a").sees("Archived 2 conversations", "10 conversations").misses("selected")
		d.types("is:archived").sees("2 conversations").keys("alt+a", "ctrl+x", "a").sees("Unarchived 2 conversations", "0 conversations")
		d.keys("alt+z").sees("2 conversations")
	})
}

func TestPinsThatTheDatabaseDoesNotHave(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Old = true
		d := start(t, lib, 120, 40).keys("ctrl+x").misses("pin/unpin")
		d.keys("p").sees("This database has no pins").keys("esc")
		if lib.Convs[0].Pinned {
			t.Fatal("pinned")
		}
	})
}

// What could not be archived is back in its place, and why.
func TestAFailedArchiveBringsTheRowBack(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Refuses = remediedError{}
		d := start(t, lib, 100, 30).keys("ctrl+x", "a").sees("Another program keeps the database locked (wait for it)", "12 conversations", "Kafka consumer retries #3")
		d.keys("ctrl+r", "ctrl+u").types("x").keys("enter").sees("Another program keeps the database locked", "  Kafka consumer retries #3")
	})
}

// A menu is about the row that it was opened on, whatever happens to the rows
// behind it.
func TestAMenuIsBoundToItsRow(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 140, 40).keys("ctrl+x").sees("pin/unpin")
		lib.Set(func() {
			lib.Convs = slices.DeleteFunc(lib.Convs, func(c model.Conversation) bool { return strings.HasPrefix(c.Title, "Kafka") })
			lib.Version++
		})
		d.wait(3 * time.Second)
		d.keys("p").sees("no longer exists")
		for _, c := range lib.Convs {
			if c.Pinned != (c.Title == "House rules for code review") {
				t.Errorf("%q: pinned %v", c.Title, c.Pinned)
			}
		}
	})
}
