package list

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/shell"
)

// typingMode says whether printable keys are typed into the query or act. Only
// with vi's keys can it be switched.
type typingMode struct {
	keys   shell.Keys
	acting bool // printable keys act
}

func newTypingMode(keys shell.Keys, query string) typingMode {
	return typingMode{keys, keys.Typing == shell.ActsAlways && query == ""}
}

// begin begins typing. In a list that always searches it changes nothing.
func (m *typingMode) begin() { m.acting = false }

// end ends typing, and reports whether it was on in a list where it can be
// off.
func (m *typingMode) end() bool {
	if m.keys.Typing != shell.ActsAlways || m.acting {
		return false
	}
	m.acting = true
	return true
}

// acts reports whether a printable key is an action now; empty says that
// nothing is typed yet.
func (m *typingMode) acts(msg tea.KeyPressMsg, empty bool) bool {
	if m.acting {
		return true
	}
	if !empty || msg.Mod.Contains(tea.ModAlt) || m.keys.Typing == shell.ActsAlways {
		return false
	}
	_, bound := m.keys.Match(shell.InList, msg)
	return bound
}
