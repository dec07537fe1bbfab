package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestPinAndArchiveCommands(t *testing.T) {
	dir := home(t)
	// A database of Hermes's schema 11 has no place for it, and stays as it is.
	for _, verb := range []string{"pin", "archive", "unarchive", "unpin"} {
		if code, _, errs := run(t, dir, "", verb, "the chain"); code != 1 || !strings.Contains(errs, "has no ") || !strings.Contains(errs, "start a newer Hermes once") {
			t.Errorf("%s: %d %q", verb, code, errs)
		}
	}
	damage(t, filepath.Join(dir, "state.db"), `ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
		ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0`)
	for _, c := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"pin", "the chain", "other"}, 0, "Session 'second' is pinned.\nSession 'other' is pinned.\n"},
		{[]string{"pin", "first"}, 0, "Session 'second' was already pinned.\n"},
		{[]string{"unpin", "first"}, 0, "Session 'second' is unpinned.\n"},
		{[]string{"archive", "other", "oth"}, 0, "Session 'other' is archived.\n"},
		{[]string{"unarchive", "other"}, 0, "Session 'other' is unarchived.\n"},
		{[]string{"archive", "nobody"}, 1, ""},
		{[]string{"archive"}, 2, ""},
	} {
		if code, out, errs := run(t, dir, "", c.args...); code != c.code || out != c.out {
			t.Errorf("%q: %d %q %q", c.args, code, out, errs)
		}
	}
	code, out, _ := run(t, dir, "", "archive", "--json", "the chain")
	var said struct{ Archived, Changed []string }
	if err := json.Unmarshal([]byte(out), &said); err != nil || code != 0 || len(said.Archived) != 1 || len(said.Changed) != 2 {
		t.Errorf("%d %s %v", code, out, err)
	}
	if _, out, _ := run(t, dir, "", "list"); strings.Contains(out, "the chain") {
		t.Errorf("it is listed still: %q", out)
	}
}
