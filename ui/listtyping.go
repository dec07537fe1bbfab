package ui

import tea "charm.land/bubbletea/v2"

// mode is how the list stands to typing.
type mode struct{ acting bool } // printable keys act

// begin and end typing. In a list that always searches there is nothing to
// begin; the keys for it are habits.
func (l *list) beginTyping() tea.Cmd {
	l.mode.acting = false
	return nil
}

// endTyping reports whether typing was on, in a list where it can be off.
func (l *list) endTyping() bool {
	if l.env.Keys.typing != ActsAlways || l.mode.acting {
		return false
	}
	l.mode.acting = true
	return true
}

// acts reports whether a printable key is an action just now.
func (l *list) acts(msg tea.KeyPressMsg) bool {
	if l.mode.acting {
		return true
	}
	if !l.prompt.empty() || msg.Mod.Contains(tea.ModAlt) || l.env.Keys.typing == ActsAlways {
		return false
	}
	_, bound := l.env.Keys.match(InList, msg)
	return bound
}
