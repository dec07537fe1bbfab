package list

import (
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// commands are what the list does by words beside its actions.
func (l *Screen) Commands() []shell.Command {
	out := l.filterCommands()
	for by := query.ByActivity; by <= query.ByRelevance; by++ {
		c := shell.Command{Words: "sort " + by.String(), Help: "Order the list: " + strings.ToLower(sortName(by)), Do: func() tea.Cmd {
			if l.Question().Searching() {
				l.Order = by
			} else {
				l.Sort = by
			}
			return l.ask(FirstPage)
		}}
		if by == query.ByRelevance && !l.Question().Searching() {
			c.Why = "nothing is searched for"
		}
		out = append(out, c)
	}
	return out
}
