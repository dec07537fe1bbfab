package ui

import (
	"strings"

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
		give("c", "resume command", "hermes --resume "+shellWord(id)),
		give("t", "title", it.Title),
	}}
}

// shellWord writes a text so that a shell takes it as one word.
func shellWord(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/@%+,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
