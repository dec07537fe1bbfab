package kit

import (
	"cmp"
	"slices"
	"strings"

	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
)

// Table draws rows of names in columns, with a bar at the end of each that compares one of the
// columns. [Table.LayOut] chooses the columns that a window has room for.
type Table struct {
	Name    string // head of the names
	Columns []Column
	Bar     int // the least columns of a bar, 0 for no bars

	w, name, bar int
	shown        []int // of Columns
}

// Column is what a table tells of its rows beside their names.
type Column struct {
	Head  string
	Width int  // of the widest cell
	Rank  int  // where there is little room, lower ones come first; those of one rank only together
	Left  bool // texts begin in the same column, numbers end there
	Main  bool // what the bars compare, which stands out
}

const (
	widestBar = 60
	leastName = 12
)

// LayOut chooses the columns for rows of w columns, whose widest name takes names of them.
func (t *Table) LayOut(measure cells.Method, w, names int) {
	t.w = w
	names = max(names, measure.StringWidth(t.Name))
	room := w - 3 - min(names, max(w/2, leastName+2)) - 2 - t.Bar
	ranks := map[int]int{} // columns that each takes
	for i := range t.Columns {
		c := &t.Columns[i]
		c.Width = max(c.Width, measure.StringWidth(c.Head))
		ranks[c.Rank] += c.Width + 2
	}
	right := 3
	t.shown = t.shown[:0]
	order := make([]int, 0, len(ranks))
	for rank := range ranks {
		order = append(order, rank)
	}
	slices.Sort(order)
	for n, rank := range order {
		wide := ranks[rank]
		if n > 0 && wide > room {
			continue
		}
		room, right = room-wide, right+wide
		for i := range t.Columns {
			if t.Columns[i].Rank == rank {
				t.shown = append(t.shown, i)
			}
		}
	}
	slices.Sort(t.shown)
	t.name = max(min(names, w-right-2-t.Bar), min(leastName, names))
	t.name = max(min(t.name, w-right-1), 1)
	if t.bar = 0; t.Bar > 0 {
		t.bar = max(0, min(w-right-t.name-3, widestBar))
	}
	if t.bar == 0 { // texts at the end have the room of the bars
		t.name = max(t.name, min(names, w-right-1))
	}
}

// NameWidth is the columns of the names.
func (t *Table) NameWidth() int { return t.name }

// Heads draws the heads of the columns.
func (t *Table) Heads(s *theme.Styles) string {
	line := "   " + s.Group.Render(s.Cells.Pad(t.Name, t.name, s.Glyphs.Ellipsis))
	for _, i := range t.shown {
		c := &t.Columns[i]
		style := s.Faint
		if c.Main {
			style = s.Accent
		}
		line += "  " + style.Render(c.pad(s, c.Head))
	}
	return line
}

func (c *Column) pad(s *theme.Styles, text string) string {
	if c.Left {
		return s.Cells.Pad(text, c.Width, s.Glyphs.Ellipsis)
	}
	return s.Cells.PadLeft(text, c.Width, "")
}

// Row draws a row behind a mark of one column: its name, its cells, which are asked for by the
// number of their column, and the bar of its share.
func (t *Table) Row(s *theme.Styles, mark string, selected bool, name string, cell func(column int) string, share float64) string {
	line := s.On(selected, s.Accent).Render(cmp.Or(mark, " ")+RowMark(s, selected)+" ") + s.On(selected, s.Text).Render(s.Cells.Pad(name, t.name, s.Glyphs.Ellipsis))
	for _, i := range t.shown {
		style := s.Muted
		if t.Columns[i].Main {
			style = s.Text
		}
		line += s.On(selected, style).Render("  " + t.Columns[i].pad(s, s.Spell(cell(i))))
	}
	if t.bar > 1 {
		line += s.On(selected, s.Key).Render("  " + ShareBar(s, share, t.bar))
	}
	if selected {
		line += s.On(true, s.Text).Render(strings.Repeat(" ", max(0, t.w-s.Cells.StringWidth(line))))
	}
	return s.Cells.Truncate(line, t.w, "")
}
