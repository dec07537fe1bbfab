//go:build !windows

package e2e

import (
	"path/filepath"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// The screen of space names the largest conversation of a real file, deletes it, and a vacuum
// makes the file smaller by what that left.
func TestTheLargestConversationIsDeletedAndItsSpaceGivenBack(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "v25.db")
	fixtures.Unpack(t, "v25.db", db)
	s := open(t, 120, 40, nil, "--db", db)
	s.Sees("recent first")
	s.Press("Ctrl+X")
	s.Sees("storage")
	s.Types("S")
	s.Sees("no free pages")
	s.Sees("very long build log")
	s.Sees("of indexes and rows")
	s.Types("d")
	s.Sees("Delete “very long build log”?")
	s.Sees("Deletes ")
	s.Types("y")
	s.Sees("Deleted “very long build log”")
	s.Loses("no free pages")
	s.Types("V")
	s.Sees("The file shrinks by about")
	s.Types("y")
	s.Sees("Vacuumed: ")
	s.Sees("no free pages")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
	if r := run(t, "--db", db, "storage", "--limit", "3"); r.code != 0 {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
}
