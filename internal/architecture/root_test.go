package architecture

import (
	"os"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

// The root says what the program is, and no more.
func TestTheRootHoldsTheProcessAndItsKeys(t *testing.T) {
	var names []string
	entries, err := os.ReadDir(sourcetree.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") {
			names = append(names, e.Name())
		}
	}
	if want := []string{"keymap.go", "main.go"}; !slices.Equal(names, want) {
		t.Errorf("the root holds the Go files %v, want %v", names, want)
	}
}
