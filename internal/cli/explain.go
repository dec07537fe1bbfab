package cli

import (
	"fmt"
	"strings"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model/query"
)

// languageHelp returns the part of the help texts that explains the query language.
func languageHelp() string {
	var b strings.Builder
	b.WriteString(`Words must all match; "a phrase", -without, one OR other, begin*. Filters stand
beside them, each negated by a minus; - first in the line goes after --:
`)
	for _, w := range query.Fields() {
		fmt.Fprintf(&b, "  %-8s %s\n", string(w.Field)+":", w.Help)
		if !w.OpenEnded {
			fmt.Fprintf(&b, "  %-8s %s\n", "", strings.Join(w.Values, ", "))
		}
	}
	b.WriteString("Days are today, yesterday, 7d, 2w, 3mo, 1y, 2026, 2026-05, 2026-05-03; numbers take k and m.")
	return b.String()
}

// explanation says how a query was parsed and by which steps it was answered.
type explanation struct {
	Query   string            `json:"query"` // in its normal form
	Groups  []explainedGroup  `json:"groups"`
	Filters []explainedFilter `json:"filters"`
	Hints   []string          `json:"hints"`
	Route   []string          `json:"route"`
}

// explainedGroup is one of the alternatives of a query: its terms and its negated
// terms.
type explainedGroup struct {
	All  []string `json:"all"`
	None []string `json:"none"`
}

// explainedFilter is a filter, and what it means today.
type explainedFilter struct {
	Filter  string `json:"filter"`
	Meaning string `json:"meaning"`
}

// explain returns the explanation of a query that was answered by the steps of a
// plan.
func (a *app) explain(q query.Query, plan []string) *explanation {
	e := &explanation{
		Query: q.String(), Groups: []explainedGroup{}, Filters: []explainedFilter{},
		Hints: append([]string{}, q.Hints()...), Route: append([]string{}, plan...),
	}
	for _, g := range q.Groups {
		w := explainedGroup{All: []string{}, None: []string{}}
		for _, t := range g.All {
			w.All = append(w.All, query.FormatTerm(t))
		}
		for _, t := range g.Not {
			w.None = append(w.None, query.FormatTerm(t))
		}
		e.Groups = append(e.Groups, w)
	}
	for _, f := range q.Filters {
		e.Filters = append(e.Filters, explainedFilter{f.String(), f.Describe(a.Now())})
	}
	return e
}

// print writes the explanation as text; nil writes nothing.
func (e *explanation) print(a *app) {
	if e == nil {
		return
	}
	line := func(name, text string) { fmt.Fprintf(a.out, "%-7s %s\n", name, output.Clean(text)) }
	line("query", e.Query)
	for i, g := range e.Groups {
		name := "words"
		if i > 0 {
			name = "or"
		}
		text := strings.Join(g.All, " and ")
		if len(g.None) > 0 {
			text += " without " + strings.Join(g.None, ", ")
		}
		line(name, text)
	}
	for _, f := range e.Filters {
		line("filter", f.Filter+" ("+f.Meaning+")")
	}
	for _, h := range e.Hints {
		line("hint", h)
	}
	for _, r := range e.Route {
		line("route", r)
	}
	fmt.Fprintln(a.out)
}

// hints prints a note for each filter that the database cannot answer.
func (a *app) hints(all []string) {
	for _, h := range all {
		a.printNote("filter", h, "")
	}
}
