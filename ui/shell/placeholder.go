package shell

import (
	"charm.land/lipgloss/v2"

	"hermes-sessions/theme"
)

// TextLines draws a text that stands in place of rows, in lines of at most w columns.
func TextLines(s *theme.Styles, w int, text string) []string {
	return indented(s.Text, s.Cells.Wrap(text, max(w-4, 1)))
}

// ErrorLines draws in place of rows why they could not be read, and what helps.
func ErrorLines(s *theme.Styles, w int, err error) []string {
	return indented(s.Text, Explain(s.Cells, err, max(w-4, 1)))
}

// WaitingLines draws in place of rows what is being done: "reading".
func WaitingLines(s *theme.Styles, w int, doing string) []string {
	return indented(s.Faint, s.Cells.Wrap(doing+s.Glyphs.Ellipsis, max(w-4, 1)))
}

func indented(style lipgloss.Style, lines []string) []string {
	for i, l := range lines {
		lines[i] = "  " + style.Render(l)
	}
	return lines
}
