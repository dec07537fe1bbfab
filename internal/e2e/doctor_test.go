//go:build !windows

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// doctor --migrate asks first. Any answer but a yes leaves the file as it was;
// a yes keeps a copy of it.
func TestDoctorAsksBeforeItMigrates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "state.db")
	fixtures.Unpack(t, "v09.db", db)
	before := folder(t, dir)
	for _, c := range []struct {
		keys string
		code int
	}{{"n\r", 130}, {"\r", 130}, {"\x03", 130}, {"y\r", 0}} {
		s := openConsole(t, 200, 20, environment(t), program, "--db", db, "doctor", "--migrate")
		s.Sees("from schema 9 to 11 (keeping a copy beside it)? [y/N]")
		s.Types(c.keys)
		s.exits(c.code)
		s.restored()
		if c.code != 0 {
			same(t, c.keys, before, folder(t, dir))
		}
	}
	copies, err := filepath.Glob(db + ".bak-v9-*")
	if err != nil || len(copies) != 1 {
		t.Fatal(copies, err)
	}
	if r := run(t, "--db", db, "doctor"); r.code != 0 || !strings.Contains(r.stdout, "schema       11\n") {
		t.Errorf("%d\n%s", r.code, r.stdout)
	}
	if r := run(t, "--db", copies[0], "doctor"); !strings.Contains(r.stdout, "schema       9\n") {
		t.Errorf("%d\n%s", r.code, r.stdout)
	}
	db = copies[0]
	s := openConsole(t, 200, 20, environment(t), program, "--db", db, "doctor", "--migrate", "--no-backup")
	s.Sees("from schema 9 to 11 (without a copy)? [y/N]")
	s.Types("y\r")
	s.exits(0)
	if copies, err := filepath.Glob(db + ".bak*"); err != nil || len(copies) > 0 {
		t.Error(copies, err)
	}
}
