package list

import (
	"strings"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// headLine is the first line of the screen: which database is open, the query, and on
// the right how many rows there are, their order and what is in other scopes.
type headLine struct {
	text   string
	cursor int // column of the cursor
	right  string
	rightX int    // column that the text on the right begins in
	offer  string // the filter word behind the query, "" for none or where there is no room for it
	offerX int    // column that it begins in
}

// fewestQuery is the room for the query that the text on the right leaves.
const fewestQuery = 12

// newHeadLine draws the line for the width of a screen.
func newHeadLine(l *Screen) headLine {
	s, w := l.sh.Styles(), l.layout.w
	lead := " "
	if l.layout.brand {
		lead += s.Strong.Render("hermes sessions") + " "
	}
	if badge := s.Cells.Truncate(kit.CleanLine(l.env.Badge), w/4, s.Glyphs.Ellipsis); badge != "" && w >= 40 {
		lead += s.Chip.Render(" "+badge+" ") + " "
	}
	lead += s.Accent.Render(s.Glyphs.Cursor) + " "
	if l.mode.acting {
		lead += s.Warn.Render("normal ") // as vi calls it
	}
	leadW := s.Cells.StringWidth(lead)
	h := headLine{rightX: w}
	right, offer := "", "" // the key and the word
	word := l.completion.word()
	if word != nil {
		offer = "  tab " + word.show
	}
	need := min(max(fewestQuery, s.Cells.StringWidth(l.prompt.Text()+offer)+2), 48)
	for _, c := range counts(&l.fetch, &l.results, l.env.Keys, s.Glyphs.Ellipsis, l.results.position()) {
		if wide := s.Cells.StringWidth(c); leadW+need+wide+3 <= w {
			h.right, h.rightX, right = c, w-wide-1, s.Muted.Render(c)+" "
			break
		}
	}
	room := max(1, h.rightX-leadW-1)
	shown, wide, col := drawQuery(&l.prompt, s, room)
	if l.prompt.Empty() {
		hint := "Search" + s.Glyphs.Ellipsis
		if l.mode.acting {
			hint = l.env.Keys.Find(shell.InList, shell.Type).KeyLabel() + " to search"
		}
		if w < 30 {
			hint = ""
		}
		hint = s.Cells.Truncate(hint, max(room-1, 0), "")
		shown, wide = s.Faint.Render(hint), s.Cells.StringWidth(hint)
	}
	if left := room - wide - s.Cells.StringWidth(offer); word != nil && left > 0 {
		h.offer, h.offerX = word.text, leadW+wide+2
		shown += "  " + s.Key.Render("tab") + " " + s.Muted.Render(word.show)
		if note := "  " + word.note; s.Cells.StringWidth(note) < left {
			shown, offer = shown+s.Faint.Render(note), offer+note
		}
		wide += s.Cells.StringWidth(offer)
	}
	gap := strings.Repeat(" ", max(0, w-leadW-wide-s.Cells.StringWidth(right)))
	h.text, h.cursor = s.Cells.Truncate(lead+shown+gap+right, w, ""), min(leadW+col, w-1)
	return h
}

// at returns what a click on column x does, "" for nothing: the order and what is hidden
// can be changed.
func (h headLine) at(measure func(string) int, r *results, x int) shell.Action {
	left := h.rightX
	pieces := strings.Split(h.right, " · ")
	for i, piece := range pieces {
		wide := measure(piece)
		switch {
		case x < left || x >= left+wide:
		case piece == orderNote(r.shown.List.Order):
			return shell.CycleSort
		case r.found.hidden > 0 && i == len(pieces)-1:
			return shell.CycleScope
		}
		left += wide + measure(" · ")
	}
	return ""
}

// orderNote names an order in a word or two.
func orderNote(o query.Order) string {
	switch o {
	case query.ByRelevance:
		return "best first"
	case query.ByStart:
		return "by start"
	case query.ByTitle:
		return "by title"
	case query.ByMessages:
		return "by messages"
	case query.ByCost:
		return "by cost"
	case query.ByExpiry:
		return "soonest first"
	}
	return "recent first"
}
