package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// commands are what the list does by words beside its actions.
func (l *list) commands() []command {
	out := l.filterCommands()
	for by := model.ByActivity; by <= model.ByRelevance; by++ {
		c := command{words: "sort " + by.String(), help: "Order the list: " + strings.ToLower(sortName(by)), do: func() tea.Cmd {
			if l.question().searching() {
				l.order = by
			} else {
				l.sort = by
			}
			return l.ask(firstPage)
		}}
		if by == model.ByRelevance && !l.question().searching() {
			c.why = "nothing is searched for"
		}
		out = append(out, c)
	}
	return out
}
