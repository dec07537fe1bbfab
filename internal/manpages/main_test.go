package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every command has a page, with its flags and its text, and the same input makes
// the same bytes.
func TestEveryCommandHasAPage(t *testing.T) {
	e := edition{"1.2.3", "2026-11-22"}
	all, again := pages(e), pages(e)
	for name, text := range all {
		if again[name] != text {
			t.Errorf("%s is not the same twice", name)
		}
	}
	for name, wants := range map[string][]string{
		"hermes-sessions.1": {".SH \"COMMANDS\"", ".nf\n  source:  where", `\fBsearch\fR`, "HERMES_HOME", `\-\-profile\fR \fINAME`, `\fBhermes\-sessions\-list\fR(1)`},
		"hermes-sessions-storage.1": {
			`.TH "HERMES\-SESSIONS\-STORAGE" "1" "2026-11-22" "hermes\-sessions 1.2.3" "hermes\-sessions"`,
			".SH \"EXAMPLES\"\n.nf\n  hermes\\-sessions storage\n",
		},
		"hermes-sessions-search.1": {`\-\-explain\fR`, `\-\-words\fR \fIWHICH\fR`, "(default 20"},
		"hermes-sessions-delete.1": {".PP\nA conversation of more than about a hundred", `\fB\-y, \-\-yes\fR`},
	} {
		for _, want := range wants {
			if !strings.Contains(all[name], want) {
				t.Errorf("%s has no %q:\n%s", name, want, all[name])
			}
		}
	}
	if len(all) < 20 {
		t.Errorf("only %d pages", len(all))
	}
}

// groff has nothing to complain about.
func TestPagesAreGoodRoff(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	dir := t.TempDir()
	if err := write(dir, edition{}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), groff, append([]string{"-man", "-Kutf8", "-Tutf8", "-ww", "-z"}, files...)...)
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Errorf("%v: %.2000s", err, &errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "hermes-sessions.1")); err != nil {
		t.Error(err)
	}
}
