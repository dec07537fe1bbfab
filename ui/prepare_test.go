package ui

import (
	"strings"
	"testing"
	"time"

	"hermes-sessions/ui/uitest"
)

// The library reads ahead once the list is there, again when others have
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
