package print

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/prose"
	"hermes-sessions/ui/kit"
)

// Matches prints the conversations that a search has found: on a terminal, and with Wide
// anywhere, in columns that fit, each with its best hit below; elsewhere in lines.
func Matches(out *output.Writer, o Options, found model.SearchResults) error {
	if !o.Wide && !out.ToTerminal() {
		linePrinter{out: out, now: o.Now}.print(found)
		return nil
	}
	st := out.Styles()
	t := newTable(
		column{Head: "Title", Min: 20, Style: st.Strong.Render},
		column{Head: "Matches", Right: true, Drop: 3, Style: st.Muted.Render},
		column{Head: "Source", Max: 16, Drop: 2, Style: st.Faint.Render},
		column{Head: "Model", Drop: 4, Style: st.Faint.Render},
		column{Head: "Messages", Right: true, Drop: 4, Style: st.Muted.Render},
		column{Head: "Cost", Right: true, Drop: 4, Style: st.Muted.Render},
		column{Head: "Age", Right: true, Drop: 1, Style: st.Muted.Render},
		column{Head: "ID", Style: st.Faint.Render},
	)
	width := o.Width(out)
	if line := readings(found); line != "" {
		t.Line(out.Faint(output.Wrap(line, width, "")))
	}
	last := ""
	for _, m := range found.Matches {
		if h := m.Tier().Heading(); h != last {
			last = h
			t.Line(out.Faint(output.Wrap(rule(h), width, "")))
		}
		var hits, llm, messages, cost string
		if m.Hits > 0 {
			hits = output.Grouped(m.Hits)
		}
		if o.Wide {
			llm = output.Clean(m.Model)
			messages = output.Grouped(m.Messages)
			cost = o.Cost(m.Total.Cost)
		}
		t.Row(Title(m.Conversation), hits, output.Clean(m.Source), llm, messages, cost, model.Age(o.Now, m.LastActive), output.Clean(m.ID))
		const margin = "    "
		if text := closeness(m, len(found.Readings) > 0); text != "" {
			t.Line(out.Faint(output.Wrap(text, width, margin)))
		}
		if line := hitLine(out, m); line != "" {
			t.Line(output.Wrap(line, width, margin))
		}
	}
	if len(found.Matches) == 0 {
		return nil
	}
	for _, line := range rest(found) {
		t.Line(out.Faint(output.Wrap(line, width, "")))
	}
	return o.Print(out, t)
}

// NumberedMatches prints the conversations that a search has found in lines with numbers, those
// behind the first skip of them. What they are is said in words, without marks and rules;
// unread reports which have got messages since they were last read.
func NumberedMatches(out *output.Writer, now time.Time, found model.SearchResults, skip int, unread func(*model.Conversation) bool) {
	linePrinter{out: out, now: now, number: true, skip: skip, unread: unread}.print(found)
}

// linePrinter prints conversations in lines, which need no width.
type linePrinter struct {
	out    *output.Writer
	now    time.Time
	number bool // put a number from 1 before each, and its state in words
	skip   int  // how many are left out, the first ones
	unread func(*model.Conversation) bool
}

// print prints a page of conversations, those of each tier below its heading.
func (p linePrinter) print(found model.SearchResults) {
	line := func(text string) {
		if p.number {
			text = strings.Trim(text, "─ ") + "."
		}
		fmt.Fprintln(p.out, p.out.Faint(text))
	}
	if text := readings(found); text != "" && p.skip == 0 && len(found.Matches) > 0 {
		line(text)
	}
	last := ""
	for i, m := range found.Matches {
		h := m.Tier().Heading()
		if i >= p.skip {
			if h != last {
				line(rule(h))
			}
			if p.number {
				fmt.Fprintf(p.out, "%3d  ", i+1)
			}
			p.match(m, len(found.Readings) > 0)
		}
		last = h
	}
	if len(found.Matches) > 0 {
		for _, text := range rest(found) {
			line(text)
		}
	}
}

// rule returns the line over the conversations of a tier.
func rule(heading string) string { return "── " + heading + " ──" }

// rest says what is not among the conversations.
func rest(found model.SearchResults) (lines []string) {
	if n := found.Further; n > 0 && len(found.Matches) >= found.Conversations+found.Close {
		lines = append(lines, output.Grouped(n)+" more, further away (--further)")
	}
	if found.Unquoted > 0 {
		lines = append(lines, WithoutQuotes(found))
	}
	return lines
}

// WithoutQuotes says how many conversations the words of a text in quotes find that is nowhere.
func WithoutQuotes(found model.SearchResults) string {
	return "without the quotes: " + output.Grouped(found.Unquoted)
}

// readings says which other forms and spellings of words were found, and what dates mean.
func readings(found model.SearchResults) string {
	return output.Clean(strings.Join(model.ReadingNotes(found.Readings, found.Spans, true), " · "))
}

