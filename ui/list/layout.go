package list

import (
	"hermes-sessions/internal/cells"
	"hermes-sessions/ui/kit"
)

// layout has the positions of the parts of the list screen. They depend only on
// the size of the window, the preview setting and what there is to show; every
// size has a layout.
type layout struct {
	w, h     int
	tiny     bool // only the title of the current row
	header   bool // the line with the query
	brand    bool // with the program's name in it
	chips    bool // there are filters or hints to tell of
	chipLine bool // and a line for them
	banner   int  // lines for what is wrong with the database
	row      rowShape
	closeRow rowShape // of the closest conversations
	rows     kit.Area
	pane     kit.Area // without width when there is none
	below    bool     // the pane is below the rows
}

// rowShape says which columns a row has.
type rowShape struct {
	w                                int
	bare                             bool // no status glyph, narrow margins
	msgs, age, source, cost, id, llm int  // widths; 0 for none
	snippets                         bool // under all rows while searching, not only under the current one
	detail                           bool // the current row has a second line
}

// previewWish says whether the user wants to see the preview.
type previewWish int

const (
	whereItFits previewWish = iota
	previewShown
	previewHidden
)

// newLayout lays out w by h columns and lines; chips says
// that there are filters to tell of, banner is how many lines it would take to
// say what is wrong, widest and closest are what rows need and those of the closest
// conversations.
func newLayout(w, h int, preview previewWish, chips bool, banner int, widest, closest columnWidths) layout {
	l := layout{w: w, h: h, chips: chips, tiny: w < 20 || h < 4}
	if l.tiny {
		l.rows = kit.Area{X: 0, Y: 0, W: w, H: h}
		l.row = rowShape{w: w, bare: true}
		l.closeRow = l.row
		return l
	}
	small := w < 40 || h < 10
	l.header, l.brand = true, w >= 60
	switch {
	case small:
	case h < 15:
		l.banner = min(banner, 1)
	default:
		l.banner = min(banner, 3)
	}
	top := 1 + l.banner
	if l.chipLine = chips && w >= 40 && h > 10; l.chipLine {
		top++
	}
	l.rows = kit.Area{X: 0, Y: top, W: w, H: h - top}
	switch {
	case preview == previewHidden:
	case w >= 120 && h >= 8:
		split := w / 2
		if w >= 160 {
			split = w * 45 / 100
		}
		l.rows.W = split
		l.pane = kit.Area{X: split, Y: top, W: w - split, H: h - top}
	// The screen is a line less than the terminal.
	case w >= 80 && h >= 29, preview == previewShown && w >= 40 && h >= 16:
		tall := (h - top) * 40 / 100
		l.rows.H -= tall
		l.pane = kit.Area{X: 0, Y: top + l.rows.H, W: w, H: tall}
		l.below = true
	}
	l.row, l.closeRow = newRowShape(w, l.rows, widest), newRowShape(w, l.rows, closest)
	l.row.detail, l.closeRow.detail = l.pane.W == 0, l.pane.W == 0
	return l
}

// columnWidths is what the rows at hand need, so that columns of short words
// leave their room to the titles.
type columnWidths struct{ msgs, source, llm int }

// newRowShape chooses columns: those that matter less go first, and the title
// keeps enough to be told apart.
func newRowShape(w int, rows kit.Area, widest columnWidths) rowShape {
	r := rowShape{w: rows.W, snippets: rows.H >= 14, age: 4}
	switch {
	case w < 60:
		r.bare = true
		return r
	case w < 80:
		r.bare, r.msgs = true, widest.msgs
		return r
	}
	r.msgs, r.source = widest.msgs, widest.source
	title := rows.W - 5 - (r.msgs + r.age + r.source + 6)
	for _, c := range []struct {
		col  *int
		wide int
	}{{&r.cost, 7}, {&r.llm, widest.llm}, {&r.id, 24}} {
		if title -= c.wide + 2; title < 48 {
			break
		}
		*c.col = c.wide
	}
	return r
}

// atLeast keeps columns from becoming narrower than others.
func (c columnWidths) atLeast(o columnWidths) columnWidths {
	return columnWidths{max(c.msgs, o.msgs), max(c.source, o.source), max(c.llm, o.llm)}
}

// widestColumns looks at the rows for what their columns need, by code point: it is seldom
// less than by grapheme.
func widestColumns(items []Item) columnWidths {
	c := columnWidths{msgs: 2, source: 3}
	for i := range items {
		it := &items[i]
		c.msgs = max(c.msgs, cells.ByCodePoint.StringWidth(kit.Count(it.Messages)))
		c.source = max(c.source, cells.ByCodePoint.StringWidth(it.Source))
		c.llm = max(c.llm, cells.ByCodePoint.StringWidth(it.Model))
	}
	return columnWidths{min(c.msgs, 6), min(c.source, 8), min(c.llm, 24)}
}
