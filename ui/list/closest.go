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
// that are closest to it, under a heading of their own. They take longer to find, so
// a query is asked twice:
//
//	key ─▶ asked without ─▶ answer, drawn at once ─▶ asked with ─▶ the same rows, and
//	       the closest      an empty one is not      the closest   the closest below
//
// After the first answer, Screen.More asks a second time, as it asks for rows
// further down, and the next key cancels it. What is above the second tier stays where it is,
// line by line: notes on the query are below the heading of the tier. Refreshes
// ask for both at once.

// closest is what an answer says of the conversations closest to the query.
type closest struct {
	count    int                 // how many there are
	groups   []match.Group       // any word of the query in any form: by these they are marked
	readings []model.WordReading // safe to draw
}

// newClosest takes what is said of the closest conversations out of results.
func newClosest(r *model.SearchResults) closest {
	c := closest{count: r.Close, groups: r.CloseGroups}
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

// closestHeading stands for the heading over the closest conversations, which has a
// form for every width.
const closestHeading = "closest matches"

// closestLines draws the heading over the closest conversations, and below it one line of
// notes on the query: matches in other scopes, corrected words, other forms. words is the
// number of words that a conversation could have.
func closestLines(s *theme.Styles, shape rowShape, r *results, keys shell.Keys, words int) []string {
	none := len(r.found.items) > 0 && r.found.items[0].isClose()
	hidden := none && r.found.hidden > 0
	what := []string{"all of these words", "all words"}
	if len(r.shown.Query.Groups) > 1 {
		what = []string{"any of these", "any"}
	} else if words == 1 {
		what = []string{"this word", "it"}
		for _, t := range r.shown.Query.Terms() {
			if strings.ContainsFunc(t.Text, func(c rune) bool { return c == ' ' || match.IsUnspaced(c) }) {
				what[0] = "this text"
			}
		}
	}
	out := []string{kit.HeadingLine(s, shape.w, kit.Capitalize(closestHeadingIn(s.Cells, shape.w-2, none, hidden, what)))}
	var notes []string
	if hidden && !r.found.items[0].found.OutOfScope { // else the rows below are all that there are
		notes = append(notes, hiddenNote(r, keys))
	}
	notes = append(notes, readingNotes(r.found.closest.readings, shape.snippets)...)
	if len(notes) > 0 {
		line := strings.Repeat(" ", shape.indent()) + strings.Join(notes, " · ")
		for _, short := range []string{" not found", ""} {
			if s.Cells.StringWidth(line) >= shape.w {
				line = strings.ReplaceAll(strings.ReplaceAll(line, notAnywhere, short), " not found", short)
			}
		}
		out = append(out, s.Faint.Render(s.Cells.Pad(line, shape.w-1, s.Glyphs.Ellipsis)+" "))
	}
	return out
}

// closestHeadingIn is the longest form of the heading that fits w columns. none says
// that there are no rows above, hidden that there are some in other scopes, and what
// is what they lack, in a longer and a shorter form.
func closestHeadingIn(measure cells.Method, w int, none, hidden bool, what []string) string {
	who := []string{"no other conversation", "no other"}
	switch {
	case hidden:
		who = []string{"no conversation here", "none here"}
	case none:
		who = []string{"no conversation", "none"}
	}
	for _, text := range []string{who[0] + " has " + what[0], who[1] + " has " + what[0], who[1] + " has " + what[1]} {
		if none {
			text += " · " + closestHeading
		} else {
			text = closestHeading + " · " + text
		}
		if measure.StringWidth(text) <= w {
			return text
		}
	}
	return closestHeading
}

// notAnywhere says that a word occurs nowhere as typed.
const notAnywhere = " is not in any conversation"

// readingNotes say which words of the query were found in other forms: first those
// that occur nowhere as typed, and with forms the inflections.
func readingNotes(readings []model.WordReading, forms bool) (notes []string) {
	for _, w := range readings {
		if w.Corrected {
			notes = append(notes, `"`+w.Word+`"`+notAnywhere+`: showing "`+strings.Join(w.Forms, `" or "`)+`"`)
		}
	}
	if also := model.OtherForms(readings); forms && len(also) > 0 {
		notes = append(notes, "also: "+strings.Join(also, ", "))
	}
	return notes
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
	counted := kit.Count(m.Words-len(m.Missing)) + " of " + kit.Plural(m.Words, "word", "words")
	short := kit.Count(m.Words-len(m.Missing)) + "/" + kit.Count(m.Words)
	var forms []string
	switch {
	case m.Words == len(m.Missing) && m.Words == 1:
		forms = []string{"only parts of it", "in parts"}
	case m.Words == len(m.Missing):
		forms = []string{"only parts of the words", "in parts"}
	case m.OutOfScope && m.Together && len(m.Missing) == 0 && m.Words > 1:
		forms = []string{"all words"}
	case m.OutOfScope && m.Together && len(m.Missing) == 0: // the scope says it
	case m.Words == 1 && otherForms: // the line over the rows says which
	case m.Words == 1:
		forms = []string{"in another form"}
	case len(m.Missing) > 0:
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
		forms = append(forms, counted, short)
	case !m.Together:
		forms = []string{"all words, in different messages", "in different messages"}
	case otherForms:
		forms = []string{"all words, in other forms", "in other forms"}
	default: // what one message lacks are function words
		forms = []string{counted, short}
	}
	forms = append(forms, "")
	for _, form := range forms {
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

// closeRowLines draws row i, one of the closest, and over the first of them their
// heading.
func closeRowLines(s *theme.Styles, shape rowShape, r *results, i int, selected bool, age string, keys shell.Keys) []string {
	it := &r.found.items[i]
	note := closeNote(s.Cells, it, len(r.found.closest.readings) > 0, shape.w*2/5, s.Glyphs.Ellipsis)
	lines := rowLines(s, shape, it, true, selected, age, note)
	if it.Heading == "" {
		return lines
	}
	return append(closestLines(s, shape, r, keys, it.found.Words), lines...)
}
