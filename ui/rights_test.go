package ui

import (
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/uitest"
)

// What cannot be written is known before anything is tried: the palette, the
// menu and the help say why, and no box opens.
func TestAFileThatCanNotBeWrittenSaysSoBeforehand(t *testing.T) {
	t.Parallel()
	const why = "the database cannot be written: permission denied (allow it)"
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Rights = unwritable{}
		d := start(t, lib, 120, 50)
		for _, keys := range [][]string{{"ctrl+d"}, {"ctrl+r"}, {"alt+z"}, {"ctrl+x", "p"}, {"ctrl+x", "a"}, {"ctrl+x", "c"}} {
			d.keys(keys...).sees(kit.Capitalize(why))
			if len(d.root.dialogs) > 0 {
				d.keys("esc")
			}
			d.wait(5 * time.Second)
			d.misses(kit.Capitalize(why))
		}
		d.keys("f1").types("title").sees("Unavailable: the database cannot be written").keys("esc", "esc")
		d.types(":rename").sees("the database cannot be written").keys("enter").sees(kit.Capitalize(why)).keys("esc")
		if len(d.root.dialogs) > 0 || len(d.root.screens) > 1 || lib.Plans > 0 {
			t.Fatal("it was asked for all the same")
		}
		d.keys("right", "d").sees(kit.Capitalize(why)).keys("q", "q")
		d.keys("ctrl+l", "d").sees(kit.Capitalize(why)).keys("q", "q")
		// A reason that is longer than the screen is not cut.
		e := start(t, lib, 40, 24).keys("ctrl+d").sees("Not possible", "chmod u+w state.db", "esc close")
		e.keys("enter").misses("Not possible")
		// It follows the file.
		lib.Set(func() { lib.Rights = nil })
		d.keys("down", "ctrl+d").sees("Deletes ").keys("y").sees("Deleted “")
	})
}

type unwritable struct{}

func (unwritable) Error() string { return "state.db: the database cannot be written" }
func (unwritable) Advice() (string, model.Remedy) {
	return "the database cannot be written: permission denied", model.AdviseToRun("allow it", "chmod u+w state.db")
}
