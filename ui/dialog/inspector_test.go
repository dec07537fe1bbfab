package dialog

import (
	"strings"
	"testing"

	"hermes-sessions/theme/cells"
)

// A long name has its value beside it where there is room, and above it otherwise.
func TestLongNamesOfDetails(t *testing.T) {
	plain := func(s ...string) string { return strings.Join(s, "") }
	details := []detail{{name: "id", value: "1"}, {name: "compression_ineffective_count", value: "0"}}
	for w, lines := range map[int]int{74: 3, 108: 2} {
		if got := drawDetails(cells.ByCodePoint, details, w, plain, plain, plain, func(detail, int) {}); len(got) != lines {
			t.Errorf("%d columns: %q", w, got)
		}
	}
}
