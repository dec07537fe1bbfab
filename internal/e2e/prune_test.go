//go:build !windows

package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// prune says in numbers what it takes before it asks. What it took comes back by undo, and in
// the browser by the key for it.
func TestPruneAsksAndIsUndone(t *testing.T) {
	t.Parallel()
	environ := environment(t)
	db := filepath.Join(t.TempDir(), "v25.db")
	fixtures.Unpack(t, "v25.db", db)
	before := exported(t, db)
	prune := func(answer string, code int) {
		t.Helper()
		s := openConsole(t, 200, 20, environ, program, "--db", db, "prune", "--older-than", "1")
		s.Sees("inactive for 1 day? [y/N]")
		text := s.text()
		of := regexp.MustCompile(`(\d+) conversations, (\d+) sessions, (\d+) messages, [\d.]+ [kM]?B`).FindStringSubmatch(text)
		ends := regexp.MustCompile(`Oldest: '.+' \(\d{4}-\d\d-\d\d\), newest: '.+' \(\d{4}-\d\d-\d\d\)\.`)
		if of == nil || !ends.MatchString(text) || !strings.Contains(text, "As old, but left: ") || !strings.Contains(text, "--backup FILE") ||
			!strings.Contains(text, "Delete "+of[1]+" conversations inactive") {
			t.Fatalf("the question lacks something:\n%s", text)
		}
		s.Types(answer)
		if code == 0 {
			s.Sees("Pruned " + of[2] + " session(s).")
		}
		s.exits(code)
	}
	prune("n\r", 130)
	if after := exported(t, db); after != before {
		t.Error("a no has changed something")
	}
	prune("y\r", 0)
	if after := exported(t, db); after == before {
		t.Error("nothing was pruned")
	}
	s := openConsole(t, 200, 20, environ, program, "--db", db, "undo")
	s.Sees("[y/N]")
	s.Types("y\r")
	s.Sees("Restored ")
	s.exits(0)
	if after := exported(t, db); after != before {
		t.Error("undo has not restored everything")
	}
	prune("y\r", 0)
	b := openConsole(t, 120, 40, environ, program, "--db", db)
	b.Sees("recent first")
	b.Press("Alt+Z")
	b.Sees("Deleted just now: ")
	b.Types("f")
	b.Sees("Restored ")
	b.Press("Ctrl+C")
	b.exits(130)
	if after := exported(t, db); after != before {
		t.Error("the key has not restored everything")
	}
}
