package cli

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestTheCallOfHermes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("quoted for shells of Unix")
	}
	for want, c := range map[string]hermesCommand{
		"hermes --resume 20261112_a":                       {program: "hermes", tip: "20261112_a"},
		"hermes -p work --tui --resume a":                  {program: "hermes", profile: "work", tui: true, tip: "a"},
		"hermes -p work -m 'a b' --tui --in /x --resume a": {program: "hermes", profile: "work", extra: []string{"-m", "a b", "--tui"}, tui: true, in: "/x", hasIn: true, tip: "a"},
		"hermes --resume b":                                {program: "hermes", in: "/x", tip: "b"},
		"HERMES_HOME='/o'\\''s' './my hermes' --resume ''": {program: "./my hermes", home: "/o's", tip: ""},
		"hermes --resume ab":                               {program: "hermes", tip: "a\x1b[2Jb"},
	} {
		if got := c.String(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// The program is the flag's, else the variable's.
func TestWhichHermes(t *testing.T) {
	a := &app{Process: Process{Environ: []string{"HERMES_BIN=variable"}}}
	var r resumption
	if c := a.hermesCommand(place{}, "x", r); c.program != "variable" {
		t.Error(c.program)
	}
	r.hermes.program = "flag"
	if c := a.hermesCommand(place{}, "x", r); c.program != "flag" {
		t.Error(c.program)
	}
}

// Hermes begins where the conversation was; a home that is told from where one
// stands stays the same home.
func TestHermesBeginsWhereTheConversationWas(t *testing.T) {
	here, was := t.TempDir(), t.TempDir()
	t.Chdir(here)
	program := filepath.Join(here, "hermes.exe")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	a := testApp("HERMES_HOME=mine", "PWD="+here)
	l, err := a.prepare(t.Context(), hermesCommand{program: "." + string(filepath.Separator) + "hermes.exe", tip: "x"}, was)
	if err != nil || l.folder != was || !filepath.IsAbs(l.path) {
		t.Fatalf("%+v %v", l, err)
	}
	for _, want := range []string{"HERMES_HOME=" + filepath.Join(here, "mine"), "PWD=" + was} {
		if !slices.Contains(l.environ, want) || len(l.environ) != 2 {
			t.Errorf("no %s in %q", want, l.environ)
		}
	}
	for _, gone := range []string{"", filepath.Join(was, "gone"), "not/absolute", program} {
		if l, err := a.prepare(t.Context(), hermesCommand{program: program, tip: "x"}, gone); err != nil || l.folder != "" || !slices.Contains(l.environ, "HERMES_HOME=mine") {
			t.Errorf("%q: %+v %v", gone, l, err)
		}
	}
	if _, err := a.prepare(t.Context(), hermesCommand{program: program, in: filepath.Join(was, "gone"), tip: "x"}, was); err == nil || !strings.Contains(err.Error(), "there is no folder") {
		t.Error("a folder that is not there:", err)
	}
}

// A Hermes that can not be started is told by its reason.
func TestHermesThatCanNotBeStarted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no execute bit there")
	}
	plain := filepath.Join(t.TempDir(), "hermes")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{
		"no-such-hermes":           "no-such-hermes was not found",
		filepath.Join(plain, "x"):  "could not be started",
		plain:                      "may not be executed",
		filepath.Dir(plain) + "/x": "was not found",
	} {
		_, err := testApp().prepare(t.Context(), hermesCommand{program: program}, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", program, err, want)
		}
		if f := explain(err); f.remedy == "" || f.code != 1 {
			t.Errorf("%s: %+v", program, f)
		}
	}
}

// Where nobody can be asked, what stands against resuming refuses it, with the
// way out.
func TestResumeRefusesWhatIsDoubtful(t *testing.T) {
	dir := home(t)
	code, _, errs := run(t, dir, strings.Join([]string{
		`{"id": "sub", "source": "cli", "parent_session_id": "second", "model_config": "{\"_delegate_from\": \"second\"}", "started_at": 2.2, "ended_at": 2.8, "messages": [{"role": "user", "content": "x", "timestamp": 2.5}]}`,
		`{"id": "live", "source": "cli", "title": "live one", "started_at": 1789999000.0, "messages": [{"role": "user", "content": "x", "timestamp": 1789999950.0}]}`,
	}, "\n"), "import", "-")
	if code != 0 {
		t.Fatal(code, errs)
	}
	for name, want := range map[string]string{
		"sub":      `"kind":"subagent"`,
		"live one": `"kind":"running"`,
	} {
		code, out, errs := run(t, dir, "y\n", "resume", "--json", "--hermes", "no-such-hermes", name)
		if code != 1 || out != "" || !strings.Contains(errs, want) || !strings.Contains(errs, "--yes") {
			t.Errorf("%s: %d %s%s", name, code, out, errs)
		}
		if code, _, errs := run(t, dir, "", "resume", "--yes", "--hermes", "no-such-hermes", name); code != 1 || !strings.Contains(errs, "no-such-hermes was not found") {
			t.Errorf("%s with --yes: %d %s", name, code, errs)
		}
	}
	if _, _, errs := run(t, dir, "", "resume", "sub"); !strings.Contains(errs, "resume second, which it works for") {
		t.Errorf("the parent is not offered: %s", errs)
	}
	if code, out, errs := run(t, dir, "", "resume", "--print", "--tui", "--hermes-arg=--yolo", "live"); code != 0 || !strings.Contains(out, "hermes --yolo --tui --resume live") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

func testApp(environ ...string) *app {
	return &app{Process: Process{Environ: environ}, log: slog.New(slog.DiscardHandler)}
}
