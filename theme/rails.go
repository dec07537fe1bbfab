package theme

import "strings"

// Rails draws the lines that connect a row of a tree with the rows above and below
// it. rails says for each level, from the outermost to that of the row, whether a
// later row follows on that level. deep says that outer levels are missing in rails.
// Each level takes wide columns. If most is not 0, only the innermost levels that
// fit most columns are drawn.
func (g Glyphs) Rails(rails []bool, deep bool, wide, most int) string {
	if len(rails) == 0 {
		return ""
	}
	from := 0
	if most > 0 {
		from = max(0, len(rails)-max(1, most/wide))
	}
	var b strings.Builder
	if from > 0 || deep {
		b.WriteString(g.Ellipsis)
	}
	level := func(joint, fill string) {
		b.WriteString(joint)
		if wide > 1 {
			b.WriteString(strings.Repeat(fill, wide-2) + " ")
		}
	}
	for i := from; i < len(rails); i++ {
		more, last := rails[i], i == len(rails)-1
		switch {
		case last && more:
			level(g.JointRight, g.Rule)
		case last:
			level(g.Corner, g.Rule)
		case more:
			level(g.Bar, " ")
		default:
			level(" ", " ")
		}
	}
	return b.String()
}
