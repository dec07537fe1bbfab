package uitest

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
)

// BareShell is a shell around nothing, for the tests of one screen: it draws, and carries
// nothing out.
type BareShell struct {
	env    shell.Env
	styles *theme.Styles
	Short  bool // no line is left for hints
}

// NewShell returns a shell with the dark theme.
func NewShell(env shell.Env) *BareShell {
	return &BareShell{env: env, styles: theme.New(theme.Dark, false)}
}

func (b *BareShell) Env() *shell.Env           { return &b.env }
func (b *BareShell) Styles() *theme.Styles     { return b.styles }
func (b *BareShell) Say(string) tea.Cmd        { return nil }
func (b *BareShell) Refuse(string) tea.Cmd     { return nil }
func (b *BareShell) Fail(error)                {}
func (b *BareShell) Open(shell.Dialog) tea.Cmd { return nil }
func (b *BareShell) Do(shell.Request) tea.Cmd  { return nil }
func (b *BareShell) Held() bool                { return false }
func (b *BareShell) Shown(shell.Screen) bool   { return true }
func (b *BareShell) HasFooter() bool           { return !b.Short }

// Press gives a screen a key by its name in the key map, as the root model does.
func (b *BareShell) Press(s shell.Screen, name string) tea.Cmd {
	key := KeyPress(name)
	if id, ok := b.env.Keys.Match(s.Context(), key); ok && !s.Claims(key) {
		for _, h := range s.Handlers() {
			if h.Action == id && h.Why == "" {
				return h.Do()
			}
		}
	}
	return s.Update(key)
}

// KeyPress makes the message of a key from its name in the key map.
func KeyPress(name string) tea.KeyPressMsg {
	var m tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		bit, known := map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		if !ok || !known {
			break
		}
		m.Mod |= bit
		name = rest
	}
	named := map[string]rune{
		"enter": tea.KeyEnter, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "esc": tea.KeyEscape, "space": tea.KeySpace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "delete": tea.KeyDelete,
		"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5,
	}
	if c, ok := named[name]; ok {
		m.Code = c
	} else {
		m.Code = []rune(name)[0]
		if m.Mod&^tea.ModShift == 0 {
			m.Text = name
		}
	}
	if name == "space" && m.Mod == 0 {
		m.Text = " "
	}
	return m
}
