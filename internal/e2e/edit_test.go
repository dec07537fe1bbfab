//go:build !windows

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// Title, pin and archive flag of a conversation are changed, and undone one by one.
func TestRenamePinArchiveAndUndo(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "v25.db")
	fixtures.Unpack(t, "v25.db", db)
	before := exported(t, db)
	s := open(t, 100, 30, nil, "--db", db)
	s.until("the list is there", func(text string) bool { return s.onScreen() && strings.Contains(text, "conversations ·") })
	s.Pastes("my project compressed") // one search, so that the answer is the last
	s.Sees(" 1 conversation")
	s.Press("Ctrl+R")
	s.Sees("enter save · esc cancel")
	s.Press("Ctrl+U")
	s.Pastes("my project")
	s.Sees("Another conversation has this title")
	s.Press("Enter") // the next free one
	s.Sees("enter save")
	s.Press("Enter")
	s.Sees("Renamed to “my project #")
	s.Press("Ctrl+U")
	s.Sees("Search…")
	s.Sees("recent first")
	for _, c := range [][2]string{{"p", "Pinned “"}, {"a", "Archived “"}} {
		s.Press("Ctrl+X")
		s.Sees("│ Actions ")
		s.Types(c[0])
		s.Sees(c[1])
	}
	if now := exported(t, db); now == before {
		t.Error("nothing was changed")
	}
	for _, said := range []string{"Undone: archived", "Undone: pinned", "Undone: renamed"} {
		s.Press("Alt+Z")
		s.Sees(said)
	}
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
	if after := exported(t, db); after != before {
		t.Errorf("the history is not as it was:\n%s\n%s", before, after)
	}
}
