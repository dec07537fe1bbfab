package cli

import (
	"hermes-sessions/ui/shell"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestSettingsNameTheirFault(t *testing.T) {
	for text, want := range map[string]string{
		"colour = 1":                         `there is no setting "colour"`,
		"preset = \"emacs\"":                 "must be one of default, vim, upstream",
		"theme = \"pink\"":                   "must be one of auto, dark, light, ansi, mono",
		"after-resume = \"dance\"":           "must be one of leave, return, print",
		"ascii = true\nmouse = = 1":          "line 2: ",
		"ascii = \"yes\"":                    "ascii",
		"[keys.list]\ncopy = 3":              "keys.list.copy must be a key or a list of keys",
		"[keys.list]\ncopy = [\"f4\", 3]":    "keys.list.copy must be a key or a list of keys",
		"[keys]\nlist = \"f4\"":              "keys.list must be a table",
		"[keys.list.copy]\nkey = \"ctrl+l\"": "keys.list.copy must be a key or a list of keys",
	} {
		var s settings
		if err := s.parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestSettingsAreRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.toml")
	text := "preset = \"vim\"\ntheme = \"light\"\nascii = true\nmouse = false\nhermes = \"/opt/hermes\"\nhermes-args = [\"--yolo\"]\nafter-resume = \"return\"\n" +
		"[keys.list]\ncopy = \"f4\"\nrefresh = [\"f5\", \"f6\"]\npreview = []\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a := testApp()
	a.config = file
	var preset string
	var own shell.Overrides
	a.Keys = func(p string, _ bool, o shell.Overrides) (shell.Keys, error) {
		preset, own = p, o
		return shell.Keys{}, nil
	}
	if err := a.readSettings(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.keyMap(""); err != nil || preset != "vim" || strings.Join(own[shell.InList][shell.Copy], " ") != "f4" || len(own[shell.InList][shell.Refresh]) != 2 || own[shell.InList][shell.Preview] == nil {
		t.Errorf("%q %v %v", preset, own, err)
	}
	if c := a.hermesCommand(place{}, "x", resumption{}); strings.Join(c.words(), " ") != "/opt/hermes --yolo --resume x" || a.settings.after() != shell.Return {
		t.Errorf("%q, after %d", c.words(), a.settings.after())
	}
}

// The file lies in the user's folder for such things; a missing one is none,
// unless somebody named it.
func TestWhereSettingsAre(t *testing.T) {
	home := t.TempDir()
	a := testApp("HOME="+home, "APPDATA="+home)
	if err := a.readSettings(); err != nil || a.settings.file != "" {
		t.Errorf("a missing file: %v", err)
	}
	config := t.TempDir()
	if err := os.MkdirAll(filepath.Join(config, "hermes-sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "hermes-sessions", "config.toml"), []byte("ascii = true"), 0o600); err != nil {
		t.Fatal(err)
	}
	a = testApp("HOME="+home, "XDG_CONFIG_HOME="+config)
	if err := a.readSettings(); err != nil || !a.settings.ASCII {
		t.Errorf("not read: %v", err)
	}
	a = testApp("HOME="+home, "XDG_CONFIG_HOME="+config)
	a.config = "none"
	if err := a.readSettings(); err != nil || a.settings.ASCII {
		t.Errorf("read though none was wanted: %v", err)
	}
	a.config = filepath.Join(home, "gone.toml")
	if err := a.readSettings(); err == nil || explain(err).code != 2 || !strings.Contains(err.Error(), "gone.toml") {
		t.Errorf("a named file that is missing: %v", err)
	}
	if runtime.GOOS == "linux" {
		if got := testApp("HOME=/h", "XDG_CONFIG_HOME=relative").userFolder("XDG_CONFIG_HOME", ".config", "APPDATA", "x"); got != "/h/.config/hermes-sessions" {
			t.Error(got)
		}
	}
}
