package theme

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// Frame draws a box on the surface around rows that are wide columns wide, with a column
// between them and the lines at the sides. border is the style of its lines.
func (s *Styles) Frame(rows []string, wide int, border lipgloss.Style) []string {
	b := s.Box
	left, right := border.Render(b.Left), border.Render(b.Right)
	rows = slices.Clone(rows)
	for i, row := range rows {
		rows[i] = left + " " + row + " " + right
	}
	rows = slices.Insert(rows, 0, border.Render(b.TopLeft+strings.Repeat(b.Top, wide+2)+b.TopRight))
	rows = append(rows, border.Render(b.BottomLeft+strings.Repeat(b.Bottom, wide+2)+b.BottomRight))
	for i, row := range rows {
		rows[i] = s.onSurface(row)
	}
	return rows
}
