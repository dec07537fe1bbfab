package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/shell"
)

// dialogStack are the dialogs over the screen; the last takes the keys.
type dialogStack []shell.Dialog

// top is the dialog that takes the keys. There must be one.
func (s dialogStack) top() shell.Dialog { return s[len(s)-1] }

// update hands a message to the dialog on top.
func (s *dialogStack) update(msg tea.Msg) tea.Cmd {
	d := s.top()
	done, then := d.Update(msg)
	if done {
		s.remove(d)
	}
	return then
}

// remove takes a dialog off the stack. It may no longer be on top: it may have
// opened another one.
func (s *dialogStack) remove(d shell.Dialog) {
	if i := slices.Index(*s, d); i >= 0 {
		*s = append((*s)[:i:i], (*s)[i+1:]...)
	}
}
