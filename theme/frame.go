package theme

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// Frame draws a box on the surface around rows that are wide columns wide, with a column
// between them and the lines at the sides. border is the style of its lines. In the lower
// edge stand the hints, the first of several forms of them that fits.
func (s *Styles) Frame(rows []string, wide int, border lipgloss.Style, hints ...string) []string {
	b := s.Box
	left, right := border.Render(b.Left), border.Render(b.Right)
	rows = slices.Clone(rows)
	for i, row := range rows {
		rows[i] = left + " " + row + " " + right
	}
	rows = slices.Insert(rows, 0, border.Render(b.TopLeft+strings.Repeat(b.Top, wide+2)+b.TopRight))
	edge, room := border.Render(b.BottomLeft), wide+2
	for _, hint := range hints {
		if w := s.Cells.StringWidth(hint) + 3; w <= wide+2 {
			edge, room = border.Render(edge+b.Bottom)+s.Faint.Render(" "+hint+" "), room-w
			break
		}
	}
	rows = append(rows, edge+border.Render(strings.Repeat(b.Bottom, room)+b.BottomRight))
	for i, row := range rows {
		rows[i] = s.onSurface(row)
	}
	return rows
}
