package ui

import (
	"context"
	"errors"
	"testing"
	"time"

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
