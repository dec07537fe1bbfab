package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// What the settings say about colors and columns holds when the editor has ended; a file that is
// wrong changes nothing and is told.
func TestSettingsHoldAfterTheEditor(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		look, wrong := shell.Look{Theme: "mine", Themes: []theme.Theme{theme.Own("mine", "harbor", map[string]string{"accent": "#ABCDEF"})}, Columns: []string{"id", "age"}}, error(nil)
		plug := func(o *Options) {
			o.Outside.Settings = func(context.Context) tea.ExecCommand { return does(func() error { return nil }) }
			o.Outside.Look = func() (shell.Look, error) { return look, wrong }
		}
		d := start(t, lib, 140, 30, plug).sees("Msgs", "Source")
		d.keys("ctrl+x").sees(",  settings").keys("esc")
		d.send(settingsEdited{look: look})
		d.sees("Settings read", "ID").misses("Msgs", "Source")
		if d.root.styles.Palette.Accent != "#ABCDEF" {
			t.Error("the colors did not change")
		}
		d.types(":").types("theme mine").sees("Your own, on harbor").keys("esc")
		d.send(settingsEdited{wrong: errors.New("line 3: there is no column")})
		d.sees("ine 3: there is no column", "ID").misses("Msgs")
		d.keys("esc")
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 140, 30, func(o *Options) { o.Columns = []string{"folder", "messages"} })
		d.sees("Folder        Msgs").misses("Age", "Source")
		d.types(":").types("sort cost").keys("enter").sees("Cost  Folder")
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 30)
		d.types(":").types("settings").sees("there is no settings file here")
		if !strings.Contains(d.screen(), "settings") {
			t.Error("it is not found")
		}
	})
}
