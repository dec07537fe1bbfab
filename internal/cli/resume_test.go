package cli

import (
	"hermes-sessions/internal/fixtures"
	"path/filepath"
	"strings"
	"testing"
)

// Without a terminal to ask on, resume refuses a session that it has cautions
// about, and says how to resume it all the same.
func TestResumeRefusesWithCautions(t *testing.T) {
	dir := home(t)
	code, _, errs := run(t, dir, strings.Join([]string{
		`{"id": "sub", "source": "cli", "parent_session_id": "second", "model_config": "{\"_delegate_from\": \"second\"}", "started_at": 2.2, "ended_at": 2.8, "messages": [{"role": "user", "content": "x", "timestamp": 2.5}]}`,
		`{"id": "live", "source": "cli", "title": "live one", "started_at": 1789999000.0, "messages": [{"role": "user", "content": "x", "timestamp": 1789999950.0}]}`,
	}, "\n"), "import", "-")
	if code != 0 {
		t.Fatal(code, errs)
	}
	for name, want := range map[string]string{
		"sub":      "subagent",
		"live one": "still be running",
	} {
		code, out, errs := run(t, dir, "y\n", "resume", "--hermes", "no-such-hermes", name)
		if code != 1 || out != "" || !strings.Contains(errs, want) || !strings.Contains(errs, "--yes") {
			t.Errorf("%s: %d %s%s", name, code, out, errs)
		}
		if code, _, errs := run(t, dir, "", "resume", "--yes", "--hermes", "no-such-hermes", name); code != 1 || !strings.Contains(errs, "no-such-hermes was not found") {
			t.Errorf("%s with --yes: %d %s", name, code, errs)
		}
	}
	if _, _, errs := run(t, dir, "", "resume", "sub"); !strings.Contains(errs, "resume its parent second") {
		t.Errorf("the parent is not offered: %s", errs)
	}
	// What Hermes prints is not JSON: with --json it is not run.
	if code, out, errs := run(t, dir, "", "resume", "--json", "--hermes", "no-such-hermes", "live"); code != 0 || !strings.HasPrefix(out, "{") || errs != "" {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if code, out, errs := run(t, dir, "", "resume", "--print", "--tui", "--hermes-arg=--yolo", "live"); code != 0 || !strings.Contains(out, "hermes --yolo --tui --resume live") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

// An id with control characters is not passed on as another one without them.
func TestIDsWithControlCharactersAreRefused(t *testing.T) {
	dir := home(t)
	if code, _, errs := run(t, dir, `{"id": "live\u001b[2J", "source": "cli", "title": "strange", "started_at": 1.0, "messages": [{"role": "user", "content": "x", "timestamp": 1.0}]}`, "import", "-"); code != 0 {
		t.Fatal(code, errs)
	}
	for _, args := range [][]string{{"resume", "--print", "strange"}, {"resume", "--yes", "strange"}, {"resume", "--json", "strange"}} {
		code, out, errs := run(t, dir, "", args...)
		if code != 1 || out != "" || !strings.Contains(errs, "has control characters") || strings.Contains(errs, "\x1b") {
			t.Errorf("%q: %d %q %q", args, code, out, errs)
		}
	}
}

// A script that runs the printed command learns that the conversation is in an earlier segment.
func TestThePrintedCommandOfAnEmptyContinuation(t *testing.T) {
	dir := t.TempDir()
	fixtures.Unpack(t, "v31.db", filepath.Join(dir, "state.db"))
	code, out, errs := run(t, dir, "", "resume", "Empty continuation", "--print")
	if code != 0 || !strings.Contains(out, "--resume ") || !strings.Contains(errs, "its newest segment has no messages") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}
