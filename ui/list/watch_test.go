package list

import (
	"testing"
	"time"

	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// Beside a writer the rows rest, but not those of a file that was replaced, of which the notice
// speaks.
func TestRowsOfAReplacedFileDoNotRest(t *testing.T) {
	l := open(t, &uitest.Fake{})
	l.watch.version, l.watch.resting, l.fetch.took = 1, rowsStayFor, time.Second
	if l.Update(shell.Polled{Version: 2}); l.fetch.generation() != 0 {
		t.Fatal("the rows were read again at once")
	}
	if l.Update(shell.Polled{Version: 3, Notice: "state.db was replaced; showing the new file"}); l.fetch.generation() == 0 {
		t.Error("the rows of the old file stay")
	}
}

// Whatever reads rows, reads those of the last change: they are not read once more for it.
func TestRowsReadForAKeyAreNotOutdated(t *testing.T) {
	l := open(t, &uitest.Fake{})
	l.watch.outdated = true
	if l.ask(FirstPage); l.watch.due() {
		t.Error("the rows are read again without a change")
	}
}
