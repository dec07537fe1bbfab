package ui

import (
	"hermes-sessions/model/query"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// maxHistory is how many queries are remembered.
const maxHistory = 100

// remember keeps a query that led somewhere, newest first, each once.
func (l *list) remember(query string) {
	query = strings.TrimSpace(query)
	if query == "" {
		return
	}
	l.history = slices.DeleteFunc(l.history, func(q string) bool { return q == query })
	l.history = slices.Insert(l.history, 0, query)
	l.history = l.history[:min(len(l.history), maxHistory)]
}

// historyMenu lists earlier queries; the chosen one is typed again.
func (l *list) historyMenu() OpenMenu {
	m := OpenMenu{Title: "Earlier queries", Toggle: History}
	for i, q := range l.history {
		letter := ""
		if i < 9 {
			letter = strconv.Itoa(i + 1)
		}
		m.Entries = append(m.Entries, Entry{Letter: letter, Label: CleanLine(q), Do: func() tea.Cmd {
			l.prompt.put(0, len(l.prompt.text()), CleanLine(q))
			return l.edited(true)
		}})
	}
	return m
}

// queries gives those that led somewhere, newest first; led says that the one
// that is typed has.
func (l *list) queries(led bool) []string {
	if led {
		l.remember(l.prompt.text())
	}
	return slices.Clone(l.history)
}

// listed is what the list shows when nothing is looked for.
func (l *list) listed() query.ListOptions {
	return query.ListOptions{Scope: l.scope, Order: l.sort, Sources: l.sources, CWD: l.folder}
}
