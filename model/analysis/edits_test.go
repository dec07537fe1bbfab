package analysis

import (
	"strings"
	"testing"
)

// What was pasted is not corrected: the edits of a megabyte would be a million megabytes.
func TestLongWordsHaveNoEdits(t *testing.T) {
	if n := len(Edits(strings.Repeat("x", maxEditBytes))); n == 0 {
		t.Error("the longest word that is corrected has no edits")
	}
	if n := len(Edits(strings.Repeat("x", 1<<20))); n != 0 {
		t.Errorf("%d edits", n)
	}
}
