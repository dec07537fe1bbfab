package uitest

import (
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
func KeyPress(name string) tea.KeyPressMsg { return shell.Press(name) }
