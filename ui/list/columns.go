package list

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
)

// rowLines draws an item: its heading, its row, and while searching the
// stretch of text that matched, and at its end a note in place of the hits, else what it
// does if it runs. Every line is exactly shape.w columns wide.
func rowLines(s *theme.Styles, shape rowShape, it *Item, searching, selected bool, age, note string) []string {
	var out []string
	if it.Heading != "" && !it.isClose() {
		out = append(out, kit.HeadingLine(s, shape.w, it.Heading))
	}
	out = append(out, rowLine(s, shape, it, selected, age))
	switch {
	case !shape.snippets && !selected:
	case searching:
		if l := snippetLine(s, shape, it, selected, note); l != "" {
			out = append(out, l)
		}
	case it.State == model.StateRunning:
		out = append(out, workLine(s, shape, it, selected))
	}
	return out
}

// indent is the column in which titles begin.
func (r rowShape) indent() int {
	if r.bare {
		return 2
	}
	return 5
}

// leastExpiring is the width from which rows say when Hermes deletes them.
const leastExpiring = 50

// rowLine draws the row itself: mark, state, title, badges and columns.
func rowLine(s *theme.Styles, shape rowShape, it *Item, selected bool, age string) string {
	mark := kit.RowMark(s, selected)
	var left, right strings.Builder
	on := func(st lipgloss.Style) lipgloss.Style { return s.On(selected, st) }
	picked := " "
	if it.marked {
		picked = s.Glyphs.Marked
	}
	unusual := unusualOf(s, it, selected)
	if shape.bare {
		left.WriteString(on(s.Accent).Render(mark + picked))
	} else {
		left.WriteString(on(s.Accent).Render(picked + mark + " "))
		first := on(s.Text).Render("  ")
		if len(unusual) > 0 {
			first, unusual = unusual[0], unusual[1:]
		}
		left.WriteString(first)
	}

	column := func(w int, st lipgloss.Style, text string, align func(string, int, string) string) {
		if w > 0 {
			right.WriteString(on(st).Render("  " + align(text, w, s.Glyphs.Ellipsis)))
		}
	}
	if !shape.bare {
		if b := badges(s, it); b != "" {
			right.WriteString(on(s.Faint).Render("  " + b))
		}
	}
	if it.expires != "" && shape.w >= leastExpiring {
		right.WriteString(on(s.Warn).Render("  " + it.expires))
	}
	if it.Source == model.SourceFile && shape.source == 0 {
		right.WriteString(on(s.Faint).Render("  " + it.Source))
	}
	for _, name := range shape.sequence {
		switch name {
		case "messages":
			column(shape.msgs, s.Muted, kit.ShortCount(it.Messages, shape.msgs), s.Cells.PadLeft)
		case "age":
			column(shape.age, s.Muted, age, s.Cells.PadLeft)
		case "profile":
			column(shape.profile, s.Faint, kit.CleanLine(it.Profile), s.Cells.Pad)
		case "source":
			column(shape.source, s.Faint, it.Source, s.Cells.Pad)
		case "cost":
			column(shape.cost, s.Faint, it.Total.Cost.String(), s.Cells.PadLeft)
		case "model":
			column(shape.llm, s.Faint, kit.ModelName(it.Model), s.Cells.Pad)
		case "folder":
			column(shape.folder, s.Faint, kit.Folder(it.CWD), s.Cells.Pad)
		case "id":
			column(shape.id, s.Faint, kit.CleanLine(it.ID), s.Cells.Pad)
		}
	}
	right.WriteString(on(s.Text).Render(" "))

	room := max(0, shape.w-shape.indent()-s.Cells.StringWidth(right.String()))
	text := s.Text
	if it.dim {
		text = s.Faint
	}
	for _, mark := range unusual {
		if room > 12 {
			left.WriteString(mark)
			room -= 2
		}
	}
	note := kit.Noted(s, it.noted, room-s.Cells.StringWidth(kit.SpanText(it.TitleSpans)))
	if room -= s.Cells.StringWidth(note); note != "" {
		note = on(s.Faint).Render(note)
	}
	left.WriteString(kit.Spans(s.Cells, it.TitleSpans, room, on(text).Bold(selected), s.HitOn(selected), s.Glyphs.Ellipsis))
	return s.Cells.Truncate(left.String()+note+right.String(), shape.w, "")
}

// unusualOf draws the marks of what is not usual of a row, two columns each.
func unusualOf(s *theme.Styles, it *Item, selected bool) (marks []string) {
	add := func(glyph string, style lipgloss.Style) {
		marks = append(marks, s.On(selected, style).Render(glyph+" "))
	}
	if glyph, style := kit.StateGlyph(s, it.State); glyph != " " && !it.waits() {
		add(glyph, style)
	}
	if it.Pinned {
		add(s.Glyphs.Pin, s.Warn)
	}
	if it.unread {
		add(s.Glyphs.New, s.Accent)
	}
	if it.bookmarked {
		add(s.Glyphs.Bookmark, s.Muted)
	}
	return marks
}

type columnTitle struct {
	text  string
	order query.Order // ByRelevance for none
	x, w  int         // where it is in the line
	left  bool        // it stands at the left edge of its column
}

