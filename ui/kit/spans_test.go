package kit

import (
	"testing"

	"hermes-sessions/model"
)

// Details and lineage say the state of a session in the words of the legend in help.
func TestStateText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state        model.State
		reason, want string
	}{
		{model.StateDone, "", "ended"},
		{model.StateDone, "user_exit", "ended: user_exit"},
		{model.StateInterrupted, "", "interrupted"},
		{model.StateFailed, "model_error", "failed · ended: model_error"},
	} {
		if got := StateText(c.state, c.reason); got != c.want {
			t.Errorf("%v, %q: %q, want %q", c.state, c.reason, got, c.want)
		}
	}
}
