package list

import (
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// The closest conversations
//
// Behind the conversations that have all words of a query in one message come those
// that have them in other forms or in different messages, and those that are closest to it,
// each tier under its heading (model.Tier). They take longer to find, so a query is asked twice:
//
//	key ─▶ asked without ─▶ answer, drawn at once ─▶ asked with ─▶ the same rows, and
//	       the closest      an empty one is not      the closest   the closest below
//
// After the first answer, Screen.More asks a second time, as it asks for rows
// further down, and the next key cancels it. What is above the second tier stays where it is,
// line by line: notes on the query are over the first row of it. Refreshes
// ask for both at once. What is further away is asked for when the user moves on behind the
// last row.

// closest is what an answer says of the conversations closest to the query.
type closest struct {
	count    int                 // how many there are
	inForms  int                 // of these, how many have all words in one message, in other forms: they go on with the matches
	further  int                 // how many more are further away
	unquoted int                 // how many there are without the quotes of the query, which find nothing
	spans    []model.SpanReading // what dates of the query mean, safe to draw
	groups   []match.Group       // any word of the query in any form: by these they are marked
	readings []model.WordReading // safe to draw
}

// newClosest takes what is said of the closest conversations out of results.
func newClosest(r *model.SearchResults) closest {
	c := closest{count: r.Close, further: r.Further, unquoted: r.Unquoted, groups: r.CloseGroups}
	for i := range r.Matches {
		if m := &r.Matches[i]; m.Close && m.Tier() == model.InForms {
			c.inForms++
		}
	}
	for _, s := range r.Spans {
		c.spans = append(c.spans, model.SpanReading{Words: kit.CleanLine(s.Words), Span: s.Span})
	}
	for _, w := range r.Readings {
		reading := model.WordReading{Word: kit.CleanLine(w.Word), Corrected: w.Corrected}
		for _, form := range w.Forms {
			reading.Forms = append(reading.Forms, kit.CleanLine(form))
		}
		c.readings = append(c.readings, reading)
	}
	return c
}

// cleanMissing makes the words that a conversation lacks safe to draw.
func cleanMissing(m *model.Match) {
	for i, w := range m.Missing {
		m.Missing[i] = kit.CleanLine(w)
	}
}

// isClose reports whether the row is one of the closest, below those with all words.
func (it *Item) isClose() bool { return it.found != nil && it.found.Close }

// withAllWords counts the rows that are not among the closest, which come last.
func withAllWords(items []Item) int {
	return sort.Search(len(items), func(i int) bool { return items[i].isClose() })
}

// closestDue reports whether the closest conversations are still to be asked for.
func (r *results) closestDue() bool {
	return r.ready && r.shown.searching() && !r.shown.List.Closest && r.found.total <= query.ClosestUpTo &&
		(r.most == 0 || len(r.found.items) < r.most)
}

// closestAwaited reports whether the rows on the screen answer the latest query
// except for the closest conversations.
func (r *results) closestAwaited(f *fetch) bool {
	return r.closestDue() && r.err == nil && f.asked.List.Closest && f.asked.same(r.shown)
}

// skips reports whether an answer is not to be drawn: an empty one before the closest
// conversations are known, which would flash, and one that only adds the closest when
// another query has been asked meanwhile.
func (r *results) skips(q RowsQuery, a rowsAnswer, outdated bool) bool {
	if !q.searching() {
		return false
	}
	if q.List.Closest {
		return outdated && r.closestDue() && q.same(r.shown)
	}
	return len(a.items) == 0
}

// askClosest asks for the closest conversations of a query whose first answer was empty.
// That the user has been told to wait stays true.
func (f *fetch) askClosest(q RowsQuery, late bool) tea.Cmd {
	q.List.Closest, q.List.FirstPage = true, false
	cmd := f.ask(q)
	f.read.Late = late
	return cmd
}

// queryOf returns the query by which the messages of a row are found and marked: as
// typed, or any of its words where the row is one of the closest.
func (r *results) queryOf(it *Item) query.Query {
	q := r.shown.Query
	if it.isClose() {
		q.Groups = r.found.closest.groups
	}
	return q
}

// markable returns the rows that are meant by "all": those with all words, or the
// closest ones where there are no others.
func (r *results) markable() []Item {
	if n := withAllWords(r.found.items); n > 0 {
		return r.found.items[:n]
	}
	return r.found.items
}

// tierHeading is what stands over the rows of a tier. Those with all words in one message, in
// other forms, go on with the best where the order is theirs too.
func (it *Item) tierHeading(by query.Order) string {
	if it.found.Tier() != model.InForms {
		return it.found.Tier().Heading()
	}
	if by != query.ByRelevance {
		return "All words, in other forms"
	}
	return ""
}

// closestNotes is the line of notes on the query over the first of the closest
// conversations: corrected words, dates, other forms, matches in other scopes. It is "" for none.
func closestNotes(s *theme.Styles, shape rowShape, r *results, keys shell.Keys) string {
	var notes []string
	if n := r.found.closest.unquoted; n > 0 {
		notes = append(notes, "without the quotes: "+kit.Count(n))
	}
	notes = append(notes, model.ReadingNotes(r.found.closest.readings, r.found.closest.spans, shape.snippets)...)
	if first := &r.found.items[0]; first.isClose() && r.found.hidden > 0 && !first.found.OutOfScope { // else the rows are all that there are
		notes = append([]string{hiddenNote(r, keys)}, notes...)
	}
	if len(notes) == 0 {
		return ""
	}
	line := strings.Repeat(" ", shape.indent()) + strings.Join(notes, " · ")
	for _, short := range []string{" not found", ""} {
		if s.Cells.StringWidth(line) >= shape.w {
			line = strings.ReplaceAll(strings.ReplaceAll(line, model.NotAnywhere, short), " not found", short)
		}
	}
	return s.Faint.Render(s.Cells.Pad(line, shape.w-1, s.Glyphs.Ellipsis) + " ")
}

// roomForCount is the width of a note from which it also counts the words that were found:
// what it takes is lost to the snippet before it.
const roomForCount = 30

// closeNote says in at most w columns what a close row lacks, and in which scope it is
// where the list does not show that; "" where there is nothing to say. otherForms says
// that words of the query were found in other forms.
func closeNote(measure cells.Method, it *Item, otherForms bool, w int, ellipsis string) string {
	m := it.found
	where := ""
	if m.OutOfScope {
		where = "in " + kit.ScopeName(it.Scope)
	}
	counted, short := m.Closeness(otherForms)
	var forms []string
	for n := len(m.Missing); n > 0; n-- { // a shorter count rather than a word less
		missing := strings.Join(m.Missing[:n], ", ")
		if n < len(m.Missing) {
			missing += ", " + ellipsis
		}
		if w >= roomForCount {
			forms = append(forms, counted+" · not: "+missing)
		}
		if n == len(m.Missing) {
			forms = append(forms, "not: "+missing)
		}
		forms = append(forms, short+" · not: "+missing)
	}
	for _, form := range append(forms, counted, short, "") {
		if where != "" && form != "" {
			form = where + " · " + form
		} else if where != "" {
			form = where
		}
		if measure.StringWidth(form) <= w {
			return form
		}
	}
	return ""
}

// closeRowLines draws row i, one of the closest: over the first of a tier its heading, over
// the first of all notes, and below the last how many are further away.
func closeRowLines(s *theme.Styles, shape rowShape, r *results, i int, selected bool, age string, keys shell.Keys) (lines []string) {
	it := &r.found.items[i]
	if it.Heading != "" {
		lines = append(lines, kit.HeadingLine(s, shape.w, it.Heading))
	}
	if i == withAllWords(r.found.items) {
		if notes := closestNotes(s, shape, r, keys); notes != "" {
			lines = append(lines, notes)
		}
	}
	note := closeNote(s.Cells, it, len(r.found.closest.readings) > 0, shape.w*2/5, s.Glyphs.Ellipsis)
	lines = append(lines, rowLines(s, shape, it, true, selected, age, note)...)
	if r.furtherBelow(i) {
		text := strings.Repeat(" ", shape.indent()) + furtherNote(r.found.closest.further)
		if key := keys.Find(shell.InList, shell.Down).KeyText(); key != "" {
			text += ", " + key
		}
		lines = append(lines, s.Faint.Render(s.Cells.Pad(text, shape.w-1, s.Glyphs.Ellipsis)+" "))
	}
	return lines
}

// furtherNote says how many conversations are further away.
func furtherNote(n int) string { return kit.Count(n) + " more, further away" }

// furtherBelow reports whether the note on those further away is below row i.
func (r *results) furtherBelow(i int) bool {
	return r.found.closest.further > 0 && i == len(r.found.items)-1 && r.whole()
}

// openFurther asks for the conversations that are further away too.
func (s *Screen) openFurther() tea.Cmd {
	s.furtherFor = s.results.shown.Query.Text
	return s.reask()
}
