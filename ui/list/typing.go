package list

import (
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// typingMode is how the list stands to typing.
type typingMode struct{ acting bool } // printable keys act

// begin and end typing. In a list that always searches there is nothing to
// begin; the keys for it are habits.
func (l *Screen) beginTyping() tea.Cmd {
	l.mode.acting = false
	return nil
}

// endTyping reports whether typing was on, in a list where it can be off.
func (l *Screen) endTyping() bool {
	if l.Env.Keys.Typing != shell.ActsAlways || l.mode.acting {
		return false
	}
	l.mode.acting = true
	return true
}

// acts reports whether a printable key is an action just now.
func (l *Screen) acts(msg tea.KeyPressMsg) bool {
	if l.mode.acting {
		return true
	}
	if !l.Prompt.Empty() || msg.Mod.Contains(tea.ModAlt) || l.Env.Keys.Typing == shell.ActsAlways {
		return false
	}
	_, bound := l.Env.Keys.Match(shell.InList, msg)
	return bound
}
