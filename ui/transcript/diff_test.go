package transcript

import (
	"slices"
	"testing"

	"hermes-sessions/internal/cells"
)

func TestWrappedLinesOfADiffHangBehindTheSign(t *testing.T) {
	for line, want := range map[string][]string{
		"+one two three four":   {"+one two", "  three", "  four"},
		"-   one two six":       {"-   one", "     two", "     six"},
		" short":                {" short"},
		"@@ -1,2 +1,2 @@ place": {"@@ -1,2", "+1,2 @@", "place"},
		"":                      {""},
	} {
		if got := wrapDiffLine(cells.ByCodePoint, line, 10); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
