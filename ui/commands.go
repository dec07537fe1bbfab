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
		c := command{words: "sort " + sortWord(by), help: "Order the list: " + strings.ToLower(sortName(by)), do: func() tea.Cmd {
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

// scopeWord is the word of a scope on the command line and in commands.
func scopeWord(sc model.Scope) string {
	return [...]string{"conversations", "automation", "subagents", "archived", "all"}[sc]
}

// sortWord is the word of an order on the command line and in commands.
func sortWord(by model.Sort) string {
	return [...]string{"active", "started", "title", "messages", "cost", "relevance"}[by]
}
