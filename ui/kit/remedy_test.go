package kit

import (
	"strings"
	"testing"

	"hermes-sessions/theme/cells"
)

// A command has a line of its own. Where no line is long enough, its lines can be pasted
// into a shell all the same.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	var measure cells.Method
	const command = "hermes-sessions doctor --salvage saved.db --db /home/ada/.hermes/state.db"
	for w := 8; w < 100; w++ {
		lines := Remedy{Command: command}.CommandLines(measure, w)
		if w >= len(command) && len(lines) != 1 {
			t.Errorf("%d columns: %q", w, lines)
		}
		for _, l := range lines {
			if measure.StringWidth(l) > w {
				t.Errorf("%d columns: %q is wider", w, l)
			}
		}
		if typed := strings.ReplaceAll(strings.Join(lines, "\n"), "\\\n", ""); typed != command {
			t.Errorf("%d columns: %q", w, typed)
		}
	}
	if lines := (Remedy{}).CommandLines(measure, 40); lines != nil {
		t.Errorf("no command: %q", lines)
	}
}
