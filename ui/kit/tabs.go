package kit

import "hermes-sessions/theme"

// Tabs are the names of the lists of a screen in one line, of which one is shown.
type Tabs struct {
	Names []string
	Shown int // number of the list that is shown
}

// fit returns the column in which each tab begins, nil where they do not fit in w columns.
func (t Tabs) fit(s *theme.Styles, w int) (begins []int) {
	x := 1
	for _, name := range t.Names {
		begins = append(begins, x)
		x += s.Cells.StringWidth(name) + 3
	}
	if x > w {
		return nil
	}
	return begins
}

// Line draws the tabs, the one that is shown as a chip. Where they do not fit in w columns,
// it stands alone between arrows.
func (t Tabs) Line(s *theme.Styles, w int) string {
	if t.fit(s, w) == nil {
		return " " + s.Faint.Render(s.Spell("← ")) + s.Chip.Render(" "+t.Names[t.Shown]+" ") + s.Faint.Render(s.Spell(" →"))
	}
	line := " "
	for i, name := range t.Names {
		style := s.Faint
		if i == t.Shown {
			style = s.Chip
		}
		line += style.Render(" "+name+" ") + " "
	}
	return line
}

// At returns the number of the list that a click in column x shows, -1 for none: the list of
// the tab, or where only one tab fits, the list before or after it for a click beside it.
func (t Tabs) At(s *theme.Styles, x, w int) int {
	begins := t.fit(s, w)
	if begins == nil {
		left := 1 + s.Cells.StringWidth(s.Spell("← "))
		switch n := len(t.Names); {
		case x < left:
			return (t.Shown + n - 1) % n
		case x >= left+s.Cells.StringWidth(t.Names[t.Shown])+2:
			return (t.Shown + 1) % n
		}
		return t.Shown
	}
	for i, name := range t.Names {
		if x >= begins[i] && x < begins[i]+s.Cells.StringWidth(name)+2 {
			return i
		}
	}
	return -1
}
