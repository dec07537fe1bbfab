package list

import (
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// maxHistory is how many queries are remembered.
const maxHistory = 100

// remember keeps a query that led somewhere, newest first, each once.
func (l *Screen) remember(query string) {
	query = strings.TrimSpace(query)
	if query == "" {
		return
	}
	l.History = slices.DeleteFunc(l.History, func(q string) bool { return q == query })
	l.History = slices.Insert(l.History, 0, query)
	l.History = l.History[:min(len(l.History), maxHistory)]
}

// historyMenu lists earlier queries; the chosen one is typed again.
func (l *Screen) historyMenu() shell.OpenMenu {
	m := shell.OpenMenu{Title: "Earlier queries", Toggle: shell.History}
	for i, q := range l.History {
		letter := ""
		if i < 9 {
			letter = strconv.Itoa(i + 1)
		}
		m.Entries = append(m.Entries, shell.Entry{Letter: letter, Label: kit.CleanLine(q), Do: func() tea.Cmd {
			l.Prompt.Put(0, len(l.Prompt.Text()), kit.CleanLine(q))
			return l.edited(true)
		}})
	}
	return m
}

// Queries gives those that led somewhere, newest first; led says that the one
// that is typed has.
func (l *Screen) Queries(led bool) []string {
	if led {
		l.remember(l.Prompt.Text())
	}
	return slices.Clone(l.History)
}

// Listed is what the list shows when nothing is looked for.
func (l *Screen) Listed() query.ListOptions {
	return query.ListOptions{Scope: l.Scope, Order: l.Sort, Sources: l.sources, CWD: l.folder}
}
