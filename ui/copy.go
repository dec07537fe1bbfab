package ui

import (
	tea "charm.land/bubbletea/v2"
)

// newCopyMenu offers what can be copied of a conversation. Terminals do not
// tell whether they took it, so neither do we.
func newCopyMenu(r *Root, it *item) *menu {
	give := func(letter, label, text string) entry {
		e := entry{letter: letter, label: label, note: text, do: func() tea.Cmd {
			return tea.Batch(tea.SetClipboard(text), r.say("sent to the terminal's clipboard: "+text))
		}}
		if text == "" {
			e.note, e.why = "it has none", "this conversation has no title"
		}
		return e
	}
	id := CleanLine(it.ID)
	return &menu{root: r, title: "Copy", toggle: Copy, entries: []entry{
		give("i", "id", id),
		give("c", "resume command", r.opt.Command(it.ID)),
		give("t", "title", it.Title),
	}}
}
