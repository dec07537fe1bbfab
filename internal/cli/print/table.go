package print

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// column is a column of a table.
type column struct {
	Head  string
	Right bool                   // aligned to the right
	Style func(...string) string // draws its cells; nil: as they are
	Max   int                    // a longer cell is cut, 0: never
	Min   int                    // it becomes no narrower while another column can go; 0: than its cells
	Want  int                    // it becomes no narrower while there is an optional column
	Drop  int                    // which column goes first, the highest does; 0: it stays
	Mark  bool                   // a mark of the next column, one space before it
}

// optional is the Drop of columns that are shown only where there is room to spare.
const optional = 100

// table is a table that is being filled.
type table struct {
	Columns  []column
	Heading  func(...string) string // draws the heads; nil: as they are
	Ellipsis string                 // ends a cell that was cut

	rows []tableRow
}

// tableRow is a row of cells, or a line over the whole width.
type tableRow struct {
	cells []string
	draw  func(string) string // the finished line; nil: as it is
	line  string
}

// newTable returns a table that cuts cells with an ellipsis.
func newTable(columns ...column) *table { return &table{Columns: columns, Ellipsis: "…"} }

// Row adds a row with one cell for each column: single lines without control characters.
func (t *table) Row(cells ...string) { t.rows = append(t.rows, tableRow{cells: cells}) }

// DrawnRow is Row for a line that draw finishes.
func (t *table) DrawnRow(draw func(string) string, cells ...string) {
	t.rows = append(t.rows, tableRow{cells: cells, draw: draw})
}

// Line adds a line that belongs to no column. It is printed as it is.
func (t *table) Line(text string) { t.rows = append(t.rows, tableRow{line: text}) }

// Empty reports whether the table has no rows.
func (t *table) Empty() bool { return len(t.rows) == 0 }

// gap returns the space after a column.
func (c column) gap() string {
	if c.Mark {
		return " "
	}
	return "  "
}

// minLast is the least width of a column that has to become narrower than it should.
const minLast = 4

// Print writes the heads and the rows on lines of at most width columns, 0 for any
// number. Columns without text are left out.
func (t *table) Print(out io.Writer, width int) error {
	shown, widths := t.fit(width)
	heads := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		heads[i] = c.Head
	}
	lines := []string{drawn(t.line(heads, shown, widths, width, false), t.Heading)}
	for _, r := range t.rows {
		switch {
		case r.cells == nil:
			lines = append(lines, r.line)
		case r.draw != nil:
			lines = append(lines, r.draw(t.line(r.cells, shown, widths, width, false)))
		default:
			lines = append(lines, t.line(r.cells, shown, widths, width, true))
		}
	}
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

// fit chooses the columns that are shown, by index, and how wide each column is.
func (t *table) fit(width int) (shown, widths []int) {
	natural := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		filled := false
		for _, r := range t.rows {
			if r.cells != nil && r.cells[i] != "" {
				filled = true
				natural[i] = max(natural[i], ansi.StringWidth(r.cells[i]))
			}
		}
		if !filled {
			continue
		}
		if c.Max > 0 {
			natural[i] = min(natural[i], c.Max)
		}
		natural[i] = max(natural[i], ansi.StringWidth(c.Head))
		shown = append(shown, i)
	}
	for {
		spare := slices.ContainsFunc(shown, func(i int) bool { return t.Columns[i].Drop >= optional })
		least := func(i int) int {
			c := t.Columns[i]
			switch {
			case spare && c.Want > 0:
				return min(c.Want, natural[i])
			case c.Min > 0:
				return min(c.Min, natural[i])
			}
			return natural[i]
		}
		widths = slices.Clone(natural)
		if width <= 0 || t.narrow(widths, shown, width, least) {
			return shown, widths
		}
		first := 0 // in shown, of the column that goes
		for k, i := range shown {
			if t.Columns[i].Drop > t.Columns[shown[first]].Drop {
				first = k
			}
		}
		if t.Columns[shown[first]].Drop == 0 {
			break
		}
		shown = slices.Delete(shown, first, first+1)
	}
	t.narrow(widths, shown, width, func(int) int { return minLast })
	return shown, widths
}

// width returns the columns of a line.
func (t *table) width(shown, widths []int) (n int) {
	for k, i := range shown {
		if n += widths[i]; k < len(shown)-1 {
			n += len(t.Columns[i].gap())
		}
	}
	return n
}

// narrow takes columns from the widest of those that can become narrower, until all
// fit, and reports whether they do.
func (t *table) narrow(widths, shown []int, width int, least func(i int) int) bool {
	over := t.width(shown, widths) - width
	for ; over > 0; over-- {
		widest := -1
		for _, i := range shown {
			if widths[i] > least(i) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return false
		}
		widths[widest]--
	}
	return true
}

// drawn draws a text in a style, nil for none.
func drawn(text string, style func(...string) string) string {
	if style == nil || text == "" {
		return text
	}
	return style(text)
}

// line puts cells into their columns, in the styles of these if styled.
func (t *table) line(cells []string, shown, widths []int, width int, styled bool) string {
	var b strings.Builder
	for k, i := range shown {
		c := t.Columns[i]
		text := ansi.Truncate(cells[i], widths[i], t.Ellipsis)
		fill := strings.Repeat(" ", max(0, widths[i]-ansi.StringWidth(text)))
		if styled {
			text = drawn(text, c.Style)
		}
		if k > 0 {
			b.WriteString(t.Columns[shown[k-1]].gap())
		}
		switch {
		case c.Right:
			b.WriteString(fill + text)
		case k == len(shown)-1:
			b.WriteString(text)
		default:
			b.WriteString(text + fill)
		}
	}
	text := strings.TrimRight(b.String(), " ")
	if width > 0 && t.width(shown, widths) > width {
		text = ansi.Truncate(text, width, t.Ellipsis)
	}
	return text
}
