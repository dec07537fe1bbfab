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
		{[]string{"a new title", "--clear"}, "Session 'second' no longer has a title.\n"},
		{[]string{"first", "zero\u200bwidth and a mark\ufeff"}, "Session 'second' renamed to: zerowidth and a mark\n"},
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
	for _, title := range []string{"", " ", "\n", "two\nlines", "\u200b\ufeff"} {
		if code, out, errs := run(t, dir, "", "rename", "first", title); code != 1 || out != "" || !strings.Contains(errs, "--clear") {
			t.Errorf("%q: %d %s%s", title, code, out, errs)
		}
	}
	if _, out, errs := run(t, dir, "", "rename", "first", "zero\u200bwidth"); out != "Session 'second' renamed to: zerowidth\n" || !strings.Contains(errs, "note: ") || !strings.Contains(errs, "'zerowidth'") {
		t.Error(out, errs)
	}
	for _, args := range [][]string{{"first"}, {"--clear"}, {"--clear", "first", "a title"}} {
		if code, _, _ := run(t, dir, "", append([]string{"rename"}, args...)...); code != 2 {
			t.Error(args, code)
		}
	}
}
