package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// facets are the parts of the history that the list can be confined to, with
// the number of conversations in each.
type facets struct {
	scopes  []int              // by scope, under the sources and the folder in force; nil while unknown
	sources []query.FieldValue // the most frequent first
	folders []query.FieldValue
}

// readFacets counts. sources and folder are those in force.
func readFacets(ctx context.Context, lib Library, q query.ListOptions) (facets, error) {
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
func (l *list) Learn() tea.Cmd {
	return l.counting.ask(query.ListOptions{Sources: l.sources, CWD: l.folder})
}

// landFacets takes what was counted, and gives it to the box that waits.
func (l *list) landFacets(m landed[query.ListOptions, facets]) tea.Cmd {
	ok, next := l.counting.land(m)
	if ok && m.err == nil {
		l.facets = m.answer
	}
	return tea.Batch(next, l.sh.Do(RefillPalette{}))
}

// confine puts another filter in force.
func (l *list) confine(change func()) func() tea.Cmd {
	return func() tea.Cmd {
		change()
		return l.ask(firstPage)
	}
}

// filterCommands are the scopes, sources and folders to choose from.
func (l *list) filterCommands() []Command {
	out := l.scopeCommands()
	add := func(words, help string, n int, on bool, change func()) {
		c := Command{Words: CleanLine(words), Help: help, Do: l.confine(change), On: on}
		if n >= 0 {
			c.Note = count(n)
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
func (l *list) scopeCommands() []Command {
	var out []Command
	for _, sc := range model.Scopes() {
		c := Command{Words: "scope " + sc.String(), Help: "Show " + scopeWhere(sc), On: l.scope == sc, Do: l.confine(func() { l.scope = sc })}
		if l.facets.scopes != nil {
			c.Note = count(l.facets.scopes[sc])
		}
		out = append(out, c)
	}
	// What could go is a part of the history too, though letters act there: a
	// screen of its own, and no step of the key that goes through the scopes.
	if can := l.cleanUp(); can.offered() {
		out = append(out, Command{Words: "scope to clean up", Help: "Show what nobody misses, and what is old", Why: can.Why, Do: can.Do})
	}
	return out
}

// cleanUp leads to the screen of what could go.
func (l *list) cleanUp() Handler {
	return newHandler(CleanUp, l.env.changing(""), func() tea.Cmd { return l.sh.Do(OpenCleanup{}) })
}
