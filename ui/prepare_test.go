package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/uitest"
)

// The library reads ahead once the list is there, again for a search when others have
// written, and not for every key.
func TestSearchesArePreparedBehindTheList(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		times := func() (n int) {
			lib.Set(func() { n = lib.Prepared })
			return n
		}
		if n := times(); n != 1 {
			t.Fatalf("read ahead %d times at the start", n)
		}
		lib.Set(func() { lib.Version++ })
		d.wait(5 * time.Second)
		if n := times(); n != 1 {
			t.Errorf("read ahead %d times beside a writer, though nobody searches", n)
		}
		lib.Set(func() { lib.Prepared-- }) // of this change
		d.types("docker")
		d.wait(5 * time.Second)
		if n := times(); n != 1 {
			t.Errorf("read ahead %d times, though nothing was written", n)
		}
		searches := func() (n int) {
			lib.Set(func() {
				for _, q := range lib.Asked {
					if strings.HasSuffix(q, " docker") {
						n++
					}
				}
			})
			return n
		}
		before := searches()
		lib.Set(func() { lib.Version++ })
		d.wait(5 * time.Second)
		if n := times(); n != 2 {
			t.Errorf("read ahead %d times after a change", n)
		}
		// At once, and when all has been read again.
		if n := searches() - before; n != 2 {
			t.Errorf("after a change it was looked for %d times", n)
		}
	})
}

// A terminal without the focus is kept up to date less often, and at once when it has it again.
func TestAListWithoutTheFocusIsReadLessOften(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		lists := func() (n int) {
			lib.Set(func() { n = len(lib.Asked) })
			return n
		}
		d.send(tea.BlurMsg{})
		d.wait(time.Second) // a look that was due
		before := lists()
		lib.Set(func() { lib.Version++ })
		if d.wait(3 * time.Second); lists() != before {
			t.Error("read as often without the focus")
		}
		d.send(tea.FocusMsg{})
		if d.settle(); lists() == before {
			t.Error("not read again with the focus")
		}
		before = lists()
		lib.Set(func() { lib.Version++ })
		d.send(tea.BlurMsg{})
		if d.wait(6 * time.Second); lists() == before {
			t.Error("never read without the focus")
		}
	})
}
