package kit

import "hermes-sessions/theme"

// fewestNoted is the room from which the words of a note are shown beside a title.
const fewestNoted = 12

// Noted returns what is drawn of a note beside a title that leaves room columns: its first
// words, the mark alone, or nothing.
func Noted(s *theme.Styles, note string, room int) string {
	switch {
	case note == "":
		return ""
	case room < fewestNoted:
		return " " + s.Glyphs.Note
	}
	return s.Cells.Truncate("  "+s.Glyphs.Note+" "+note, room, s.Glyphs.Ellipsis)
}
