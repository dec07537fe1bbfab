package cli

import (
	"testing"

	"hermes-sessions/model"
)

// What a killed process has left is told by what is gone: of an interrupted deletion, only the
// messages that were deleted are saved, and most may still be in the database.
func TestWordsForInterruptedUndos(t *testing.T) {
	t.Parallel()
	u := model.InterruptedUndo{Messages: 1000, Back: 640}
	for state, want := range map[model.UndoState]string{
		model.UndoInterrupted:   "an interrupted undo: 640 of 1,000 messages restored",
		model.DeleteInterrupted: "an interrupted deletion: 360 messages deleted",
		model.DeleteNotUndone:   "a deletion of 1,000 messages can still be undone",
	} {
		if u.State = state; interruption(u) != want {
			t.Errorf("%q, want %q", interruption(u), want)
		}
	}
	u = model.InterruptedUndo{State: model.DeleteInterrupted, Messages: 1}
	if got := interruption(u); got != "an interrupted deletion: 1 message deleted" {
		t.Errorf("of one message: %q", got)
	}
}