func columnTitlesOf(shape rowShape) []columnTitle {
	x := shape.w - 1
	age := columnTitle{text: "Age", order: query.ByActivity}
	if shape.order == query.ByStart {
		age = columnTitle{text: "Start", order: query.ByStart}
	}
	var all []columnTitle
	of := map[string]columnTitle{
		"id":       {text: "ID", order: query.ByRelevance, left: true},
		"folder":   {text: "Folder", order: query.ByRelevance, left: true},
		"model":    {text: "Model", order: query.ByRelevance, left: true},
		"cost":     {text: "Cost", order: query.ByCost},
		"source":   {text: "Source", order: query.ByRelevance, left: true},
		"profile":  {text: "Profile", order: query.ByRelevance, left: true},
		"age":      age,
		"messages": {text: "Msgs", order: query.ByMessages},
	}
	for _, name := range slices.Backward(shape.sequence[:]) {
		if w := shape.column(name); w != nil && *w > 0 {
			x -= *w
			title := of[name]
			title.x, title.w = x, *w
			all = append(all, title)
			x -= 2
		}
	}
	title := columnTitle{text: "Title", order: query.ByTitle, x: shape.indent(), w: x - shape.indent(), left: true}
	all = append(all, title)
	slices.Reverse(all)
	return all
}

// columnTitles draws the titles of the columns over the rows, with the column that the rows
// are sorted by highlighted; the first line names it.
func columnTitles(s *theme.Styles, shape rowShape) string {
	line := strings.Repeat(" ", shape.indent())
	for i, c := range columnTitlesOf(shape) {
		style, align := s.Faint, s.Cells.PadLeft
		if c.order == shape.order && c.order != query.ByRelevance {
			style = s.Accent
		}
		if c.left {
			align = s.Cells.Pad
		}
		if i > 0 {
			line += "  "
		}
		line += style.Render(align(c.text, c.w, ""))
	}
	return s.Cells.Pad(line, shape.w, "")
}

// orderAt returns the order that a click at a place of the screen asks for: on the title of
// a column that rows can be ordered by.
func orderAt(at layout, x, y int) (by query.Order, ok bool) {
	if !at.titles || y != at.rows.Y-1 {
		return 0, false
	}
	for _, c := range columnTitlesOf(at.row) {
		switch {
		case x < c.x || x >= c.x+c.w || c.order == query.ByRelevance:
		case c.order == query.ByStart: // of the column that tells the activity otherwise
			return query.ByActivity, true
		default:
			return c.order, true
		}
	}
	return 0, false
}

// badges tell what a row covers besides its tip.
func badges(s *theme.Styles, it *Item) string {
	var out []string
	if n := len(it.Segments); n > 1 {
		out = append(out, s.Glyphs.Segment+kit.Count(n))
	}
	if it.Branches > 0 {
		out = append(out, s.Glyphs.Branch+kit.Count(it.Branches))
	}
	if it.Delegates > 0 {
		out = append(out, s.Glyphs.Delegate+kit.Count(it.Delegates))
	}
	if it.Failed > 0 {
		out = append(out, s.Glyphs.Failed+kit.Count(it.Failed))
	}
	return strings.Join(out, " ")
}

// snippetLine draws what matched below the row, with the number of matches at
// the end or a note; "" where the title says it all.
func snippetLine(s *theme.Styles, shape rowShape, it *Item, selected bool, note string) string {
	on := func(st lipgloss.Style) lipgloss.Style { return s.On(selected, st) }
	var said match.Snippet
	who, style := "", s.Muted
	best := it.hit()
	switch best.Kind {
	case model.HitTitle:
		if it.Hits == 0 && note == "" {
			return ""
		}
	case model.HitID:
		who = "ID "
	case model.HitSource:
		who = "source "
	default:
		who, style = kit.HitSpeaker(s, it.Conversation, best)
		who = s.Cells.Truncate(who, max(0, shape.w/3-1), s.Glyphs.Ellipsis) + " "
	}
	said = best.Snippet
	if best.Kind == model.HitTitle && note != "" {
		said = match.Snippet{{Text: it.Preview}} // the row has the title
	}
	tail := note
	if it.Hits > 1 {
		tail = kit.Plural(it.Hits, "match", "matches")
	}
	if tail != "" {
		tail = "  " + tail
	}
	tail += " "
	tailW := s.Cells.StringWidth(tail)
	indent := shape.indent()
	room := max(0, shape.w-indent-tailW-s.Cells.StringWidth(who))
	line := on(s.Text).Render(strings.Repeat(" ", indent)) + on(style).Render(who) +
		kit.Spans(s.Cells, around(s.Cells, said, room, s.Glyphs.Ellipsis), room, on(s.Muted), s.HitOn(selected), s.Glyphs.Ellipsis) +
		on(s.Faint).Render(tail)
	return s.Cells.Truncate(line, shape.w, "")
}

// around cuts the beginning of a snippet, at a word, so that its first mark is
// in sight in w columns, which what is left fills where it can.
func around(measure cells.Method, sn []match.Span, w int, ellipsis string) []match.Span {
	first := slices.IndexFunc(sn, func(s match.Span) bool { return s.Hit })
	if first <= 0 || measure.StringWidth(kit.SpanText(sn)) <= w {
		return sn
	}
	lead := kit.SpanText(sn[:first])
	before := measure.StringWidth(lead)
	if before+min(measure.StringWidth(sn[first].Text), w/2) <= w*2/3 {
		return sn
	}
	rest := measure.StringWidth(kit.SpanText(sn[first:]))
	lead = measure.TruncateLeft(lead, before-max(w/3, w-rest-measure.StringWidth(ellipsis)), "")
	if i := strings.IndexByte(lead, ' '); i >= 0 && i < len(lead)-1 && i < 12 {
		lead = lead[i+1:]
	}
	return append([]match.Span{{Text: ellipsis + lead}}, sn[first:]...)
}
