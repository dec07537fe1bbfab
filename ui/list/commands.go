package list

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
)

// Commands are what the list does by words beside its actions: filters and
// orders. It implements [shell.Commander].
func (l *Screen) Commands() []shell.Command {
	out := append(l.named.commands(), l.filterCommands()...)
	for by := query.ByActivity; by <= query.ByRelevance; by++ {
		c := shell.Command{Words: "sort " + by.String(), Help: "Sort " + strings.ToLower(sortName(by)), Do: func() tea.Cmd {
			l.filters.orderBy(by, l.question().Searching())
			return l.ask(FirstPage)
		}}
		if by == query.ByRelevance && !l.question().Searching() {
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
func (l *Screen) LoadCommands() tea.Cmd { return l.facets.count(&l.filters) }

// filterCommands are the scopes, sources and folders to choose from.
func (l *Screen) filterCommands() []shell.Command {
	ask := func() tea.Cmd { return l.ask(FirstPage) }
	out := l.filters.scopeCommands(l.facets.counted, ask)
	// What could be deleted is a part of the history too, although letters act
	// there: a screen of its own, and no step of the key that goes through the
	// scopes.
	if can := cleanUp(l.sh); can.Offered() {
		out = append(out, shell.Command{Words: "scope to clean up", Help: "Show clutter and inactive conversations", Why: can.Why, Do: can.Do})
	}
	return append(out, l.filters.sourceCommands(l.facets.counted, ask)...)
}

// cleanUp opens the screen of what could be deleted.
func cleanUp(sh shell.Shell) shell.Handler {
	return shell.NewHandler(shell.CleanUp, sh.Env().WhyUnchangeable(""), func() tea.Cmd { return sh.Do(shell.OpenScreen{In: shell.InCleanup}) })
}
