package ui

import (
	"testing"
	"time"

	"hermes-sessions/ui/uitest"
)

// What takes more than 150 ms says so, wherever a key begins it.
func TestASlowStoreIsToldOf(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		slow := func(what string, keys []string, says string) {
			t.Helper()
			lib.Delay = func(string) time.Duration { return 2 * time.Second }
			d.keys(keys...)
			d.wait(200 * time.Millisecond)
			d.sees(says)
			lib.Delay = nil
			d.wait(3 * time.Second)
			d.misses(says)
		}
		slow("a title", []string{"f2", "x"}, "Checking the title…")
		d.keys("esc")
		slow("a search", []string{"k"}, "searching…")
		d.keys("esc")
		lib.Delay = func(string) time.Duration { return 2 * time.Second }
		d.keys("enter")
		d.wait(300 * time.Millisecond)
		d.sees("Checking before resuming…")
		d.wait(3 * time.Second)
		if !d.quit {
			t.Error("it is not resumed")
		}
	})
}
