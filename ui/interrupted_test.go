package ui

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// At the start each interrupted undo is asked about: finish it, leave it, or drop what is
// saved, which is asked again. A query that is typed at once answers nothing.
func TestInterruptedUndosAreOffered(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		finished, dropped := 0, 0
		offer := func(text string, err error) Saved {
			return Saved{
				Text: text, What: "1,000 messages of “kafka”",
				Restore: func(_ context.Context, _ bool, progress func(done, total int)) error {
					progress(1000, 1000)
					finished++
					return err
				},
				Forget: func() error {
					dropped++
					return nil
				},
			}
		}
		d := start(t, lib, 80, 24, func(o *Options) {
			o.Interrupted = []Saved{
				offer("an interrupted undo: 640 of 1,000 messages restored", nil), offer("an interrupted deletion", nil),
				offer("a deletion can still be undone", nil), offer("a fourth", errors.New("the disk is full")),
			}
		})
		d.sees("An interrupted undo: 640 of 1,000 messages restored", "Finish: restore what is missing", "Later", "Discard")
		d.types("find dirty docker files").keys("enter").sees("An interrupted undo", "Search…")
		if finished+dropped > 0 {
			t.Fatalf("a query: %d finished, %d dropped", finished, dropped)
		}
		d.wait(time.Second)
		d.keys("f").sees("An interrupted deletion").keys("l").sees("A deletion can still be undone").keys("d").sees("Discard the saved rows of 1,000 messages", "▸ n  Cancel").keys("enter").sees("A deletion can still be undone")
		d.keys("d", "y").sees("A fourth").keys("f").sees("The disk is full")
		if finished != 2 || dropped != 1 {
			t.Errorf("%d finished, %d dropped", finished, dropped)
		}
	})
}

// What earlier runs deleted is offered by the key that undoes, the last first, when this run
// has nothing to undo.
func TestDeletionsOfEarlierRunsAreUndone(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		var kept []Saved
		offer := func(what string, refused error) Saved {
			return Saved{
				Text: "deleted 2d ago: " + what, What: what,
				Restore: func(_ context.Context, dropTitles bool, _ func(done, total int)) error {
					if refused != nil && !dropTitles {
						return refused
					}
					kept = slices.DeleteFunc(kept, func(u Saved) bool { return u.What == what })
					return nil
				},
				Forget: func() error {
					kept = slices.DeleteFunc(kept, func(u Saved) bool { return u.What == what })
					return nil
				},
			}
		}
		kept = []Saved{offer("3 messages of “kafka”", nil), offer("5 messages of “tea”", model.TitleTaken{Title: "tea", Owner: "another"}), offer("7 messages", nil)}
		d := start(t, lib, 80, 24, func(o *Options) {
			o.Saved = func(context.Context) ([]Saved, error) { return slices.Clone(kept), nil }
		})
		d.keys("alt+z").sees("Deleted 2d ago: 3 messages of “kafka”", "Restore", "Show the one before", "Cancel").keys("n").misses("Show the one before")
		d.keys("alt+z").keys("l").sees("5 messages of “tea”").keys("f").sees("The title “tea” is now used by another").keys("y").sees("Restored 5 messages of “tea”")
		d.keys("alt+z").sees("3 messages of “kafka”").keys("f").sees("Restored 3 messages of “kafka”")
		d.keys("alt+z").sees("7 messages").misses("Show the one before").keys("d", "y").sees("Discarded 7 messages")
		if d.keys("alt+z").sees("Nothing to undo"); len(kept) > 0 {
			t.Error(kept)
		}
	})
}
