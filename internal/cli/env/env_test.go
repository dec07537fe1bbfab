package env

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestTheLastOfTwoVariablesCounts(t *testing.T) {
	v := Vars{"A=1", "AB=2", "A=3=4", "EMPTY="}
	for name, want := range map[string]string{"A": "3=4", "AB": "2", "EMPTY": "", "NONE": "", "": ""} {
		if got := v.Get(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// A leading ~ is the home folder, and a ~ anywhere else is part of a name.
func TestAbsolute(t *testing.T) {
	home, here := t.TempDir(), t.TempDir()
	t.Chdir(here)
	v := Vars{HomeName() + "=" + home}
	for file, want := range map[string]string{
		"~":        home,
		"~/a.md":   filepath.Join(home, "a.md"),
		"~other/a": filepath.Join(here, "~other", "a"),
		"a/~/b":    filepath.Join(here, "a", "~", "b"),
		here:       here,
	} {
		if got, err := v.Absolute(file); err != nil || got != want {
			t.Errorf("%q is %q, %v, want %q", file, got, err, want)
		}
	}
	if got, err := (Vars{}).Absolute("~/a"); err != nil || got != filepath.Join(here, "~", "a") {
		t.Errorf("without a home: %q %v", got, err)
	}
}

func TestFoldersOfTheUser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("checks the folders of Linux")
	}
	for _, c := range []struct {
		vars          Vars
		config, state string
	}{
		{Vars{}, "", ""},
		{Vars{"HOME=/h"}, "/h/.config/hermes-sessions", "/h/.local/state/hermes-sessions"},
		{Vars{"HOME=/h", "XDG_CONFIG_HOME=/c", "XDG_STATE_HOME=relative"}, "/c/hermes-sessions", "/h/.local/state/hermes-sessions"},
	} {
		if config, state := c.vars.ConfigFolder(), c.vars.StateFolder(); config != c.config || state != c.state {
			t.Errorf("%q: %q and %q", c.vars, config, state)
		}
	}
}

func TestTerminalsThatShowOnlyASCII(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no locale in the environment")
	}
	for _, c := range []struct {
		vars Vars
		want bool
	}{
		{Vars{"TERM=xterm"}, true},
		{Vars{"LANG=en_US.UTF-8"}, true},
		{Vars{"LANG=en_US.UTF-8", "LC_ALL=C"}, false},
		{Vars{"LANG=C", "LC_CTYPE=C.utf8"}, true},
		{Vars{"LANG=de_DE.ISO-8859-1"}, false},
		{Vars{"TERM=linux", "LANG=en_US.UTF-8"}, false},
	} {
		if got := c.vars.Unicode(); got != c.want {
			t.Errorf("%q: %v", c.vars, got)
		}
	}
}
