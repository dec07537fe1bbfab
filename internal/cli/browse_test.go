package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/ui/shell"
)

// The key map and the call of Hermes follow the settings file.
func TestSettingsAreRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.toml")
	text := "preset = \"vim\"\ntheme = \"light\"\nascii = true\nmouse = false\nhermes = \"/opt/hermes\"\nhermes-args = [\"--yolo\"]\nafter-resume = \"return\"\n" +
		"[keys.list]\ncopy = \"f4\"\nreload = [\"f5\", \"f6\"]\npreview = []\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &app{}
	var err error
	var preset string
	var own shell.Overrides
	a.Keys = func(p string, _ bool, o shell.Overrides, _ []shell.Binding) (shell.Keys, error) {
		preset, own = p, o
		return shell.Keys{}, nil
	}
	if a.settings, err = state.ReadSettings(file, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := (browsing{}).keyMap(a); err != nil || preset != "vim" || strings.Join(own[shell.InList][shell.Copy], " ") != "f4" || len(own[shell.InList][shell.Reload]) != 2 || own[shell.InList][shell.Preview] == nil {
		t.Errorf("%q %v %v", preset, own, err)
	}
	if c := a.hermesCommand(hermes.Location{}, "x", resumption{}); strings.Join(c.Words(), " ") != "/opt/hermes --yolo --resume x" || a.settings.After() != shell.Return {
		t.Errorf("%q, after %d", c.Words(), a.settings.After())
	}
}
