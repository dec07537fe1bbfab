package kit

import (
	"strings"

	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
)

// Marks in a drawn line say where the user's attention is. They take no column, and
// [Attention] takes them out before the terminal gets the text. The terminal's cursor
// goes there, and screen readers and magnifiers follow it.
const (
	InField = "\x1b_field\x1b\\" // the next key writes here
	OnRow   = "\x1b_row\x1b\\"   // the next key acts on this row or choice
)

// RowMark returns what stands before a row or a choice: the cursor with [OnRow] if it is the
// current one, else a space.
func RowMark(s *theme.Styles, current bool) string {
	if current {
		return OnRow + s.Glyphs.Cursor
	}
	return " "
}

// Point is a place on the screen.
type Point struct{ X, Y int }

// Attention takes the marks out of a text and returns the places of the marked field and
// the marked row, nil where there is none.
func Attention(measure cells.Method, content string) (text string, field, row *Point) {
	take := func(mark string) *Point {
		before, after, ok := strings.Cut(content, mark)
		if !ok {
			return nil
		}
		content = before + strings.ReplaceAll(after, mark, "")
		return &Point{measure.StringWidth(before[strings.LastIndexByte(before, '\n')+1:]), strings.Count(before, "\n")}
	}
	field = take(InField)
	row = take(OnRow)
	return content, field, row
}
