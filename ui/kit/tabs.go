package kit

import "hermes-sessions/theme"

// Tabs are the names of the lists of a screen in one line, of which one is shown.
type Tabs struct {
	Names []string
	Shown int // number of the list that is shown
}

// fit returns the column in which each tab begins that fits in w columns, the one that is
// shown among them, and the number of the first. Not all of them fit where arrows says so.
func (t Tabs) fit(s *theme.Styles, w int) (first int, begins []int, arrows bool) {
	x := 1
	for _, name := range t.Names {
		begins = append(begins, x)
		x += s.Cells.StringWidth(name) + 3
	}
	if x <= w {
		return 0, begins, false
	}
	// They are in pages, so that those in sight stay where they are from one to the next.
	left, right := 1+s.Cells.StringWidth(s.Spell("← ")), w-1-s.Cells.StringWidth(s.Spell(" →"))
	x, begins = left, nil
	for i, name := range t.Names {
		wide := s.Cells.StringWidth(name) + 2
		if x+wide > right && i > first {
			if i > t.Shown {
				break
			}
			first = i
			x = left
			begins = nil
		}
		begins = append(begins, x)
		x += wide + 1
	}
	return first, begins, true
}

// Line draws the tabs, the one that is shown as a chip. Where they do not fit in w columns,
// those that do are between arrows.
func (t Tabs) Line(s *theme.Styles, w int) string {
	first, begins, arrows := t.fit(s, w)
	line := " "
	if arrows {
		line += s.Faint.Render(s.Spell("← "))
	}
	for i := range begins {
		style := s.Faint
		if first+i == t.Shown {
			style = s.Chip
		}
		line += style.Render(" "+t.Names[first+i]+" ") + " "
	}
	if arrows {
		line += s.Faint.Render(s.Spell("→"))
	}
	return line
}

// At returns the number of the list that a click in column x shows, -1 for none: the list of
// the tab, or for a click on an arrow, the list before or after the one that is shown.
func (t Tabs) At(s *theme.Styles, x, w int) int {
	first, begins, arrows := t.fit(s, w)
	for i, begin := range begins {
		if x >= begin && x < begin+s.Cells.StringWidth(t.Names[first+i])+2 {
			return first + i
		}
	}
	n := len(t.Names)
	switch {
	case !arrows:
		return -1
	case x < begins[0]:
		return (t.Shown + n - 1) % n
	case x > begins[len(begins)-1]:
		return (t.Shown + 1) % n
	}
	return -1
}
