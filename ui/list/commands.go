package list

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
)

// Commands are what the list does by words beside its actions: filters and
// orders. It implements [shell.Commander].
func (s *Screen) Commands() []shell.Command {
	out := append(s.named.commands(), s.filterCommands()...)
	for by := query.ByActivity; by <= query.ByRelevance; by++ {
		c := shell.Command{Words: "sort " + by.String(), Help: "Sort " + strings.ToLower(sortName(by)), Do: func() tea.Cmd {
			s.filters.orderBy(by, s.rowsQuery().searching())
			return s.ask(FirstPage)
		}}
		if by == query.ByRelevance && !s.rowsQuery().searching() {
			c.Why = "only for a search"
		}
		out = append(out, c)
	}
	return out
}

// The root looks for it by a type assertion, which nothing else would miss.
var _ shell.Commander = (*Screen)(nil)

// LoadCommands counts what the commands show beside scopes, sources and folders. It
// implements [shell.Commander].
func (s *Screen) LoadCommands() tea.Cmd { return s.facets.count(&s.filters) }

// filterCommands are the scopes, sources and folders to choose from.
func (s *Screen) filterCommands() []shell.Command {
	ask := func() tea.Cmd { return s.ask(FirstPage) }
	out := s.filters.scopeCommands(s.facets.counted, ask)
	// What could be deleted is a part of the history too, although letters act
	// there: a screen of its own, and no step of the key that goes through the
	// scopes.
	if can := cleanUp(s.sh); can.Offered() {
		out = append(out, shell.Command{Words: "scope to clean up", Help: "Show clutter and inactive conversations", Why: can.Why, Do: can.Do})
	}
	return append(out, s.filters.sourceCommands(s.facets.counted, ask)...)
}

// cleanUp opens the screen of what could be deleted.
func cleanUp(sh shell.Shell) shell.Handler {
	return shell.NewHandler(shell.CleanUp, sh.Env().WhyUnchangeable(""), func() tea.Cmd { return sh.Do(shell.OpenSpace{Tab: shell.CleanUp}) })
}
