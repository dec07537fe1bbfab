package list

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// facets are the parts of the history that the list can be confined to, with
// the number of conversations in each.
type facets struct {
	scopes  []int              // by scope, under the sources and the folder in force; nil while unknown
	sources []query.FieldValue // the most frequent first
	folders []query.FieldValue
}

// readFacets counts. sources and folder are those in force.
func readFacets(ctx context.Context, lib shell.Library, q query.ListOptions) (facets, error) {
	var f facets
	for _, sc := range model.Scopes() {
		page, err := lib.Conversations(ctx, query.ListOptions{Scope: sc, Sources: q.Sources, CWD: q.CWD, Limit: 1})
		if err != nil {
			return f, err
		}
		f.scopes = append(f.scopes, page.Total)
	}
	var err error
	if f.sources, err = lib.FieldValues(ctx, query.FieldSource); err != nil {
		return f, err
	}
	f.folders, err = lib.FieldValues(ctx, query.FieldCWD)
	return f, err
}

// learn asks for the facets anew: they are wanted by a box that is open.
func (l *Screen) Learn() tea.Cmd {
	return l.counting.Ask(query.ListOptions{Sources: l.sources, CWD: l.folder})
}

// landFacets takes what was counted, and gives it to the box that waits.
func (l *Screen) landFacets(m kit.Answer[query.ListOptions, facets]) tea.Cmd {
	ok, next := l.counting.Take(m)
	if ok && m.Err == nil {
		l.facets = m.Value
	}
	return tea.Batch(next, l.Sh.Do(shell.RefillPalette{}))
}

// confine puts another filter in force.
func (l *Screen) confine(change func()) func() tea.Cmd {
	return func() tea.Cmd {
		change()
		return l.ask(FirstPage)
	}
}

// filterCommands are the scopes, sources and folders to choose from.
func (l *Screen) filterCommands() []shell.Command {
	out := l.scopeCommands()
	add := func(words, help string, n int, on bool, change func()) {
		c := shell.Command{Words: kit.CleanLine(words), Help: help, Do: l.confine(change), On: on}
		if n >= 0 {
			c.Note = kit.Count(n)
		}
		out = append(out, c)
	}
	if len(l.sources) > 0 {
		add("source all", "Show all sources again", -1, false, func() { l.sources = nil })
	}
	for _, v := range l.facets.sources {
		on := slices.Contains(l.sources, v.Value)
		help := "Show what came from there"
		switch {
		case on:
			help = "Leave it out again"
		case len(l.sources) > 0:
			help = "Show this as well"
		}
		add("source "+v.Value, help, v.Conversations, on, func() {
			// A new slice each time: a question that is being answered has the old.
			if on {
				l.sources = slices.DeleteFunc(slices.Clone(l.sources), func(s string) bool { return s == v.Value })
			} else {
				l.sources = append(slices.Clone(l.sources), v.Value)
			}
		})
	}
	if l.folder != "" {
		add("folder all", "Show all folders again", -1, false, func() { l.folder = "" })
	}
	for _, v := range l.facets.folders {
		add("folder "+v.Value, "Show what was said there", v.Conversations, l.folder == v.Value, func() { l.folder = v.Value })
	}
	return out
}

// scopeCommands are the scopes to choose from.
func (l *Screen) scopeCommands() []shell.Command {
	var out []shell.Command
	for _, sc := range model.Scopes() {
		c := shell.Command{Words: "scope " + sc.String(), Help: "Show " + kit.ScopeName(sc), On: l.Scope == sc, Do: l.confine(func() { l.Scope = sc })}
		if l.facets.scopes != nil {
			c.Note = kit.Count(l.facets.scopes[sc])
		}
		out = append(out, c)
	}
	// What could go is a part of the history too, though letters act there: a
	// screen of its own, and no step of the key that goes through the scopes.
	if can := l.cleanUp(); can.Offered() {
		out = append(out, shell.Command{Words: "scope to clean up", Help: "Show what nobody misses, and what is old", Why: can.Why, Do: can.Do})
	}
	return out
}

// cleanUp leads to the screen of what could go.
func (l *Screen) cleanUp() shell.Handler {
	return shell.NewHandler(shell.CleanUp, l.Env.Changing(""), func() tea.Cmd { return l.Sh.Do(shell.OpenCleanup{}) })
}
