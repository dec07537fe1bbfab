package ui

import (
	"hermes-sessions/model/query"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// commands are what the list does by words beside its actions.
func (l *list) Commands() []Command {
	out := l.filterCommands()
	for by := query.ByActivity; by <= query.ByRelevance; by++ {
		c := Command{Words: "sort " + by.String(), Help: "Order the list: " + strings.ToLower(sortName(by)), Do: func() tea.Cmd {
			if l.question().searching() {
				l.order = by
			} else {
				l.sort = by
			}
			return l.ask(firstPage)
		}}
		if by == query.ByRelevance && !l.question().searching() {
			c.Why = "nothing is searched for"
		}
		out = append(out, c)
	}
	return out
}
