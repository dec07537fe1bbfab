package list

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
)

// Lines implements [shell.Screen].
func (l *Screen) Lines() []string { return l.offers.over(l.page()) }

// page draws the screen without the offers of the completion.
func (l *Screen) page() []string {
	if l.layout.tiny {
		return tinyLines(l.sh.Styles(), &l.results, l.layout.w, l.layout.h)
	}
	s := l.sh.Styles()
	out := make([]string, 0, l.layout.h)
	head, _ := l.headLine()
	out = append(out, head)
	if l.layout.chipLine {
		out = append(out, chipLine(s, l.remarks(), l.layout.w))
	}
	out = append(out, bannerLines(s, l.results.found.notes, l.layout.w, l.layout.banner)...)
	if text := notice(s, l.env, &l.results, l.fetch.late(), l.layout.w); text != nil {
		return append(out, text...)
	}
	left := l.results.rows.Visible()
	pane := l.pane.lines(l.results.current(), l.layout.pane.W-1, l.layout.pane.H, !l.layout.below)
	if l.layout.pane.W == 0 {
		return append(out, left...)
	}
	if l.layout.below {
		out = append(out, left...)
		for len(out) < l.layout.pane.Y {
			out = append(out, "")
		}
		return append(out, pane...)
	}
	blank := strings.Repeat(" ", l.layout.rows.W)
	edges := l.results.edges(s, l.layout.rows.H)
	for y := range l.layout.rows.H {
		row, side := blank, ""
		if y < len(left) {
			row = left[y]
		}
		if y < len(pane) {
			side = pane[y]
		}
		out = append(out, row+edges[y]+side)
	}
	return out
}

// edges are the pieces of the line between rows and preview in h lines: it
// joins the headings on its left and the title on its right.
func (r *results) edges(s *theme.Styles, h int) []string {
	bar, left := s.Border.Render(s.Glyphs.Divider), s.Border.Render(s.Glyphs.JointLeft)
	out := make([]string, h)
	for y := range out {
		out[y] = bar
	}
	y := -r.rows.Skip
	for i := r.rows.Top; i < r.rows.Len && y < len(out); i++ {
		if y >= 0 && r.found.Items[i].Heading != "" {
			out[y] = left
		}
		y += len(r.rows.Lines(i))
	}
	if out[0] == left {
		out[0] = s.Border.Render(s.Glyphs.JointDown)
	} else {
		out[0] = s.Border.Render(s.Glyphs.JointRight)
	}
	return out
}

// Cursor implements [shell.Screen].
func (l *Screen) Cursor() *tea.Cursor {
	if !l.layout.header || l.mode.acting {
		return nil
	}
	_, col := l.headLine()
	return tea.NewCursor(col, 0)
}

// headLine is the first line: the program's name, the query, and the number of
// results. It also gives the column of the cursor.
func (l *Screen) headLine() (string, int) {
	s, w := l.sh.Styles(), l.layout.w
	lead := " " + s.Accent.Render(s.Glyphs.Cursor) + " "
	if l.layout.brand {
		lead = " " + s.Strong.Render("hermes sessions") + "  " + s.Accent.Render(s.Glyphs.Cursor) + " "
	}
	if l.mode.acting {
		lead += s.Warn.Render("normal ") // as vi calls it
	}
	leadW := s.Cells.StringWidth(lead)
	need := min(max(16, s.Cells.StringWidth(l.prompt.Text())+2), 48)
	right := ""
	for _, c := range counts(&l.fetch, &l.results, s.Glyphs.Ellipsis) {
		if leadW+need+s.Cells.StringWidth(c)+3 <= w {
			right = s.Muted.Render(c) + " "
			break
		}
	}
	room := max(1, w-leadW-s.Cells.StringWidth(right)-1)
	shown, wide, col := drawQuery(&l.prompt, s, room)
	if l.prompt.Empty() {
		hint := "type to search"
		if l.mode.acting {
			hint = l.env.Keys.Find(shell.InList, shell.Type).KeyLabel() + " to search"
		}
		if w < 40 {
			hint = ""
		}
		hint = s.Cells.Truncate(hint, max(room-1, 0), "")
		shown, wide = s.Faint.Render(hint), s.Cells.StringWidth(hint)
	}
	gap := strings.Repeat(" ", max(0, w-leadW-wide-s.Cells.StringWidth(right)))
	return s.Cells.Truncate(lead+shown+gap+right, w, ""), min(leadW+col, w-1)
}
