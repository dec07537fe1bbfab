package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/uitest"
)

func TestDeleteAsksAndTellsWhatGoes(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("ctrl+d")
		d.sees("Delete “Kafka consumer retries #3”?", "Deletes 4 segments (142 messages) and 3 subagent sessions. 2", "sessions.", "▸ n Cancel")
		if d.keys("enter"); len(d.root.dialogs) != 0 || len(lib.Titles()) != 12 {
			t.Fatal("Enter does not take the safe default")
		}
		d.keys("ctrl+d", "y").sees("Deleted “Kafka consumer retries #3” · alt+z undo", "11 conversations")
		if slices.Contains(lib.Titles(), "Kafka consumer retries #3") || len(lib.Titles()) != 11 {
			t.Fatalf("left: %q", lib.Titles())
		}
		if d.current() != "House rules for code review" {
			t.Fatalf("the next row is not current, but %q", d.current())
		}
		d.keys("alt+z").sees("Restored “Kafka consumer retries #3”", "12 conversations")
		if d.current() != "Kafka consumer retries #3" {
			t.Fatalf("on %q", d.current())
		}
		d.keys("alt+z").sees("Nothing to undo")
	})
}

// What may still be running is named as in the list: by its title, and not at all where it is
// the one to be deleted.
func TestDeleteNamesWhatMayStillRun(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24)
		lib.Set(func() { lib.Alive = []string{lib.Convs[0].ID} })
		d.keys("ctrl+d").sees("This conversation may still be running.").keys("esc")
		d.keys("tab", "tab", "ctrl+d").sees("“Kafka consumer retries #3” may still be running.").keys("esc")
		lib.Set(func() { lib.Alive = []string{"another", "third"} })
		d.keys("ctrl+d").sees("Session another and 1 other session may still be running.").keys("esc")
		lib.Set(func() { lib.Alive = []string{lib.Convs[0].ID, "third"} })
		d.keys("ctrl+d").sees("“Kafka consumer retries #3” and 1 other session may still be running.")
	})
}

// The row leaves with the key, before the database has done anything.
func TestADeletedRowLeavesAtOnce(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Takes = 5 * time.Second
		d := start(t, lib, 100, 24).keys("ctrl+d")
		d.send(keyPress("y"))
		d.misses("Kafka").sees("11 conversations")
		if len(lib.Titles()) != 12 {
			t.Fatal("it is gone already")
		}
		d.wait(100 * time.Millisecond)
		d.misses("Deleting")
		d.wait(100 * time.Millisecond)
		d.misses("Kafka consumer retries #3  ").sees("Deleting “Kafka consumer retries #3”… · alt+c stops")
		d.wait(1200 * time.Millisecond)
		d.misses("Kafka consumer retries #3  ").sees("Deleting “Kafka consumer retries #3”… ██", " of 142 messages · alt+c stops")
	})
}

// Progress is told, other changes of the history appear meanwhile, and the
// row stays away until the database has let it go.
func TestALongDeleteLeavesTheListAlive(t *testing.T) {
	t.Parallel()
	// Whenever another process writes: during a check for changes, or between two.
	for _, moment := range []time.Duration{1513, 1707, 1999, 2000, 2001, 2251} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Takes = 7300 * time.Millisecond
			d := start(t, lib, 100, 24).keys("ctrl+d", "y")
			d.wait(moment * time.Millisecond)
			d.sees("Deleting “Kafka consumer retries #3”…", " of 142 messages · alt+c stops")
			lib.Set(func() {
				lib.Convs = append(lib.Convs, model.Conversation{Session: model.Session{ID: "new", Title: "brand new"}, RootID: "new", LastActive: uitest.Now(), Segments: []string{"new"}})
				lib.Version++
			})
			d.wait(3007 * time.Millisecond)
			d.sees("brand new", "12 conversations")
			if slices.ContainsFunc(d.items(), func(it list.Item) bool { return it.ID == "20260101" }) || strings.Contains(d.screen(), "Kafka consumer retries #3  ") {
				t.Fatalf("the row is back:\n%s", d.screen())
			}
			d.types("broker").keys("ctrl+u")
			d.wait(5 * time.Second)
			d.sees("12 conversations").misses("Kafka consumer")
			if n := d.list().Peek().Hidden; n != 0 {
				t.Fatalf("%d are still hidden", n)
			}
		})
	}
}

