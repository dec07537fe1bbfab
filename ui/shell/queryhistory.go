package shell

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/kit"
)

// maxHistory is how many queries are remembered.
const maxHistory = 100

// QueryHistory are the queries that led to a conversation, newest first.
type QueryHistory []string

// Add remembers a query, each once.
func (h *QueryHistory) Add(query string) {
	query = strings.TrimSpace(query)
	if query == "" {
		return
	}
	all := slices.DeleteFunc(*h, func(q string) bool { return q == query })
	all = slices.Insert(all, 0, query)
	*h = all[:min(len(all), maxHistory)]
}

// Menu lists the queries; choose is given the one that is to be typed again.
func (h QueryHistory) Menu(choose func(query string) tea.Cmd) OpenMenu {
	m := OpenMenu{Title: "Earlier queries", Toggle: EarlierQueries}
	for i, q := range h {
		letter := ""
		if i < 9 {
			letter = strconv.Itoa(i + 1)
		}
		m.Entries = append(m.Entries, Entry{Letter: letter, Label: kit.CleanLine(q), Do: func() tea.Cmd { return choose(kit.CleanLine(q)) }})
	}
	return m
}
