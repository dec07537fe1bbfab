package hermes

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
)

// Hermes starts in the folder of the conversation, and a relative HERMES_HOME still
// means the same home there.
func TestHermesStartsInTheFolderOfTheConversation(t *testing.T) {
	here, was := t.TempDir(), t.TempDir()
	t.Chdir(here)
	program := filepath.Join(here, "hermes.exe")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	environ := env.Vars{"HERMES_HOME=mine", "PWD=" + here}
	prepare := func(c Command, was string) (Launch, error) {
		return Prepare(t.Context(), c, was, environ, slog.New(slog.DiscardHandler))
	}
	l, err := prepare(Command{program: "." + string(filepath.Separator) + "hermes.exe", session: "x"}, was)
	if err != nil || l.Folder != was || !filepath.IsAbs(l.Path) {
		t.Fatalf("%+v %v", l, err)
	}
	for _, want := range []string{"HERMES_HOME=" + filepath.Join(here, "mine"), "PWD=" + was} {
		if !slices.Contains(l.environ, want) || len(l.environ) != 2 {
			t.Errorf("no %s in %q", want, l.environ)
		}
	}
	for _, gone := range []string{"", filepath.Join(was, "gone"), "not/absolute", program} {
		if l, err := prepare(Command{program: program, session: "x"}, gone); err != nil || l.Folder != "" || !slices.Contains(l.environ, "HERMES_HOME=mine") {
			t.Errorf("%q: %+v %v", gone, l, err)
		}
	}
	if _, err := prepare(Command{program: program, folder: filepath.Join(was, "gone"), session: "x"}, was); err == nil || !strings.Contains(err.Error(), "there is no folder") {
		t.Error("a folder that is not there:", err)
	}
}

// The error of a Hermes that cannot be started has the reason and a remedy.
func TestHermesThatCanNotBeStarted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no execute bit")
	}
	plain := filepath.Join(t.TempDir(), "hermes")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{
		"no-such-hermes":           "no-such-hermes was not found",
		filepath.Join(plain, "x"):  "could not be started",
		plain:                      "is not executable",
		filepath.Dir(plain) + "/x": "was not found",
	} {
		_, err := Prepare(t.Context(), Command{program: program}, "", nil, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", program, err, want)
		}
		if f := fault.Of(err); f.Remedy == "" || f.Code != 1 {
			t.Errorf("%s: %+v", program, f)
		}
	}
}
