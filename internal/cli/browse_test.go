package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/settings"
	"hermes-sessions/ui/shell"
)

// The key map and the call of Hermes follow the settings file.
func TestSettingsAreRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.toml")
	text := "preset = \"vim\"\ntheme = \"light\"\nascii = true\nmouse = false\nhermes = \"/opt/hermes\"\nhermes-args = [\"--yolo\"]\nafter-resume = \"return\"\n" +
		"[keys.list]\ncopy = \"f7\"\nrefresh = [\"f5\", \"f6\"]\npreview = []\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &app{}
	var err error
	if a.settings, err = settings.Read(file, nil); err != nil {
		t.Fatal(err)
	}
	keys, err := (browsing{}).keyMap(a)
	of := func(action shell.Action) string { return strings.Join(keys.Find(shell.InList, action).Keys, " ") }
	if err != nil || keys.Typing != shell.ActsAlways || of(shell.Copy) != "f7" || of(shell.Refresh) != "f5 f6" || of(shell.Preview) != "" {
		t.Errorf("%q, %q, %q: %v", of(shell.Copy), of(shell.Refresh), of(shell.Preview), err)
	}
	if c := a.hermesCommand(hermes.Location{}, "x", resumption{}); strings.Join(c.Words(), " ") != "/opt/hermes --yolo --resume x" || a.settings.After() != shell.Return {
		t.Errorf("%q, after %d", c.Words(), a.settings.After())
	}
}
