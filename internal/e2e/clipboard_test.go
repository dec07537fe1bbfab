//go:build !windows

package e2e

import (
	"encoding/base64"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
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
	s.Sees("match ")
	s.Types("y")
	s.Sees("clipboard: message")
	got := s.clipboard(t, 2)
	if len(got) != 2 || got[0] != to.id || !strings.Contains(strings.ToLower(got[1]), to.first) {
		t.Errorf("the clipboard got %q, want %q and what has %q", got, to.id, to.first)
	}
}

// clipboard returns the texts that were sent to the clipboard of the terminal, when there
// are n: the last may come after the line that says so.
func (s *browser) clipboard(t *testing.T, n int) (texts []string) {
	t.Helper()
	sent := regexp.MustCompile("\x1b\\]52;c;([A-Za-z0-9+/=]*)(?:\a|\x1b\\\\)")
	s.until("the clipboard has got its texts", func(string) bool { return len(sent.FindAllString(s.bytes(), n)) == n })
	for _, m := range sent.FindAllStringSubmatch(s.bytes(), -1) {
		text, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil {
			t.Error(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// With redact.always, at least 98 of 100 planted secrets of a message stay out of the clipboard.
func TestPlantedSecretsAreNotCopied(t *testing.T) {
	t.Parallel()
	g := fixtures.Invent(13, 14)
	var secrets []string
	text := "These are all planted."
	plant := func(before, secret, after string) {
		secrets, text = append(secrets, secret), text+"\n\n"+before+secret+after
	}
	for _, kind := range slices.Sorted(maps.Keys(g.Secrets())) {
		plant("Use ", g.Secrets()[kind], " please.")
	}
	for _, kind := range slices.Sorted(maps.Keys(g.Planted())) {
		p := g.Planted()[kind] // no two share a secret
		plant(p[0], p[1], p[2])
	}
	db := filepath.Join(t.TempDir(), "state.db")
	line := `{"id": "planted", "source": "cli", "title": "all of them", "started_at": 5, "ended_at": 6, "messages": [{"role": "user", "content": ` + jsonText(t, text) + `, "timestamp": 5}]}`
	lines := filepath.Join(t.TempDir(), "planted.jsonl")
	if err := os.WriteFile(lines, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "--db", db, "import", "--new", lines); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	s := open(t, 110, 30, []string{ownSettings(t, "[redact]\nalways = true\n")}, "--db", db)
	s.Sees("all of them")
	s.Press("Right")
	s.Sees("q back")
	s.Sees("ssh ada@host") // the end
	s.Types("y")
	s.Sees("clipboard: message")
	got := s.clipboard(t, 1)
	if len(got) != 1 || !strings.Contains(got[0], "These are all planted.") || !strings.Contains(got[0], "[redacted: GitHub token]") {
		t.Fatalf("the clipboard got %q", got)
	}
	missed := 0
	for _, secret := range secrets {
		if fixtures.Survives(secret, got[0]) {
			missed++
			t.Logf("copied: %s", secret)
		}
	}
	if missed*100 > len(secrets)*2 {
		t.Errorf("%d of %d secrets were copied", missed, len(secrets))
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
