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

const (
	mostColumn  = 40 // the widest column of a menu
	leastLabel  = 16 // what a column shows at least of the longest label
	unavailable = "  Unavailable"
)

// columns draws entries with groups: each group in a column, or one after the other where one
// is too long for that, and below them those that are not possible now, with the reasons where
// they fit. ok is false where that does not fit.
func (m *Menu) columns(inner, tall int) (lines []string, ok bool) {
	s := m.sh.Styles()
	var groups []string
	members := map[string][]int{}
	var impossible []int
	label, note := 0, 0
	for i, e := range m.entries {
		switch {
		case e.Group == "":
			return nil, false
		case e.Why != "":
			impossible = append(impossible, i)
			continue
		case len(members[e.Group]) == 0:
			groups = append(groups, e.Group)
		}
		members[e.Group] = append(members[e.Group], i)
		label, note = max(label, s.Cells.StringWidth(e.Label)), max(note, s.Cells.StringWidth(e.Note))
	}
	if len(groups) == 0 {
		return nil, false
	}
	n := len(groups)
	wide := min((inner-2*(n-1))/n, mostColumn, 5+label+2+note)
	if wide < 5+label+2+note { // without keys
		note, label = 0, min(label, wide-5)
		if label < leastLabel {
			return nil, false
		}
		wide = 5 + label
	}
	cells := make([][]int, n) // of each column: entries, and -1-k for the name of group k
	for k, g := range groups {
		cells[k] = append([]int{-1 - k}, members[g]...)
	}
	below := (len(impossible)+n-1)/n + 1
	if rows := tallest(cells); tall < rows+min(len(impossible), below) {
		cells = flow(cells)
	}
	rows := tallest(cells)
	reasons := tall >= rows+len(impossible)
	spare := tall - (rows + below)
	if !reasons && spare < 0 {
		return nil, false
	}
	m.places = make([]menuPlace, len(m.entries))
	lines = make([]string, rows)
	for c, column := range cells {
		gap := "  "
		if c == 0 {
			gap = ""
		}
		for y := range rows {
			switch {
			case y >= len(column):
				lines[y] += gap + strings.Repeat(" ", wide)
			case column[y] < 0:
				lines[y] += gap + s.Group.Render(s.Cells.Pad("  "+groups[-1-column[y]], wide, ""))
			default:
				i := column[y]
				m.places[i] = menuPlace{c * (wide + 2), y, wide}
				lines[y] += gap + m.entry(s, m.entries[i], i == m.Sel, label, note, wide)
			}
		}
	}
	if reasons {
		return m.reasons(lines, impossible, inner, tall, label, n*(wide+2)-2), true
	}
	return m.impossible(lines, impossible, n, label, wide, inner, spare > 0), true
}

// tallest returns how many cells the tallest column has.
func tallest(columns [][]int) (rows int) {
	for _, c := range columns {
		rows = max(rows, len(c))
	}
	return rows
}

// flow fills as many columns with the same cells, one after the other, all of them as short as
// that allows. No column ends with the name of a group, which is below zero.
func flow(columns [][]int) [][]int {
	all := slices.Concat(columns...)
	for rows := (len(all) + len(columns) - 1) / len(columns); ; rows++ {
		even, rest := make([][]int, len(columns)), all
		for c := range even {
			n := min(rows, len(rest))
			if n > 0 && n < len(rest) && rest[n-1] < 0 {
				n--
			}
			even[c], rest = rest[:n], rest[n:]
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
	s, label, note := m.sh.Styles(), 0, 0
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

// reasons adds below lines the entries that are not possible now, each with its reason.
func (m *Menu) reasons(lines []string, impossible []int, inner, tall, label, wide int) []string {
	if len(impossible) == 0 {
		return lines
	}
	s, reason := m.sh.Styles(), 0
	for _, i := range impossible {
		label = max(label, s.Cells.StringWidth(m.entries[i].Label))
		reason = max(reason, s.Cells.StringWidth(m.entries[i].Note))
	}
	all := min(max(wide, label+reason+7), inner)
	spare := tall - len(lines) - len(impossible)
	if spare > 1 {
		lines = append(lines, "", s.Group.Render(unavailable))
	} else if spare > 0 { // else the reasons alone say it
		lines = append(lines, s.Group.Render(unavailable))
	}
	for _, i := range impossible {
		m.places[i] = menuPlace{0, len(lines), all}
		lines = append(lines, m.entry(s, m.entries[i], i == m.Sel, label, max(all-label-7, 0), all))
	}
	return lines
}

// impossible adds below lines the entries that are not possible now in n columns, and the
// reason of the current one. Without room for a heading, the last line names them.
func (m *Menu) impossible(lines []string, impossible []int, n, label, wide, inner int, headed bool) []string {
	s, why := m.sh.Styles(), ""
	if headed {
		lines = append(lines, s.Group.Render(unavailable))
	} else {
		why = unavailable + ":"
		for _, i := range impossible {
			why += " " + m.entries[i].Letter
		}
	}
	rows, top := (len(impossible)+n-1)/n, len(lines)
	for k, i := range impossible {
		e, selected := m.entries[i], i == m.Sel
		if selected {
			why = "  " + e.Note
		}
		x, y := k/rows*(wide+2), top+k%rows
		m.places[i] = menuPlace{x, y, wide}
		if y == len(lines) {
			lines = append(lines, "")
		}
		lines[y] = s.Cells.Pad(lines[y], x, "") + m.entry(s, e, selected, label, 0, wide)
	}
	return append(lines, s.Muted.Render(s.Cells.Truncate(why, inner, s.Glyphs.Ellipsis)))
}

// entry draws an entry in exactly wide columns.
func (m *Menu) entry(s *theme.Styles, e shell.Entry, selected bool, label, note, wide int) string {
	mark, key, text := kit.RowMark(s, selected)+" ", s.Key, s.Text
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
