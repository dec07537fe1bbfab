//go:build !windows

package e2e

import (
	"path/filepath"
	"testing"
)

// Without a database, a terminal gets a screen that says where one was looked for, and
// the demo by a key.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	s := openConsole(t, 80, 24, environment(t), program)
	s.Sees("No Hermes history")
	s.Sees(filepath.Join(".hermes", "state.db"))
	s.Sees("HERMES_HOME  not set")
	s.Sees("hermes-sessions --db FILE")
	s.Types("d")
	s.Sees("conversations ·")
	s.Sees("Pinned")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()

	small := openConsole(t, 30, 8, environment(t), program)
	small.Sees("No Hermes history")
	small.Sees("hermes-sessions --home DIR")
	small.Sees("d demo · q quit")
	small.Types("q")
	small.exits(1) // with the error, which says the same on one line
	small.restored()
}
