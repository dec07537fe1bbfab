package shell

import tea "charm.land/bubbletea/v2"

// CopyEntry is a line of a copy menu for an id, a command or a folder; missing says why there
// is nothing.
func CopyEntry(sh Shell, letter, label, text, missing string) Entry {
	e := Entry{Letter: letter, Label: label, Note: text, Do: func() tea.Cmd { return sh.Do(CopyText{Text: text, What: text, Exact: true}) }}
	if text == "" {
		e.Note, e.Why = missing, missing
	}
	return e
}
