package hermes

import (
	"runtime"
	"testing"

	"hermes-sessions/internal/cli/env"
)

func TestCommandAsWordsForAShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("checks the quoting for Unix shells")
	}
	for want, c := range map[string]Command{
		"hermes --resume 20261112_a":                       {program: "hermes", session: "20261112_a"},
		"hermes -p work --tui --resume a":                  {program: "hermes", profile: "work", tui: true, session: "a"},
		"hermes -p work -m 'a b' --tui --in /x --resume a": {program: "hermes", profile: "work", args: []string{"-m", "a b", "--tui"}, tui: true, folder: "/x", hasIn: true, session: "a"},
		"hermes --resume b":                                {program: "hermes", folder: "/x", session: "b"},
		"HERMES_HOME='/o'\\''s' './my hermes' --resume ''": {program: "./my hermes", home: "/o's", session: ""},
		"hermes --resume ab":                               {program: "hermes", session: "a\x1b[2Jb"},
	} {
		if got := c.String(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// The program is the flag's, else the variable's.
func TestFlagNamesTheProgramBeforeTheVariable(t *testing.T) {
	environ := env.Vars{"HERMES_BIN=variable"}
	var o Options
	if c := NewCommand(Location{}, "x", o, environ); c.program != "variable" {
		t.Error(c.program)
	}
	o.Program = "flag"
	if c := NewCommand(Location{}, "x", o, environ); c.program != "flag" {
		t.Error(c.program)
	}
}
