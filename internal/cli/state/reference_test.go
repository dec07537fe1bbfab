package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The reference names every setting, changes nothing as it is, and is valid with every # removed.
func TestTheReferenceHasEverySetting(t *testing.T) {
	t.Parallel()
	var none, all Settings
	if err := none.parse(Reference); err != nil || !reflect.DeepEqual(none, Settings{}) {
		t.Errorf("%+v, %v", none, err)
	}
	var b strings.Builder
	for line := range strings.Lines(Reference) {
		if strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "# ") {
			line = line[1:]
		}
		b.WriteString(line)
	}
	if err := all.parse(b.String()); err != nil {
		t.Fatal(err)
	}
	comments := Comments()
	for _, name := range SettingNames() {
		if comments[name] == "" {
			t.Errorf("%s has no comment", name)
		}
	}
	if all.Preset != "default" || all.Theme != "auto" || len(all.Own) != 1 || all.Order != "active" || all.Mouse == nil || !*all.Mouse {
		t.Errorf("%+v", all)
	}
}

// A new file is written where there is none; one that is there stays, whatever it is.
func TestASettingsFileIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new", "config.toml")
	if err := InitSettings(file); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != Reference {
		t.Errorf("%q, %v", text, err)
	}
	link := filepath.Join(t.TempDir(), "config.toml")
	if err := os.Symlink("/nonexistent/elsewhere.toml", link); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, file := range []string{file, link} {
		if err := InitSettings(file); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
