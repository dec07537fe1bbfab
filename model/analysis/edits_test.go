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

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"docker", "docker", 0},
		{"", "ab", 2},
		{"ab", "", 2},
		{"dokcer", "docker", 1},
		{"doker", "docker", 1},
		{"dockerr", "docker", 1},
		{"ducker", "docker", 1},
		{"rsioto", "risotto", 2},
		{"部署", "署部", 1},
		{"abc", "xyz", 3},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
