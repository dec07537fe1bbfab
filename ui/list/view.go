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
func (s *Screen) Lines() []string { return s.completion.overlay(s.page()) }

// page draws the screen without the offers of the completion.
func (s *Screen) page() []string {
	if s.layout.tiny {
		return tinyLines(s.sh.Styles(), &s.results, s.layout.w, s.layout.h)
	}
	st := s.sh.Styles()
	out := make([]string, 0, s.layout.h)
	out = append(out, newHeadLine(s).text)
	if s.layout.tabs {
		out = append(out, s.named.bar.Line(s.sh, s.named.active, s.layout.w))
	}
	if n := s.layout.chipRows; n > 0 {
		chips := chipLines(st, s.remarks(), s.layout.w)
		if len(chips) > n {
			chips[n-1] = st.Cells.Truncate(chips[n-1]+chips[n], s.layout.w, st.Glyphs.Ellipsis)
		}
		chips = append(chips, make([]string, n)...) // the remarks may have become fewer
		out = append(out, chips[:n]...)
	}
	banner := shell.Banner(st, s.results.found.notes, s.layout.w, s.layout.banner)
	out = append(out, banner...)
	if text := notice(st, s.env, &s.results, s.fetch.late(), s.fetch.read.Moves, s.layout.w, banner); text != nil {
		return append(out, text...)
	}
	rows := s.results.rows.Visible()
	if s.layout.titles {
		rows = append([]string{columnTitles(st, s.layout.row)}, rows...)
	}
	it := s.results.current()
	switch {
	case s.layout.detail.W > 0:
		out = append(out, rows...)
		out = kit.FillLines(out, s.layout.detail.Y)
		return append(out, detailLine(st, it, s.results.shown.searching(), s.env.Clock(), s.layout.row.indent(), s.layout.w))
	case s.layout.pane.W == 0:
		return append(out, rows...)
	case s.layout.below:
		out = append(out, rows...)
		out = kit.FillLines(out, s.layout.pane.Y)
		return append(out, framed(st, it.title(), s.pane.Lines(it.conversation()), s.layout.pane)...)
	}
	return append(out, s.beside(rows)...)
}

// beside draws the preview to the right of the rows.
func (s *Screen) beside(rows []string) []string {
	st := s.sh.Styles()
	it := s.results.current()
	at := s.layout.pane
	lines := s.pane.Lines(it.conversation())
	blank := strings.Repeat(" ", s.layout.rows.W)
	edge := st.Border.Render(st.Glyphs.Divider)
	out := make([]string, at.H)
	for y := range out {
		row := blank
		if y < len(rows) {
			row = rows[y]
		}
		switch {
		case y == 0:
			out[y] = row + st.Border.Render(st.Box.TopLeft) + preview.Edge(st, it.title(), at.W-1)
		case y <= len(lines):
			out[y] = row + edge + " " + lines[y-1]
		default:
			out[y] = row + edge
		}
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
func (s *Screen) Cursor() *tea.Cursor {
	if !s.layout.header || s.mode.acting {
		return nil
	}
	return tea.NewCursor(newHeadLine(s).cursor, 0)
}