// match prints a conversation, and the best hit in it on a second line. otherForms says that words
// of the query were found in other forms.
func (p linePrinter) match(m model.Match, otherForms bool) {
	head := []string{p.out.Bold(Title(m.Conversation))}
	if m.Hits > 0 {
		head = append(head, output.Count(m.Hits, "match", "matches"))
	}
	if p.number {
		head = append(head, p.states(m.Conversation)...)
		head = append(head, output.Count(m.Conversation.Messages, "message", "messages"))
	}
	head = append(head, output.Ago(p.now, m.LastActive), output.Clean(m.Source), output.Clean(m.ID))
	if m.Close {
		if text := closeness(m, otherForms); text != "" {
			head = append(head, p.out.Faint(text))
		}
	}
	fmt.Fprintln(p.out, strings.Join(head, " · "))
	if line := hitLine(p.out, m); line != "" {
		fmt.Fprintln(p.out, "    "+line)
	}
}

// states says in words what marks say of a conversation in other lists.
func (p linePrinter) states(c model.Conversation) (words []string) {
	switch c.State {
	case model.StateRunning:
		words = append(words, "running")
	case model.StateInterrupted:
		words = append(words, "interrupted")
	case model.StateFailed:
		words = append(words, "failed")
	case model.StateEmpty:
		words = append(words, "empty")
	}
	if p.unread(&c) {
		words = append(words, "new messages")
	}
	if c.Pinned {
		words = append(words, "pinned")
	}
	if c.Archived {
		words = append(words, "archived")
	}
	if n := len(c.Segments); n > 1 {
		words = append(words, output.Count(n, "segment", "segments"))
	}
	if c.Branches > 0 {
		words = append(words, output.Count(c.Branches, "branch", "branches"))
	}
	if c.Delegates > 0 {
		words = append(words, output.Count(c.Delegates, "subagent", "subagents"))
	}
	if c.Expiring(p.now) {
		words = append(words, "expires "+c.ExpiresIn(p.now))
	}
	return words
}

// hitLine returns the best hit of a conversation as one line, with its segment where there
// are several, "" for none.
func hitLine(out *output.Writer, m model.Match) string {
	line := Snippet(out, m.Best.Snippet)
	if line == "" {
		return ""
	}
	who := output.Clean(m.Speaker(m.Best))
	if at := slices.Index(m.Segments, m.Best.SessionID); at >= 0 && len(m.Segments) > 1 && who != "" {
		who += fmt.Sprintf(" in segment %d of %d", at+1, len(m.Segments))
	}
	return strings.TrimLeft(who+": ", ": ") + line
}

// closeness says how much of a query a close match has, and in which scope it is where the
// list does not show that.
func closeness(m model.Match, otherForms bool) string {
	if !m.Close {
		return ""
	}
	var said []string
	if m.OutOfScope {
		said = append(said, "in "+kit.ScopeName(m.Scope))
	}
	if text, _ := m.Closeness(otherForms); text != "" {
		said = append(said, text)
	}
	if len(m.Missing) > 0 {
		said = append(said, "not: "+output.Clean(strings.Join(m.Missing, ", ")))
	}
	return strings.Join(said, " · ")
}

// Summary counts what a search has found, as it is printed: above the closest or among them, and
// how many are hidden.
func Summary(found model.SearchResults, filtersOnly bool) string {
	total, near := found.Conversations, found.Close
	for _, m := range found.Matches {
		switch {
		case m.OutOfScope: // one of the hidden ones
			near--
		case m.Close && m.Tier() == model.InForms:
			total, near = total+1, near-1
		}
	}
	parts := []string{countOrMore(total, found.RowsOnly, "conversation", "conversations")}
	if !filtersOnly {
		parts = append(parts, countOrMore(found.Hits, found.RowsOnly, "match", "matches"))
	}
	if near > 0 {
		parts = append(parts, output.Grouped(near)+" close")
	}
	if found.HiddenConversations > 0 {
		message, remedy := Hidden(found)
		parts = append(parts, message+" ("+remedy+")")
	}
	return strings.Join(parts, " · ")
}

// countOrMore returns a count of things, of which there may be more.
func countOrMore(n int, more bool, one, many string) string {
	text := output.Count(n, one, many)
	if more {
		text = strings.Replace(text, " ", "+ ", 1)
	}
	return text
}

// Hidden says how many conversations with all words the scope hides, and which flag shows them.
func Hidden(found model.SearchResults) (message, remedy string) {
	return output.Grouped(found.HiddenConversations) + " hidden", "--scope all"
}

// Snippet returns a snippet as one line, its hits in bold.
func Snippet(out *output.Writer, spans match.Snippet) string {
	var b strings.Builder
	for _, p := range spans {
		text := strings.Map(func(r rune) rune {
			if r == '\n' || r == '\t' {
				return ' '
			}
			return r
		}, kit.Clean(prose.Inline(p.Text)))
		if p.Hit {
			text = out.Bold(text)
		}
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}

// withMarkers returns a snippet as Hermes's search does, with >>> and <<< around
// each hit.
func withMarkers(spans match.Snippet) string {
	var b strings.Builder
	for _, p := range spans {
		if p.Hit {
			b.WriteString(">>>" + p.Text + "<<<")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// ParseMarkers splits a snippet with >>> and <<< into its spans.
func ParseMarkers(s string) match.Snippet {
	var spans match.Snippet
	for s != "" {
		before, rest, begun := strings.Cut(s, ">>>")
		hit, after, ended := strings.Cut(rest, "<<<")
		if !begun || !ended {
			return append(spans, match.Span{Text: s})
		}
		spans = append(spans, match.Span{Text: before}, match.Span{Text: hit, Hit: true})
		s = after
	}
	return spans
}
