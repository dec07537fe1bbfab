package dialog

import (
	"slices"
	"strings"

	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// menuPlace is where an entry of a menu was drawn, in the text of its box.
type menuPlace struct{ x, y, wide int }

// Cells of a column beside its entries: a blank, and below it the names of groups.
const blankCell = -1

// columns draws entries with groups in as many columns as there is room for, all of them as
// short as that allows. ok is false where they do not fit.
func (m *Menu) columns(inner, tall int) (lines []string, ok bool) {
	s := m.sh.Styles()
	var groups []string
	var blocks [][]int // of each group: its name as blankCell-1-k, and its entries
	label, note := 0, 0
	for i, e := range m.entries {
		if e.Group == "" {
			return nil, false
		}
		if n := len(groups); n == 0 || groups[n-1] != e.Group {
			blocks = append(blocks, []int{blankCell - 1 - n})
			groups = append(groups, e.Group)
		}
		blocks[len(blocks)-1] = append(blocks[len(blocks)-1], i)
		label, note = max(label, s.Cells.StringWidth(e.Label)), max(note, s.Cells.StringWidth(e.Note))
	}
	wide := 5 + label + 2 + note
	n := min(len(groups), (inner+2)/(wide+2))
	if n == 0 {
		return nil, false
	}
	cells := whole(blocks, n)
	if tallest(cells) > tall {
		cells = flow(blocks, n)
	}
	if lines = make([]string, tallest(cells)); len(lines) > tall {
		return nil, false
	}
	m.places = make([]menuPlace, len(m.entries))
	for c, column := range cells {
		for y := range lines {
			lines[y] = s.Cells.Pad(lines[y], c*(wide+2), "")
			switch {
			case y >= len(column) || column[y] == blankCell:
				lines[y] += strings.Repeat(" ", wide)
			case column[y] < blankCell:
				lines[y] += s.Group.Render(s.Cells.Pad("  "+groups[blankCell-1-column[y]], wide, ""))
			default:
				i := column[y]
				m.places[i] = menuPlace{c * (wide + 2), y, wide}
				lines[y] += m.entry(s, m.entries[i], i == m.Sel, label, note, wide)
			}
		}
	}
	return lines, true
}

// tallest returns how many cells the tallest column has.
func tallest(columns [][]int) (rows int) {
	for _, c := range columns {
		rows = max(rows, len(c))
	}
	return rows
}

// whole puts groups into at most n columns, none of them divided.
func whole(groups [][]int, n int) [][]int {
	for rows := tallest(groups); ; rows++ {
		columns := [][]int{nil}
		for _, g := range groups {
			last := &columns[len(columns)-1]
			if len(*last) > 0 && len(*last)+1+len(g) > rows {
				columns = append(columns, nil)
				last = &columns[len(columns)-1]
			} else if len(*last) > 0 {
				*last = append(*last, blankCell)
			}
			*last = append(*last, g...)
		}
		if len(columns) <= n {
			return columns
		}
	}
}

// flow fills n columns with groups, one after the other. No column ends with the name of a group.
func flow(groups [][]int, n int) [][]int {
	all := slices.Concat(groups...)
	for rows := (len(all) + n - 1) / n; ; rows++ {
		even, rest := make([][]int, n), all
		for c := range even {
			k := min(rows, len(rest))
			if k > 0 && k < len(rest) && rest[k-1] < blankCell {
				k--
			}
			even[c], rest = rest[:k], rest[k:]
		}
		if len(rest) == 0 {
			return even
		}
	}
}

// stacked draws entries without groups with their notes below them, which are what is
// copied: ids and commands are not cut. ok is false where the notes fit beside the entries,
// and where they do not fit below either.
func (m *Menu) stacked(inner, tall int) (lines []string, ok bool) {
	s := m.sh.Styles()
	var label, note int
	for _, e := range m.entries {
		label = max(label, s.Cells.StringWidth(e.Label))
		if e.Why == "" {
			note = max(note, s.Cells.StringWidth(e.Note))
		}
	}
	if m.text != "" || 8+label+note <= inner || 5+note > inner || 2*len(m.entries) > tall {
		return nil, false
	}
	m.places = make([]menuPlace, len(m.entries))
	for i, e := range m.entries {
		wide := min(inner, 5+max(label, note))
		m.places[i] = menuPlace{0, len(lines), wide}
		below := s.On(i == m.Sel, s.Muted)
		if e.Why != "" {
			below = s.On(i == m.Sel, s.Faint)
		}
		lines = append(lines, m.entry(s, e, i == m.Sel, wide-5, 0, wide), below.Render(s.Cells.Pad("     "+e.Note, wide, s.Glyphs.Ellipsis)))
	}
	return lines, true
}

// entry draws an entry in exactly wide columns.
func (m *Menu) entry(s *theme.Styles, e shell.Entry, selected bool, label, note, wide int) string {
	mark := kit.RowMark(s, selected) + " "
	key := s.Key
	text := s.Text
	if e.Why != "" {
		key, text = s.Faint, s.Faint
	}
	line := s.On(selected, s.Accent).Render(mark) + s.On(selected, key).Render(s.Cells.Pad(e.Letter, 2, "")) +
		s.On(selected, text).Render(" "+s.Cells.Pad(e.Label, label, s.Glyphs.Ellipsis))
	if note > 0 {
		line += s.On(selected, s.Faint).Render("  " + noteIn(s, &e, note))
	}
	return s.Cells.Truncate(line, wide, "") + s.On(selected, s.Text).Render(strings.Repeat(" ", max(0, wide-s.Cells.StringWidth(line))))
}

// noteIn returns the note of an entry in exactly wide columns. A reason is not cut inside a
// sentence: choosing the entry says the whole of it.
func noteIn(s *theme.Styles, e *shell.Entry, wide int) string {
	note := e.Note
	if e.Why != "" {
		note = kit.Clauses(s.Cells, note, wide)
	}
	return s.Cells.Pad(note, wide, s.Glyphs.Ellipsis)
}

// at returns the entry at a place of the box, -1 where there is none.
func (m *Menu) at(x, y int) int {
	if m.places == nil {
		return m.pane.at(y)
	}
	for i, p := range m.places {
		if y == p.y && x >= p.x && x < p.x+p.wide {
			return i
		}
	}
	return -1
}

// turn goes to the entry in the next column, as near to the line of the current one as
// there is one.
func (m *Menu) turn(by int) {
	if m.places == nil || m.Sel >= len(m.places) {
		return
	}
	from := m.places[m.Sel]
	best, distance := -1, 1<<20
	for i, p := range m.places {
		if (p.x-from.x)*by <= 0 {
			continue
		}
		down := p.y - from.y
		if d := abs(p.x-from.x)*100 + abs(down); d < distance {
			best, distance = i, d
		}
	}
	if best >= 0 {
		m.Sel = best
	}
}

func abs(n int) int { return max(n, -n) }
