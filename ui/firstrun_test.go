package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/theme"
)

// The screen of the first run, where there is room and where there is hardly any.
func TestFirstRunScreens(t *testing.T) {
	t.Parallel()
	looked := LookedFor{Database: "/home/sam/.hermes/state.db", Profile: "default"}
	for _, size := range [][2]int{{30, 8}, {60, 20}, {80, 24}, {24, 5}, {10, 2}} {
		f := NewFirstRun(theme.Setup{Theme: "auto"}, true, looked)
		f.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		screen := ansi.Strip(f.View().Content)
		for i, line := range strings.Split(screen, "\n") {
			if wide := ansi.StringWidth(line); wide > size[0] || i >= size[1] {
				t.Errorf("%v: line %d has %d columns", size, i, wide)
			}
		}
		if size[0] >= 24 && !strings.Contains(screen, "q quit") {
			t.Errorf("%v: no keys in\n%s", size, screen)
		}
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) { golden.RequireEqual(t, screen) })
	}
}

// Each key ends it with its choice; others do nothing.
func TestFirstRunKeys(t *testing.T) {
	t.Parallel()
	for key, want := range map[tea.KeyPressMsg]FirstRunChoice{
		{Code: 'd', Text: "d"}:        FirstRunDemo,
		{Code: 'q', Text: "q"}:        FirstRunQuit,
		{Code: tea.KeyEscape}:         FirstRunQuit,
		{Code: 'c', Mod: tea.ModCtrl}: FirstRunCanceled,
	} {
		f := NewFirstRun(theme.Setup{Theme: "auto"}, true, LookedFor{})
		if _, cmd := f.Update(tea.KeyPressMsg{Code: tea.KeyEnter}); cmd != nil {
			t.Error("enter ends it")
		}
		if _, cmd := f.Update(key); cmd == nil || f.Choice() != want {
			t.Errorf("%s: %d, want %d", key, f.Choice(), want)
		}
	}
}

// Its keys can be clicked; nothing else can.
func TestTheKeysOfTheFirstRunCanBeClicked(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{30, 8}, {80, 24}} {
		for text, want := range map[string]FirstRunChoice{"demo": FirstRunDemo, "quit": FirstRunQuit, "No Hermes": FirstRunCanceled} {
			f := NewFirstRun(theme.Setup{Theme: "auto"}, true, LookedFor{Database: "/home/sam/.hermes/state.db"})
			f.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			f.choice = FirstRunCanceled
			for y, line := range strings.Split(ansi.Strip(f.View().Content), "\n") {
				if before, _, ok := strings.Cut(line, text); ok {
					f.Update(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: y, Button: tea.MouseLeft})
				}
			}
			if f.Choice() != want {
				t.Errorf("%v: a click on %q chooses %d, want %d", size, text, f.Choice(), want)
			}
		}
	}
}
