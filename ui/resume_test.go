package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// addResumeWarnings makes the first conversation one that should not be resumed without
// a question.
func addResumeWarnings(lib *uitest.Fake) (id string) {
	id = lib.Convs[0].ID
	parent := lib.Convs[1].Session
	lib.ResumeChecks = map[string]model.ResumeCheck{id: {
		Tip: lib.Convs[0].Session, State: model.StateRunning, LastActive: lib.Convs[0].LastActive,
		IsDelegate: true, ParentTip: parent,
	}}
	return id
}

func TestReasonsNotToResumeAreShownFirst(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		id := addResumeWarnings(lib)
		open := func() *driver {
			d := start(t, lib, 80, 24).types("kafka").keys("enter")
			return d.sees("It may still be running", "subagent session of “Broker", "Broker upgrade plan")
		}
		if d := open().keys("enter"); d.quit || len(d.root.dialogs) != 0 {
			t.Fatal("a second Enter in a hurry resumes")
		}
		if d := open().keys("esc"); d.quit || len(d.root.dialogs) != 0 {
			t.Fatal("Esc does not leave it alone")
		}
		if d := open().keys("y"); !d.quit || d.root.Outcome() != (Outcome{ID: id}) {
			t.Fatalf("all the same: %+v", d.root.Outcome())
		}
		if d := open().keys("p"); !d.quit || d.root.Outcome().ID != lib.Convs[1].ID {
			t.Fatalf("the parent: %+v", d.root.Outcome())
		}
		if d := open().keys("c"); d.quit || len(d.sent) != 1 || !strings.Contains(d.sent[0], "hermes --resume "+id) {
			t.Fatalf("the command: %q", d.sent)
		}
		// From the transcript as from the list.
		d := start(t, lib, 80, 24).types("kafka").keys("right", "r").sees("It may still be running")
		if d.keys("y"); d.root.Outcome().ID != id {
			t.Fatalf("from the transcript: %+v", d.root.Outcome())
		}
	})
}

// A conversation that goes on without messages is not resumed unseen: what came before can be read.
func TestAnEmptyContinuationIsSaidBeforeItIsResumed(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		tip, before := lib.Convs[0].Session, lib.Convs[1].Session
		lib.ResumeChecks = map[string]model.ResumeCheck{tip.ID: {Tip: tip, Before: before}}
		open := func() *driver {
			return start(t, lib, 80, 24).types("kafka").keys("enter").sees("Its newest segment has no messages, so Hermes would start afresh", "read the segment before it")
		}
		if d := open().keys("enter"); d.quit || len(d.root.dialogs) != 0 {
			t.Fatal("a second Enter in a hurry resumes")
		}
		if d := open().keys("b").sees(before.Title); d.quit || len(d.root.dialogs) != 0 {
			t.Fatal("what came before is not shown")
		}
		if d := open().keys("y"); !d.quit || d.root.Outcome().ID != tip.ID {
			t.Fatalf("all the same: %+v", d.root.Outcome())
		}
		lib.ResumeChecks = map[string]model.ResumeCheck{tip.ID: {Tip: tip, GoesOn: before}}
		start(t, lib, 80, 24).types("kafka").keys("enter").sees("Hermes goes on in a later session")
	})
}

// From every screen, the current conversation is resumed at its tip, in either
// interface, and the browser may come back.
func TestResumeFromEveryScreen(t *testing.T) {
	t.Parallel()
	screens := map[shell.Context][]string{shell.InList: nil, shell.InTranscript: {"right"}, shell.InLineage: {"ctrl+l"}, shell.InSpace: {"ctrl+x", "c", "down"}, shell.InComparison: {"tab", "down", "tab", "ctrl+x", "C"}, shell.InUsage: {"ctrl+x", "U"}}
	for c, path := range screens {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			want := lib.Convs[0].ID
			if c == shell.InSpace {
				for _, found := range lib.Convs {
					if found.Title == "nightly report" || found.Title == "Empty one" {
						want = found.ID // the last of the two
					}
				}
			}
			if c == shell.InUsage {
				longest := 0
				for _, all := range lib.Convs {
					if all.Messages > longest {
						want, longest = all.ID, all.Messages
					}
				}
			}
			for _, way := range []shell.Action{shell.Resume, shell.ResumeInTUI, shell.ResumeAndReturn} {
				d := start(t, lib, 120, 40).keys(path...)
				if d.root.top().Context() != c {
					t.Fatalf("in the %s", d.root.top().Context())
				}
				d.run(d.root.runAction(way))
				d.settle()
				if got := (Outcome{ID: want, TUI: way == shell.ResumeInTUI}); way != shell.ResumeAndReturn && (!d.quit || d.root.Outcome() != got) {
					t.Errorf("%s from the %s: %+v, want %+v", way, c, d.root.Outcome(), got)
				}
				if way == shell.ResumeAndReturn && d.quit {
					t.Errorf("%s from the %s leaves", way, c)
				}
			}
		})
	}
	for _, b := range uitest.Bindings(t) {
		c := b.Context
		if _, ok := screens[c]; !ok && b.Action == shell.Resume {
			t.Errorf("the %s is not in this test", c)
		}
	}
}

