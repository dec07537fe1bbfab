package ui

import (
	"testing"

	"hermes-sessions/ui/uitest"
)

// Why a key does nothing is said until the next key, above whose dialog or rows it would
// seem to be about them; that something was done is said for its full time.
func TestARefusalIsSaidUntilTheNextKey(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24).keys("ctrl+x").types("C").sees("Select two conversations")
		d.keys("ctrl+x").sees("Actions").types("C").sees("Select two conversations")
		if d.keys("ctrl+x", "ctrl+x"); len(d.root.dialogs) != 0 {
			t.Fatal("its own key does not close the menu")
		}
		d.keys("ctrl+x").types("C").sees("Select two conversations")
		d.keys("esc", "ctrl+d").sees("Delete “").misses("Select two conversations")
		start(t, lib, 80, 24).keys("alt+z").sees("Nothing to undo").keys("down").misses("Nothing to undo").sees("resume")
		d = start(t, lib, 80, 24).keys("right", "!").sees("o failed tool calls").keys("j").misses("failed tool calls")
		d.keys("x").sees("x does nothing here").keys("j").misses("does nothing")
		d = start(t, lib, 80, 24).keys("ctrl+r").types("!").keys("enter").sees("Renamed to").keys("down")
		d.sees("Renamed to")
	})
}

// On a narrow screen the title in a toast gives way to the key that undoes.
func TestTheKeyStaysInANarrowToast(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 30, 8).keys("down", "down").keys("ctrl+x", "p").sees("Pinned “", "…” · alt+z undo")
		d.keys("alt+z").sees("Undone: pinned “", "…”").misses("……")
	})
}

// A long reason loses whole clauses from its end, and is cut only where the first is too long.
func TestALongReasonLosesWholeClauses(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for w, want := range map[int]string{
			100: " ! state.db can no longer be changed: the database is damaged; a change could affect the wrong rows",
			80:  " ! state.db can no longer be changed: the database is damaged",
			50:  " ! state.db can no longer be changed",
			30:  " ! state.db can no longer be …",
		} {
			d := start(t, lib, w, 12)
			d.root.announce("state.db can no longer be changed: the database is damaged; a change could affect the wrong rows, or none")
			if got := d.lastLine(); got != want {
				t.Errorf("%d columns: %q, want %q", w, got, want)
			}
		}
	})
}

// A box over the bottom line leaves no piece of a toast on either side.
func TestNoPieceOfAToastIsSeenBesideABox(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 16).keys("ctrl+d", "y").sees("Deleted").keys("ctrl+x").sees("Actions")
		d.misses("Delet╰", "╯ndo")
	})
}
