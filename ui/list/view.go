package list

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/preview"
	"hermes-sessions/ui/shell"
)

// Lines implements [shell.Screen].
func (l *Screen) Lines() []string { return l.completion.overlay(l.page()) }

// page draws the screen without the offers of the completion.
func (l *Screen) page() []string {
	if l.layout.tiny {
		return tinyLines(l.sh.Styles(), &l.results, l.layout.w, l.layout.h)
	}
	s := l.sh.Styles()
	out := make([]string, 0, l.layout.h)
	out = append(out, newHeadLine(l).text)
	if l.layout.tabs {
		out = append(out, l.named.bar.Line(l.sh, l.named.active, l.layout.w))
	}
	if n := l.layout.chipRows; n > 0 {
		chips := chipLines(s, l.remarks(), l.layout.w)
		if len(chips) > n {
			chips[n-1] = s.Cells.Truncate(chips[n-1]+chips[n], l.layout.w, s.Glyphs.Ellipsis)
		}
		chips = append(chips, make([]string, n)...) // the remarks may have become fewer
		out = append(out, chips[:n]...)
	}
	out = append(out, shell.Banner(s, l.results.found.notes, l.layout.w, l.layout.banner)...)
	if text := notice(s, l.env, &l.results, l.fetch.late(), l.layout.w); text != nil {
		return append(out, text...)
	}
	rows := l.results.rows.Visible()
	if l.layout.titles {
		rows = append([]string{columnTitles(s, l.layout.row, l.results.shown.List.Order)}, rows...)
	}
	switch it := l.results.current(); {
	case l.layout.detail.W > 0:
		out = append(out, rows...)
		out = kit.FillLines(out, l.layout.detail.Y)
		return append(out, detailLine(s, it, l.results.shown.Searching(), l.env.Clock(), l.layout.row.indent(), l.layout.w))
	case l.layout.pane.W == 0:
		return append(out, rows...)
	case l.layout.below:
		out = append(out, rows...)
		out = kit.FillLines(out, l.layout.pane.Y)
		return append(out, framed(s, it.title(), l.pane.Lines(it.conversation()), l.layout.pane)...)
	}
	return append(out, l.beside(rows)...)
}

// beside draws the preview to the right of the rows.
func (l *Screen) beside(rows []string) []string {
	s, it, at := l.sh.Styles(), l.results.current(), l.layout.pane
	lines := l.pane.Lines(it.conversation())
	blank := strings.Repeat(" ", l.layout.rows.W)
	edges := l.results.edges(s, at.H, l.layout.titles)
	out := make([]string, at.H)
	for y := range out {
		row := blank
		if y < len(rows) {
			row = rows[y]
		}
		out[y] = row + edges[y]
		switch {
		case y == 0:
			out[y] += preview.Edge(s, it.title(), at.W-1)
		case y <= len(lines):
			out[y] += " " + lines[y-1]
		}
	}
	return out
}

// edges are the pieces of the line between rows and preview in h lines: it
// joins the headings on its left and the title on its right. titled says that the
// first line has the titles of the columns.
func (r *results) edges(s *theme.Styles, h int, titled bool) []string {
	bar, left := s.Border.Render(s.Glyphs.Divider), s.Border.Render(s.Glyphs.JointLeft)
	out := make([]string, h)
	for y := range out {
		out[y] = bar
	}
	y := -r.rows.Skip
	if titled {
		y++
	}
	for i := r.rows.Top; i < r.rows.Len && y < len(out); i++ {
		if y >= 0 && r.found.Items[i].Heading != "" {
			out[y] = left
		}
		y += len(r.rows.Lines(i))
	}
	switch {
	case titled:
		out[0] = s.Border.Render(s.Box.TopLeft)
	case out[0] == left:
		out[0] = s.Border.Render(s.Glyphs.JointDown)
	default:
		out[0] = s.Border.Render(s.Glyphs.JointRight)
	}
	return out
}

// framed draws the preview in a frame of its own.
func framed(s *theme.Styles, title string, lines []string, at kit.Area) []string {
	edge := func(text string) string { return s.Border.Render(text) }
	out := make([]string, 0, at.H)
	out = append(out, edge(s.Box.TopLeft)+preview.Edge(s, title, at.W-2)+edge(s.Box.TopRight))
	for y := range at.H - 2 {
		text := ""
		if y < len(lines) {
			text = lines[y]
		}
		out = append(out, edge(s.Box.Left)+" "+s.Cells.Pad(text, at.W-4, "")+" "+edge(s.Box.Right))
	}
	return append(out, edge(s.Box.BottomLeft+strings.Repeat(s.Box.Bottom, at.W-2)+s.Box.BottomRight))
}

// detailLine says in one line what a preview would show of the current row: what it is
// about, or while searching, when a snippet does, what is known of it.
func detailLine(s *theme.Styles, it *Item, searching bool, now time.Time, indent, w int) string {
	if it == nil {
		return ""
	}
	text := it.Preview
	if cut, ok := strings.CutSuffix(text, "..."); ok { // as Hermes marks it
		text = cut + s.Glyphs.Ellipsis
	}
	if searching || it.dim || text == "" {
		text = preview.Facts(s.Cells, it.Conversation, now, w-indent-1)[0]
	}
	bar := s.Border.Render(s.Box.Left) // it belongs to no row of its own
	return strings.Repeat(" ", indent-2) + bar + " " + s.Muted.Render(s.Cells.Pad(text, w-indent-1, s.Glyphs.Ellipsis))
}

// Cursor implements [shell.Screen].
func (l *Screen) Cursor() *tea.Cursor {
	if !l.layout.header || l.mode.acting {
		return nil
	}
	return tea.NewCursor(newHeadLine(l).cursor, 0)
}
