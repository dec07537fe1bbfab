package cli

import (
	"fmt"
	"strings"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// languageHelp returns the part of the help texts that explains the query language.
func languageHelp() string {
	var b strings.Builder
	b.WriteString(`A query has words, "a phrase", -without, one OR other, prefix*, and filters beside
them or alone. A leading minus negates a filter. Put -- before a query that begins
with a minus. The filters:
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

	// Of a search for conversations:
	Tiers   []explainedTier `json:"tiers,omitempty"`
	Words   []explainedWord `json:"words,omitempty"`   // by which the closest were ranked
	Skipped []string        `json:"skipped,omitempty"` // function words, by which they were not
}

// explainedTier is a part of the results.
type explainedTier struct {
	Match         string `json:"match"` // all or close
	Conversations int    `json:"conversations"`
}

// explainedWord says where a word stands, and in which forms it was looked for.
type explainedWord struct {
	Word          string          `json:"word"`
	Conversations int             `json:"conversations"` // that have it in any of the forms
	Forms         []string        `json:"forms,omitempty"`
	Corrected     bool            `json:"corrected,omitempty"` // the forms are corrected spellings
	Inside        bool            `json:"inside,omitempty"`    // also looked for inside longer words
	Parts         []explainedWord `json:"parts,omitempty"`     // instead of the whole
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

// addRanking adds how the closest conversations were found.
func (e *explanation) addRanking(found model.SearchResults) {
	e.Tiers = []explainedTier{{matchNames[false], found.Conversations}, {matchNames[true], found.Close}}
	e.Words, e.Skipped = explainWords(found.CloseWords), found.FunctionWords
}

// explainWords returns the words of a ranking for an explanation.
func explainWords(words []model.WordReading) (out []explainedWord) {
	for _, w := range words {
		out = append(out, explainedWord{w.Word, w.Conversations, w.Forms, w.Corrected, w.Inside, explainWords(w.Parts)})
	}
	return out
}

// String says in how many conversations the word stands, and how it was looked for.
func (w explainedWord) String() string {
	count := "in no conversation"
	if w.Conversations > 0 {
		count = "in " + output.Count(w.Conversations, "conversation", "conversations")
	}
	switch {
	case len(w.Parts) > 0:
		parts := make([]string, len(w.Parts))
		for i, p := range w.Parts {
			parts[i] = fmt.Sprintf("%s in %d", p.Word, p.Conversations)
		}
		return w.Word + ": in no conversation as a whole; its parts: " + strings.Join(parts, ", ")
	case w.Corrected:
		return fmt.Sprintf("%s: in no conversation; read as %s, %s", w.Word, strings.Join(w.Forms, ", "), count)
	case w.Inside && w.Conversations > 0:
		return w.Word + ": in no conversation by itself; inside longer words " + count
	case len(w.Forms) > 0:
		return fmt.Sprintf("%s: %s, also as %s", w.Word, count, strings.Join(w.Forms, ", "))
	}
	return w.Word + ": " + count
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
	if len(e.Tiers) == 2 {
		line("all", output.Count(e.Tiers[0].Conversations, "conversation", "conversations")+" with all words in one message, or in the title")
	}
	if len(e.Words) > 0 {
		line("close", output.Count(e.Tiers[1].Conversations, "other", "others")+" with most of the words, the rare ones first")
	}
	for _, w := range e.Words {
		line("word", w.String())
	}
	if len(e.Skipped) > 0 {
		line("skipped", strings.Join(e.Skipped, ", ")+" (function words)")
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
