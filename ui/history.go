package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// maxHistory is how many queries are remembered.
const maxHistory = 100

// remember keeps a query that led somewhere, newest first, each once.
func (r *Root) remember(query string) {
	query = strings.TrimSpace(query)
	if query == "" {
		return
	}
	r.history = slices.DeleteFunc(r.history, func(q string) bool { return q == query })
	r.history = slices.Insert(r.history, 0, query)
	r.history = r.history[:min(len(r.history), maxHistory)]
}

// History gives the queries that led somewhere, newest first; call it when the
// program has ended.
func (r *Root) History() []string {
	if l, ok := r.screens[0].(*list); ok && r.out.ID != "" {
		r.remember(l.prompt.text())
	}
	return slices.Clone(r.history)
}

// newHistory lists earlier queries; the chosen one is typed again.
func newHistory(l *list) *menu {
	m := &menu{root: l.root, title: "Earlier queries", toggle: History}
	for i, q := range l.root.history {
		letter := ""
		if i < 9 {
			letter = strconv.Itoa(i + 1)
		}
		m.entries = append(m.entries, entry{letter: letter, label: CleanLine(q), do: func() tea.Cmd {
			l.prompt.put(0, len(l.prompt.text()), CleanLine(q))
			return l.edited(true)
		}})
	}
	return m
}