func TestAStoppedDeleteSaysSoAndCanBeUndone(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Takes = 10 * time.Second
		d := start(t, lib, 100, 24).keys("tab", "tab", "tab", "tab", "tab", "ctrl+d", "y")
		d.wait(6 * time.Second)
		d.keys("alt+c").sees("Stopped", "9 conversations")
		lib.Takes = 0
		d.keys("alt+z").sees("12 conversations", "Restored 3 conversations")
		if len(lib.Titles()) != 12 {
			t.Fatalf("left: %q", lib.Titles())
		}
	})
}

// What could not be done says why and what helps, and the row is back.
func TestAFailedDeletePutsTheRowBack(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 140, 24).keys("ctrl+d")
		lib.Set(func() { lib.Refuses = remediedError{} })
		d.keys("y").sees("Another program keeps the database locked (wait for it)", "Kafka consumer retries #3", "12 conversations")
		d.keys("down").misses("locked")
		e := start(t, lib, 40, 24).keys("ctrl+d").sees("Another program keeps the", "n close")
		e.keys("y").sees("n close").keys("n").misses("close")
	})
}

type remediedError struct{}

func (remediedError) Error() string { return "x.db: another program keeps the database locked" }
func (remediedError) Advice() (string, model.Remedy) {
	return "Another program keeps the database locked", model.Advise("wait for it")
}

// A reason that is longer than a line is shown in a dialog.
func TestALongReasonIsNotCut(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 50, 24).keys("ctrl+d")
		lib.Set(func() { lib.Refuses = errors.New(strings.Repeat("why ", 20) + "the end") })
		d.keys("y").sees("Failed", "the end").keys("enter").misses("Failed")
	})
}

// What a box asks about is fixed when it opens, whatever comes in behind it.
func TestConfirmationAppliesToAnotherRowAfterRefresh(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("ctrl+d").sees("Delete “Kafka consumer retries #3”?")
		for i := range 7 {
			lib.Set(func() {
				id := fmt.Sprint("in-between-", i)
				lib.Convs = append(lib.Convs, model.Conversation{Session: model.Session{ID: id, Title: id, Pinned: i%2 == 0}, RootID: id, Segments: []string{id}, LastActive: uitest.Now().Add(time.Hour)})
				lib.Convs = slices.DeleteFunc(lib.Convs, func(c model.Conversation) bool { return c.Title == "nightly report" })
				lib.Version++
			})
			d.wait(1500 * time.Millisecond)
		}
		d.keys("y")
		if got := lib.Titles(); slices.Contains(got, "Kafka consumer retries #3") || len(got) != 12+7-1-1 {
			t.Fatalf("left: %q", got)
		}
	})
}

// A row that has changed between the question and the answer is left alone.
func TestARowThatChangedMeanwhileIsLeftAlone(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 140, 24).keys("ctrl+d")
		lib.Set(func() {
			for i := range lib.Convs {
				if lib.Convs[i].Title == "Kafka consumer retries #3" {
					lib.Convs[i].Messages++
				}
			}
		})
		d.keys("y").sees("Another program has changed these sessions; nothing was deleted", "12 conversations")
		// And one that is gone is no row any more.
		d.keys("home", "ctrl+d")
		lib.Set(func() {
			lib.Convs = slices.DeleteFunc(lib.Convs, func(c model.Conversation) bool { return strings.HasPrefix(c.Title, "Kafka") })
		})
		d.keys("y").sees("no longer exists", "11 conversations")
	})
}

// Segments are counted only where a conversation has several.
func TestConversationsOfOneSegmentAreCountedOnce(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		start(t, lib, 100, 24).keys("down", "down", "tab", "tab", "ctrl+d").sees("Delete 2 conversations?", "Deletes 2 conversations (44 messages)").misses("segment")
	})
}

// Ten and more need their number.
func TestTenConversationsNeedTheirNumber(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("alt+a", "ctrl+d").sees("Delete 12 conversations?", "12 conversations with 15 segments", "Type 12 to delete", "and 8 more")
		if d.keys("y"); len(lib.Titles()) != 12 {
			t.Fatal("y is enough")
		}
		d.keys("enter").sees("does not match")
		if d.types("11").keys("enter"); len(lib.Titles()) != 12 || len(d.root.dialogs) != 1 {
			t.Fatal("another number is enough")
		}
		if d.keys("enter"); len(d.root.dialogs) != 0 || len(lib.Titles()) != 12 {
			t.Fatal("nothing typed is no")
		}
		d.sees("12 selected").keys("ctrl+d").types("12").keys("enter").sees("Deleted 12 conversations").misses("selected")
		if len(lib.Titles()) != 0 {
			t.Fatalf("left: %q", lib.Titles())
		}
		d.keys("alt+z").sees("12 conversations")
	})
}

