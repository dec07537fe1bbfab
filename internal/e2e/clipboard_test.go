//go:build !windows

package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What is copied goes to the terminal byte by byte.
func TestCopySendsTheRightBytes(t *testing.T) {
	t.Parallel()
	s := open(t, 110, 30, nil, "--demo")
	to := lookFor(t, "--demo")
	find(s, to)
	s.Press("Ctrl+Y")
	s.Sees("resume command")
	s.Types("i")
	s.Sees("Sent to the terminal's clipboard")
	s.Press("Right")
	s.Sees("q back")
	s.Sees("hit ")
	s.Types("y")
	s.Sees("clipboard: message")
	var got []string
	for _, m := range regexp.MustCompile("\x1b\\]52;c;([A-Za-z0-9+/=]*)(?:\a|\x1b\\\\)").FindAllStringSubmatch(s.bytes(), -1) {
		text, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil {
			t.Error(err)
		}
		got = append(got, string(text))
	}
	if len(got) != 2 || got[0] != to.id || !strings.Contains(strings.ToLower(got[1]), to.first) {
		t.Errorf("the clipboard got %q, want %q and what has %q", got, to.id, to.first)
	}
}

// Inside tmux as it comes, which keeps what programs send to the clipboard to
// itself, copying works all the same.
func TestCopyInTmux(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	begin := filepath.Join(t.TempDir(), "begin")
	script := "#!/bin/sh\nunset NO_COLOR HERMES_HOME HERMES_BIN; export HOME='" + t.TempDir() + "' TZ=UTC LANG=C.UTF-8\n'" + program + "' --demo\n"
	if err := os.WriteFile(begin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	x := openTmux(t, 100, 30, begin)
	find(x, to)
	x.Press("Ctrl+Y")
	x.Sees("resume command")
	x.Types("i")
	x.Sees("Copied: " + to.id)
	if got := x.run("show-buffer"); strings.TrimSpace(got) != to.id {
		t.Errorf("tmux has %q", got)
	}
}
