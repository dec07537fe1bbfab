package list

import (
	"slices"
	"strings"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// headLine is the first line of the screen: which database is open, the query, and on
// the right how many rows there are, their order and how many are hidden.
type headLine struct {
	text   string
	cursor int // column of the cursor
	right  string
	rightX int // column that the text on the right begins in
}

// fewestQuery is the room for a query that the text on the right leaves, and searchHint what
// is said in the place of one.
const fewestQuery, searchHint = 12, "Search…"

// brandFrom is the width from which the program's name leaves room for the order, beside the
// width of the badge.
const brandFrom = 90

// newHeadLine draws the line for the width of a screen.
func newHeadLine(s *Screen) headLine {
	st, w := s.sh.Styles(), s.layout.w
	lead := " "
	badge := st.Cells.Truncate(kit.CleanLine(s.env.Badge), w/4, st.Glyphs.Ellipsis)
	if s.layout.brand && w >= brandFrom+st.Cells.StringWidth(badge) {
		lead += st.Strong.Render("hermes sessions") + " "
	}
	if badge != "" && w >= 40 {
		lead += st.Chip.Render(" "+badge+" ") + " "
	}
	lead += st.Accent.Render(st.Glyphs.Cursor) + " "
	if s.mode.acting {
		lead += st.Warn.Render("normal ") // as vi calls it
	}
	leadW := st.Cells.StringWidth(lead)
	h := headLine{rightX: w}
	right := ""
	all := counts(&s.fetch, &s.results, s.env.Keys, st.Spell("…"), s.results.position())
	if moves := s.fetch.read.Moves; moves > 0 && len(all) > 0 {
		all = append([]string{all[0] + " " + kit.MovingBar(st, moves)}, all...)
	}
	fewest := fewestQuery
	if s.prompt.Empty() {
		fewest = st.Cells.StringWidth(searchHint) + 1
	}
	need := min(max(fewest, st.Cells.StringWidth(s.prompt.Text())+2), 48)
	if i := slices.IndexFunc(all, func(c string) bool { return leadW+need+st.Cells.StringWidth(c)+3 <= w }); i >= 0 {
		h.right = all[i]
		h.rightX = w - st.Cells.StringWidth(h.right) - 1
		right = st.Muted.Render(h.right) + " "
	}
	room := max(1, h.rightX-leadW-1)
	shown, wide, col := drawQuery(&s.prompt, st, room)
	if s.prompt.Empty() {
		hint := st.Spell(searchHint)
		if s.mode.acting {
			hint = s.env.Keys.Find(shell.InList, shell.Type).KeyText() + " to search"
		}
		if w < 30 {
			hint = ""
		}
		hint = st.Cells.Truncate(hint, max(room-1, 0), "")
		shown, wide = st.Faint.Render(hint), st.Cells.StringWidth(hint)
	}
	gap := strings.Repeat(" ", max(0, w-leadW-wide-st.Cells.StringWidth(right)))
	h.text, h.cursor = st.Cells.Truncate(lead+shown+gap+right, w, ""), min(leadW+col, w-1)
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
		case piece == orderNote(r.shown.List.SortOrder()):
			return shell.CycleSort
		case i == len(pieces)-1 && strings.Contains(piece, " hidden"):
			return shell.Hidden
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
