//go:build !windows

package e2e

import (
	"path/filepath"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// A branch is compared with its parent from the lineage, and read where it parts.
func TestABranchIsComparedWithItsParent(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "v25.db")
	fixtures.Unpack(t, "v25.db", db)
	s := open(t, 120, 40, nil, "--db", db, "branch base")
	s.Sees("branch base #2")
	s.Press("Ctrl+L")
	s.Sees("64 tests fail in CI")
	s.Types("Gc")
	s.Sees("Compare · The first 2 messages are the same; only B continues.")
	s.Sees("B  64 tests fail in CI")
	s.Types("\r")
	s.Loses("Compare · ")
	s.Types("q")
	s.Sees("Compare · The first 2 messages are the same; only B continues.")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}
