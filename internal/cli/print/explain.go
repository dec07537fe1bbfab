package print

import (
	"fmt"
	"io"
	"strings"
	"time"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// LanguageHelp returns the part of the help texts that explains the query language.
func LanguageHelp() string {
	var b strings.Builder
	b.WriteString(`A query has words, "a phrase", -without, one OR other, prefix*, @named queries,
and filters, alone or with words. A leading minus negates a filter. Put --
before a query that begins with a minus. The filters:
`)
	for _, w := range query.Fields() {
		fmt.Fprintf(&b, "  %-8s %s\n", string(w.Field)+":", w.Help)
		if !w.OpenEnded {
			b.WriteString(output.Wrap(strings.Join(w.Values, ", "), 80, strings.Repeat(" ", 11)) + "\n")
		}
	}
	b.WriteString("Days are today, yesterday, 7d, 2w, 3mo, 1y, 2026, 2026-05, 2026-05-03; numbers\ntake k and m.")
	return b.String()
}

// Explanation is an answer that can be printed as text.
type Explanation answer.Explanation

// ForJSON returns it as JSON has it; nil stays nil.
func (e *Explanation) ForJSON() *answer.Explanation { return (*answer.Explanation)(e) }

// AddRanking adds how the closest conversations were found.
func (e *Explanation) AddRanking(found model.SearchResults) {
	e.Tiers = []answer.ExplainedTier{{Match: model.Exact.String(), Conversations: found.Conversations, AtLeast: found.RowsOnly}, {Match: model.Closest.String(), Conversations: found.Close}}
	e.Words = explainWords(found.CloseWords)
	e.Skipped = found.FunctionWords
	e.Further = found.Further
	for _, s := range found.Spans {
		e.Dates = append(e.Dates, answer.ExplainedDate{Words: s.Words, Span: s.Span})
	}
}

// explainWords returns the words of a ranking for an explanation.
func explainWords(words []model.WordReading) (out []answer.ExplainedWord) {
	for _, w := range words {
		out = append(out, answer.ExplainedWord{
			Word: w.Word, Conversations: w.Conversations, Forms: w.Forms, Corrected: w.Corrected, Inside: w.Inside, English: w.English, Parts: explainWords(w.Parts),
		})
	}
	return out
}

// wordLine says how many conversations have the word, and how it was looked for.
func wordLine(w answer.ExplainedWord) string {
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
		return w.Word + ": " + count + " as a whole; its parts: " + strings.Join(parts, ", ")
	case w.English:
		return w.Word + ": " + count + "; a word of the language, so not corrected"
	case w.Corrected:
		return fmt.Sprintf("%s: in no conversation; read as %s, %s", w.Word, strings.Join(w.Forms, ", "), count)
	case w.Inside && w.Conversations > 0:
		return w.Word + ": only inside longer words, " + count
	case len(w.Forms) > 0:
		return fmt.Sprintf("%s: %s, also as %s", w.Word, count, strings.Join(w.Forms, ", "))
	}
	return w.Word + ": " + count
}

// Explain returns the explanation of a query that was answered at a time by the steps of a
// plan.
func Explain(q query.Query, plan []string, now time.Time) *Explanation {
	e := &Explanation{
		Query: q.String(), Groups: []answer.ExplainedGroup{}, Filters: []answer.ExplainedFilter{},
		Hints: append([]string{}, q.Hints()...), Route: append([]string{}, plan...),
	}
	for _, g := range q.Groups {
		w := answer.ExplainedGroup{All: []string{}, None: []string{}}
		for _, t := range g.All {
			w.All = append(w.All, query.FormatTerm(t))
		}
		for _, t := range g.Not {
			w.None = append(w.None, query.FormatTerm(t))
		}
		e.Groups = append(e.Groups, w)
	}
	for _, f := range q.Filters {
		e.Filters = append(e.Filters, answer.ExplainedFilter{Filter: f.String(), Meaning: f.Describe(now)})
	}
	return e
}

// Print writes the explanation as text; nil writes nothing.
func (e *Explanation) Print(out io.Writer) {
	if e == nil {
		return
	}
	line := func(name, text string) { fmt.Fprintf(out, "%-7s %s\n", name, output.Clean(text)) }
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
		line("all", countOrMore(e.Tiers[0].Conversations, e.Tiers[0].AtLeast, "conversation", "conversations")+" with all words in one message, or in the title")
	}
	if len(e.Words) > 0 {
		line("close", output.Count(e.Tiers[1].Conversations, "other", "others")+" with most of the words, rare words first")
	}
	if e.Further > 0 {
		line("cut", output.Count(e.Further, "other", "others")+" further away, much less close than the first (--further)")
	}
	for _, d := range e.Dates {
		line("date", d.Words+": "+d.Span+"; conversations of that time count more")
	}
	for _, w := range e.Words {
		line("word", wordLine(w))
	}
	if len(e.Skipped) > 0 {
		line("skipped", strings.Join(e.Skipped, ", ")+" (say little of what a conversation is about)")
	}
	for _, r := range e.Route {
		line("index", r)
	}
	fmt.Fprintln(out)
}
