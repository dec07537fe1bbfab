package cli

import (
	"strings"
	"testing"
)

// What the rename says is what is stored (store/README.md#q33).
func TestQ33RenameCommand(t *testing.T) {
	dir := home(t)
	for _, c := range []struct {
		args []string
		out  string
	}{
		{[]string{"first", "a ", " new\ttitle"}, "Session 'second' renamed to: a new title\n"},
		{[]string{"a new title", " \n "}, "Session 'second' no longer has a title.\n"},
	} {
		if code, out, errs := run(t, dir, "", append([]string{"rename"}, c.args...)...); code != 0 || out != c.out {
			t.Errorf("%q: %d %q %q", c.args, code, out, errs)
		}
	}
	if code, _, errs := run(t, dir, "", "rename", "first", "other"); code != 1 || !strings.Contains(errs, "Title 'other' is already in use by session other") {
		t.Error(code, errs)
	}
	if code, _, errs := run(t, dir, "", "rename", "first", strings.Repeat("x", 101)); code != 1 || !strings.Contains(errs, "Title too long (101 chars, max 100)") {
		t.Error(code, errs)
	}
	if code, _, _ := run(t, dir, "", "rename", "first"); code != 2 {
		t.Error(code)
	}
}