// Taking back goes step by step.
func TestUndoGoesBackStepByStep(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24)
		for range 3 {
			d.keys("home", "ctrl+d", "y")
		}
		d.sees("9 conversations")
		d.keys("alt+z").sees("10 conversations").keys("alt+z").sees("11 conversations").keys("alt+z").sees("12 conversations")
		d.keys("alt+z").sees("Nothing to undo")
	})
}

// Another conversation has the title by now: the undo says so, and can restore
// everything but the title.
func TestUndoExplainsATakenTitle(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 140, 24).keys("ctrl+d", "y")
		lib.Set(func() {
			lib.Convs[0].Title = "Kafka consumer retries #3"
			lib.Version++
		})
		d.wait(2 * time.Second)
		d.keys("alt+z").sees("The title “Kafka consumer retries #3” is now used by "+lib.Convs[0].ID, "cancel")
		d.keys("n").sees("11 conversations").keys("alt+z", "y").sees("Restored", "12 conversations")
		d.keys("alt+z").sees("Nothing to undo")
	})
}

func TestDeletingWhatIsReadGoesBackToTheList(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("right").keys("d").sees("Delete “Kafka")
		d.keys("n")
		if len(d.root.screens) != 2 {
			t.Fatal("No leaves the transcript")
		}
		if d.keys("d", "y"); len(d.root.screens) != 1 {
			t.Fatal("the transcript of what is gone stays")
		}
		d.sees("11 conversations")
	})
}

// Leaving while something is being deleted would stop it half way.
func TestLeavingWaitsForTheDelete(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"esc", "enter"} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Takes = 3 * time.Second
			d := start(t, lib, 100, 24).keys("ctrl+d", "y", key).sees("Still deleting")
			if d.quit {
				t.Fatal("it has left")
			}
			d.keys("w")
			d.wait(4 * time.Second)
			if !d.quit || len(lib.Titles()) != 11 {
				t.Fatalf("left: %v, %d", d.quit, len(lib.Titles()))
			}
			if (d.root.Outcome().ID == "") != (key == "esc") {
				t.Fatalf("%+v", d.root.Outcome())
			}
		})
	}
}

// What is resumed while its own deletion runs is looked for again: the browser does not end
// with an error where the list could be shown.
func TestADeletedConversationIsNotResumedAfterTheWait(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Takes = 3 * time.Second
		d := start(t, lib, 100, 24).keys("ctrl+d", "y", "enter", "w")
		lib.Set(func() { lib.Err = errors.New("Session 'x' not found.") })
		d.wait(4 * time.Second)
		if d.sees("Session 'x' not found."); d.quit {
			t.Fatalf("left with %+v", d.root.Outcome())
		}
	})
}

// Without the right to change anything, nothing of it is offered, and its
// keys say why.
func TestReadOnlyOffersNoChange(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 40, func(o *Options) { o.Changes = nil }).keys("down") // its text has none of these words
		for _, open := range []string{"f1", "ctrl+x"} {
			d.keys(open).misses("elete", "undo", "rename").keys("esc")
		}
		d.misses("delete").keys("ctrl+d").sees("Opened with --read-only")
		d.keys("alt+z").sees("Opened with --read-only")
		d.keys("right").keys("d").sees("Opened with --read-only")
		if len(d.root.dialogs) > 0 || lib.Plans > 0 {
			t.Fatal("it went on")
		}
	})
}

// Whoever takes a transcript for a field and types a word with d and y in it deletes nothing.
// An answer at once does, and one after a pause.
func TestAWordAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"deploy", "dirty", "dry", "delay by a day"} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			d, all := start(t, lib, 100, 40).keys("right"), len(lib.Convs)
			for _, r := range word {
				d.send(keyPress(strings.ReplaceAll(string(r), " ", "space")))
				d.wait(250 * time.Millisecond)
			}
			if d.settle(); len(lib.Convs) < all {
				t.Fatalf("%q deletes a conversation", word)
			}
		})
	}
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d, all := start(t, lib, 100, 40).keys("right"), len(lib.Convs)
		d.send(keyPress("d"), keyPress("e"), keyPress("y"))
		d.settle()
		d.sees("press it again to delete").wait(time.Second)
		if d.keys("y"); len(lib.Convs) == all {
			t.Fatal("an answer after a pause does nothing")
		}
	})
}

