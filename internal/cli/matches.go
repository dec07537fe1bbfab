package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/prose"
	"hermes-sessions/ui/kit"
)

// matchPrinter prints the conversations that a search has found.
type matchPrinter struct {
	out    *output.Writer
	now    time.Time
	number bool // put a number from 1 before each
}

// print prints a page of conversations: those with all words, then below a rule the
// closest others.
func (p matchPrinter) print(found model.SearchResults) {
	ruled := false
	for i, m := range found.Matches {
		if m.Close && !ruled {
			ruled = true
			p.rule(found)
		}
		if p.number {
			fmt.Fprintf(p.out, "%3d  ", i+1)
		}
		p.match(m)
	}
}

// rule prints the line between the conversations with all words and the closest
// others, and below it what stands for the words in the latter.
func (p matchPrinter) rule(found model.SearchResults) {
	text := "closest matches · no other conversation has all of these words"
	if found.Conversations == 0 {
		text = "no conversation has all of these words · closest matches"
	}
	fmt.Fprintln(p.out, p.out.Faint("── "+text+" ──"))
	if line := readings(found.Readings); line != "" {
		fmt.Fprintln(p.out, p.out.Faint("   "+line))
	}
}

// readings says which other forms and spellings of words were found.
func readings(all []model.WordReading) string {
	var also, corrected []string
	for _, r := range all {
		if !r.Corrected {
			also = append(also, r.Forms...)
			continue
		}
		var forms []string
		for _, f := range r.Forms {
			forms = append(forms, strconv.Quote(f))
		}
		corrected = append(corrected, fmt.Sprintf("%q is not in any conversation: showing %s", r.Word, strings.Join(forms, ", ")))
	}
	if len(also) > 0 {
		corrected = append([]string{"also: " + strings.Join(also, ", ")}, corrected...)
	}
	return output.Clean(strings.Join(corrected, " · "))
}

// match prints a conversation, and the best hit in it on a second line.
func (p matchPrinter) match(m model.Match) {
	head := []string{p.out.Bold(titleOf(m.Conversation))}
	if m.Hits > 0 {
		head = append(head, output.Count(m.Hits, "hit", "hits"))
	}
	head = append(head, output.Ago(p.now, m.LastActive), output.Clean(m.Source), output.Clean(m.ID))
	if m.Close {
		head = append(head, p.out.Faint(closeness(m)))
	}
	fmt.Fprintln(p.out, strings.Join(head, " · "))
	if line := snippet(p.out, m.Best.Snippet); line != "" {
		fmt.Fprintln(p.out, "    "+strings.TrimLeft(output.Clean(m.Best.Speaker())+": ", ": ")+line)
	}
}

// closeness says how much of a query a close match has.
func closeness(m model.Match) string {
	switch lacks := len(m.Missing); {
	case lacks > 0 && lacks == m.Words:
		return "only parts of: " + output.Clean(strings.Join(m.Missing, ", "))
	case lacks > 0:
		return fmt.Sprintf("%d of %s · not: %s", m.Words-lacks, output.Count(m.Words, "word", "words"), output.Clean(strings.Join(m.Missing, ", ")))
	case m.Words == 1:
		return "in another form"
	case m.Together:
		return "all words, in other forms"
	}
	return "all words, in different messages"
}

// summary counts what a search has found, and what the scope hides.
func summary(found model.SearchResults, filtersOnly bool) string {
	parts := []string{output.Count(found.Conversations, "conversation", "conversations")}
	if !filtersOnly {
		parts = append(parts, output.Count(found.Hits, "hit", "hits"))
	}
	if found.Close > 0 {
		parts = append(parts, output.Grouped(found.Close)+" close")
	}
	if found.HiddenConversations > 0 {
		message, remedy := hiddenByScope(found)
		parts = append(parts, message+" ("+remedy+")")
	}
	return strings.Join(parts, " · ")
}

// hiddenByScope says how many conversations with all words the scope hides, and
// which flag shows them.
func hiddenByScope(found model.SearchResults) (message, remedy string) {
	where := "other scopes, most in " + found.HiddenScope.String()
	if found.HiddenConversations == 1 {
		where = found.HiddenScope.String()
	}
	return output.Grouped(found.HiddenConversations) + " more in " + where, "--scope all"
}

// titleOf returns the title of a conversation, else its preview, cleaned.
func titleOf(c model.Conversation) string {
	for _, t := range []string{c.Title, prose.Inline(c.Preview)} {
		if t = output.Clean(t); t != "" {
			return t
		}
	}
	return "(untitled)"
}

// snippet returns a snippet as one line, its hits in bold.
func snippet(out *output.Writer, spans match.Snippet) string {
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

// parseMarkers splits a snippet with >>> and <<< into its spans.
func parseMarkers(s string) match.Snippet {
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
