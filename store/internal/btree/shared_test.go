package btree

import (
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// No page of a sound file belongs to two tables, whatever version it is of, and one that
// does, or is listed as free, is found. Each belongs to something.
func TestSharedPages(t *testing.T) {
	for _, name := range fixtures.Names(t, "v??.db", 10) {
		path := fixtures.Database(t, name)
		if shared, unused, err := Shared(t.Context(), open(t, path)); shared || unused != 0 || err != nil {
			t.Errorf("%s: shared %v, %d pages of nothing, %v", name, shared, unused, err)
		}
	}
	tried := 0
	for _, damage := range fixtures.Damages() {
		names := []string{"v11.db", "v25.db"}
		switch {
		case strings.HasPrefix(damage.Name, "a trunk of free pages "):
			names = []string{"v06.db"} // where the last page is not one of the list of tables
		case !strings.HasPrefix(damage.Name, "a page of another table in ") && !slices.Contains([]string{"a chain of two texts", "a chain that is a loop", "a chain into a table"}, damage.Name):
			continue
		}
		for _, name := range names {
			path := fixtures.Database(t, name)
			damage.Do(t, path)
			if shared, _, err := Shared(t.Context(), open(t, path)); !shared || err != nil {
				t.Errorf("%s of %s: shared %v, %v", damage.Name, name, shared, err)
			}
			tried++
		}
	}
	if tried == 0 {
		t.Error("no damage has a page twice")
	}
}