// After an input that cannot be opened, the letters typed for it run nothing. What is typed
// after a pause does.
func TestLettersForAnInputThatIsRefusedRunNothing(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 40, func(o *Options) { o.Changes = nil }).keys("right")
		d.send(keyPress("f2"))
		for _, r := range "refunds by hand, quite dirty" {
			d.wait(300 * time.Millisecond)
			d.send(keyPress(string(r)))
		}
		if d.settle(); d.quit || len(d.root.dialogs) > 0 || len(d.root.screens) != 2 {
			t.Fatalf("a letter of the title has run an action:\n%s", d.screen())
		}
		d.wait(time.Second)
		if d.keys("q"); len(d.root.screens) != 1 {
			t.Fatal("a letter after a pause does nothing")
		}
	})
}

// Of many, those that cannot go stay: which and why is said before and after,
// and they keep their marks.
func TestWhatCanNotGoKeepsItsMark(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Left = []string{"nightly report"}
		d := start(t, lib, 100, 24).keys("tab", "down", "tab", "tab", "tab", "ctrl+d")
		d.sees("Delete 3 of 4 conversations?", "3 conversations with 6 segments", "1 conversation cannot be deleted: “nightly report” another process is using it")
		lib.Set(func() { lib.Left = append(lib.Left, "Broker upgrade plan") })
		d.keys("n", "ctrl+d", "y").sees("2 conversations deleted, 2 kept (still selected)", "“Broker upgrade plan”: another process", "“nightly report”: another process")
		d.keys("enter").sees("2 selected · esc clears · 10 conversations")
		if d.current() != "Broker upgrade plan" {
			t.Fatalf("on %q", d.current())
		}
		lib.Set(func() { lib.Left = nil })
		d.keys("ctrl+d", "y").sees("Deleted 2 conversations", "8 conversations").misses("selected")
		d.keys("alt+z", "alt+z").sees("12 conversations", "Restored 2 conversations")
	})
}

// The box that names what stays undoes the rest by the key that it names.
func TestTheBoxOfWhatStaysRestoresTheRest(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Left = []string{"Broker upgrade plan"}
		d := start(t, lib, 100, 24).keys("tab", "down", "tab", "tab", "ctrl+d", "y").sees("1 kept (still selected)", "u restore the deleted ones")
		d.keys("u").sees("12 conversations", "Restored 2 conversations").misses("still selected")
	})
}

// Its row is back with the key, before the database has it, and stays.
func TestAnUndoneDeletionIsBackAtOnce(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.BackTakes = 3 * time.Second
		d := start(t, lib, 100, 24).keys("ctrl+d", "y").sees("11 conversations")
		d.send(keyPress("alt+z"))
		d.sees("12 conversations", "Running", "Kafka consumer retries #3")
		if d.current() != "Kafka consumer retries #3" || len(lib.Titles()) != 11 {
			t.Fatalf("on %q, %d in the database", d.current(), len(lib.Titles()))
		}
		lib.Set(func() { lib.Version++ })
		d.wait(2 * time.Second)
		d.sees("12 conversations", "Running", "Kafka consumer retries #3")
		d.wait(2 * time.Second)
		d.sees("12 conversations", "Restored")
		if d.current() != "Kafka consumer retries #3" || len(lib.Titles()) != 12 {
			t.Fatalf("on %q, %d in the database", d.current(), len(lib.Titles()))
		}
		// What could not be brought back is not shown.
		d.keys("ctrl+d", "y")
		lib.Set(func() { lib.Refuses = remediedError{} })
		d.send(keyPress("alt+z"))
		d.sees("12 conversations")
		d.wait(4 * time.Second)
		d.sees("11 conversations", "locked").misses("● Kafka")
	})
}

// Of several databases two may have a conversation of the same title: the question says whose
// it deletes.
func TestDeleteNamesTheProfile(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() {
			for i := range lib.Convs {
				lib.Convs[i].Profile = []string{"home", "work"}[i%2]
			}
		})
		several := func(o *Options) { o.Several = true }
		start(t, lib, 80, 24, several).keys("ctrl+d").sees("Profile: home").keys("n", "tab", "down", "tab", "ctrl+d").sees("Profile: home, work")
		start(t, lib, 80, 24).keys("ctrl+d").sees("Delete ").misses("Profile: ")
	})
}

// The number to type is that of the conversations that go.
func TestTheNumberTypedIsWhatGoes(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() { lib.Left = []string{"Broker upgrade plan", "Translate the menu"} })
		d := start(t, lib, 100, 24).keys("alt+a", "ctrl+d").sees("Type 10 to delete", "2 conversations cannot be deleted", "Delete 10 of 12 conversations?")
		d.types("12").keys("enter").sees("The number does not match")
		d.types("10").keys("enter").sees("10 conversations deleted, 2 kept")
	})
}
