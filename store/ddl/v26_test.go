package ddl_test

import (
	"maps"
	"path/filepath"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/store/ddl"
)

// TestTheNewestSchemaIsTheOneHermesMakes makes an empty database of the newest known schema and compares it with
// the one that Hermes Agent made, text by text.
func TestTheNewestSchemaIsTheOneHermesMakes(t *testing.T) {
	ours := objects(t, filepath.Join(t.TempDir(), "ours.db"), ddl.Newest)
	theirs := objects(t, fixtures.Database(t, "v26.db"))
	if !maps.Equal(ours, theirs) {
		for name, def := range theirs {
			if ours[name] != def {
				t.Errorf("%s:\n ours   %s\n theirs %s", name, ours[name], def)
			}
		}
		t.Errorf("%d objects, want %d", len(ours), len(theirs))
	}
}