func TestThePickerAsksNothing(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		id := addResumeWarnings(lib)
		d := start(t, lib, 80, 24, func(o *Options) { o.Choose = true }).types("kafka").keys("enter")
		if !d.quit || d.root.Outcome().ID != id {
			t.Fatalf("%+v", d.root.Outcome())
		}
	})
}

// The tip is asked for when it is needed: compression may have moved it since
// the row was drawn.
func TestResumeGoesToTheLatestTip(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.ResumeChecks = map[string]model.ResumeCheck{lib.Convs[1].ID: {Tip: model.Session{ID: "newer"}}}
		d := start(t, lib, 80, 24).types("broker").keys("alt+enter")
		if !d.quit || d.root.Outcome() != (Outcome{ID: "newer", TUI: true}) {
			t.Fatalf("%+v", d.root.Outcome())
		}
		d = start(t, lib, 80, 24, func(o *Options) { o.After = shell.Print }).types("broker").keys("enter")
		if !d.quit || d.root.Outcome() != (Outcome{ID: "newer", Print: true}) {
			t.Fatalf("%+v", d.root.Outcome())
		}
	})
}

func TestAConversationThatIsGoneIsNotResumed(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		lib.Set(func() { lib.Err = errors.New("Session 'x' not found.") })
		if d.keys("enter").sees("Session 'x' not found."); d.quit {
			t.Fatal("resumed")
		}
	})
}

// Back from Hermes, the list is read again at the same place, and an end that
// came too soon is told.
func TestComingBackFromHermes(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, func(o *Options) { o.After = shell.Return }).types("kafka").keys("down", "enter")
		if d.quit {
			t.Fatal("the browser left")
		}
		lib.Set(func() { lib.Convs[1].Title = "Broker upgrade done" })
		d.send(returned{took: time.Minute})
		if d.settle(); d.sees("Back from Hermes", "Broker upgrade done").current() != "Broker upgrade done" {
			t.Fatalf("the row is %q", d.current())
		}
		d.send(returned{err: errors.New("exit code 2"), note: "it was another file", took: time.Second})
		d.settle()
		d.sees("Hermes ended immediately: exit code 2; it was another file")
		d.keys("up").misses("exit code 2")
	})
}

// The question is about the conversation for which it was asked, whatever
// others write meanwhile.
func TestTheQuestionStaysWithItsConversation(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		id := addResumeWarnings(lib)
		d := start(t, lib, 80, 24).types("kafka").keys("enter").sees("It may still be running")
		lib.Set(func() {
			lib.Convs = lib.Convs[2:]
			lib.Version++
		})
		d.wait(3 * time.Second)
		if d.keys("y"); d.root.Outcome().ID != id {
			t.Fatalf("resumed %q, asked about %q", d.root.Outcome().ID, id)
		}
	})
}

// In tmux the browser stays: Hermes gets a window, or the pane where it runs is shown, which
// asks nothing.
func TestResumeInAWindow(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		id := addResumeWarnings(lib)
		var done []string
		running := false
		var failure error
		inTmux := func(o *Options) {
			o.After = shell.Window
			o.ResumeNote = func(string) string { return "it opens another file" }
			o.Windows = &Windows{
				Jump: func(_ context.Context, id string) (bool, error) {
					done = append(done, "jump "+id)
					return running, nil
				},
				Open: func(_ context.Context, tip model.Session, tui bool) error {
					done = append(done, fmt.Sprint("open ", tip.ID, " ", tui))
					return failure
				},
			}
		}
		d := start(t, lib, 100, 24, inTmux).types("kafka").keys("enter").sees("It may still be running").keys("y").sees("Resumed in a new tmux window; it opens another file")
		running = true
		d.keys("enter").sees("Switched to the tmux pane where it runs")
		running, failure = false, errors.New("no room for a window")
		d.keys("alt+enter", "y").sees("o room for a window")
		if want := []string{"jump " + id, "open " + id + " false", "jump " + id, "jump " + id, "open " + id + " true"}; d.quit || !slices.Equal(done, want) {
			t.Errorf("%v, want %v", done, want)
		}
	})
}
