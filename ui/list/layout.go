package list

import (
	"slices"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// layout has the positions of the parts of the list screen. They depend only on
// the size of the window, the preview setting and what there is to show; every
// size has a layout.
type layout struct {
	w, h     int
	tiny     bool // only the title of the current row
	header   bool // the line with the query
	brand    bool // with the program's name in it
	tabs     bool // the line of named queries
	chips    int  // lines that the filters and hints want
	chipRows int  // lines that they have
	banner   int  // lines for what is wrong with the database
	titles   bool // the line over the rows with the titles of the columns
	row      rowShape
	rows     kit.Area
	detail   kit.Area // a line about the current row in the place of a preview; without width when there is none
	pane     kit.Area // the preview with its edges; without width when there is none
	below    bool     // the pane is below the rows, in a frame
}

// rowShape says which columns a row has. Widths depend on the width of the list, and on
// whether the database has folders: rows that come and go move nothing.
type rowShape struct {
	w                                        int
	bare                                     bool // no column for marks, narrow margins
	msgs, age, source, cost, llm, folder, id int  // widths; 0 for none
	profile                                  int  // only where several databases are listed
	snippets                                 bool // second lines under all rows that have one, not only under the current one
	order                                    query.Order
	sequence                                 [8]string // the columns by name, from the left
}

// column returns the width of the column of a name.
func (r *rowShape) column(name string) *int {
	return map[string]*int{
		"messages": &r.msgs, "age": &r.age, "profile": &r.profile, "source": &r.source, "cost": &r.cost, "model": &r.llm, "folder": &r.folder, "id": &r.id,
	}[name]
}

// leastTitle is what the user's own choice of columns leaves of the title.
const leastTitle = 24

// choose shows these columns, those named first while there is room. The one that the rows are
// ordered by stays, and the profile needs several.
func (r rowShape) choose(columns []string, several bool) rowShape {
	for _, c := range r.sequence {
		if w := r.column(c); w != nil {
			*w = 0
		}
	}
	r.sequence = [8]string{}
	if by := map[query.Order]string{query.ByCost: "cost", query.ByMessages: "messages"}[r.order]; by != "" && !slices.Contains(columns, by) {
		columns = append([]string{by}, columns...)
	}
	wide := map[string]int{"messages": 4, "age": 6, "profile": 8, "source": 8, "cost": costWidth, "model": 17, "folder": 12, "id": 24}
	if r.w >= 100 {
		wide["messages"] = 5
		wide["profile"] = 10
		wide["source"] = 10
	}
	room := r.w - r.indent() - 1
	for i, c := range columns {
		if c == "profile" && !several {
			continue
		}
		if room -= wide[c] + 2; room < leastTitle {
			break
		}
		*r.column(c), r.sequence[i] = wide[c], c
	}
	return r
}

// previewWish says whether the user wants to see the preview.
type previewWish int

const (
	whereItFits previewWish = iota
	previewShown
	previewHidden
)

const (
	// sideFrom is the width of the window from which the preview is beside the rows.
	sideFrom = 120
	// titlesFrom is the width from which the columns have titles.
	titlesFrom = 100
)

// newLayout lays out w by h columns and lines; chips is how many lines filters and hints
// would take, banner how many it would take to say what is wrong, several that rows name
// their profile, tabs that there are named queries, order that of the rows.
func newLayout(w, h int, preview previewWish, chips, banner int, several, tabs bool, order query.Order) layout {
	l := layout{w: w, h: h, chips: chips, tiny: w < 20 || h < 4}
	if l.tiny {
		l.rows = kit.Area{X: 0, Y: 0, W: w, H: h}
		l.row = rowShape{w: w, bare: true}
		return l
	}
	small := w < 40 || h < 10
	l.header, l.brand = true, w >= 100
	switch {
	case small && h < 7:
	case small:
		l.banner = min(banner, 1)
	case h < 15:
		l.banner = min(banner, 2)
	default:
		l.banner = min(banner, max(h/4, 3))
	}
	top := 1 + l.banner
	if l.tabs = tabs && w >= 40 && h > 10; l.tabs {
		top++
	}
	if w >= 40 && h > 10 {
		l.chipRows = min(chips, 2)
		top += l.chipRows
	}
	l.rows = kit.Area{X: 0, Y: top, W: w, H: h - top}
	switch {
	case preview == previewHidden:
	case w >= sideFrom && h >= 8:
		wide := paneWidth(w)
		l.rows.W = w - wide
		l.pane = kit.Area{X: l.rows.W, Y: top, W: wide, H: h - top}
	// The screen is a line less than the terminal.
	case w >= 80 && h >= 29, preview == previewShown && w >= 40 && h >= 16:
		tall := (h - top) * 42 / 100
		l.rows.H -= tall
		l.pane = kit.Area{X: 0, Y: top + l.rows.H, W: w, H: tall}
		l.below = true
	case w >= 40 && l.rows.H >= 15:
		l.rows.H--
		l.detail = kit.Area{X: 0, Y: top + l.rows.H, W: w, H: 1}
	}
	if l.titles = w >= titlesFrom && h >= 20; l.titles {
		l.rows.Y++
		l.rows.H--
	}
	l.row = newRowShape(w, l.rows, several, order)
	return l
}

// paneWidth is the width of the preview beside the rows of a window of w columns. It keeps a
// measure that reads well, and rows have the rest until all of their columns fit.
func paneWidth(w int) int {
	const readable, fullRows = 68, 158
	if w <= readable+fullRows {
		return min(max(w*38/100, 50), readable)
	}
	return min(readable+(w-readable-fullRows)/2, 96)
}

// inside returns the width and height that the preview has between its edges.
func (l *layout) inside() (w, h int) {
	if l.below {
		return max(0, l.pane.W-4), max(0, l.pane.H-2)
	}
	return max(0, l.pane.W-3), max(0, l.pane.H-1)
}

// Titles keep titleBesideCost columns where the cost stands beside them. The columns that say
// less come where most titles are whole.
const titleBesideCost, wholeTitle = 43, 56

// costWidth is the width of the column of the cost.
const costWidth = 7

// newRowShape chooses columns: those that matter less go first, the title keeps enough to be
// told apart, and what the rows are ordered by stays.
func newRowShape(w int, rows kit.Area, several bool, order query.Order) rowShape {
	r := rowShape{w: rows.W, snippets: rows.H >= 14, age: 6, order: order, sequence: [8]string(shell.Columns())}
	if several && w >= 50 {
		r.profile = 8
	}
	switch {
	case w < 60:
		r.bare = true
		switch order {
		case query.ByCost:
			r.cost, r.age = costWidth, 0
		case query.ByMessages:
			r.msgs, r.age = 4, 0
		}
		return r
	case w < 80 && order == query.ByCost:
		r.cost = costWidth
		return r
	case w < 80:
		r.msgs = 4
		return r
	}
	r.msgs, r.source = 4, 8
	if rows.W >= 100 {
		r.msgs, r.source = 5, 10
	}
	title := rows.W - 6 - (r.msgs + r.age + r.source + 6)
	if r.profile > 0 {
		r.profile = 10
		title -= r.profile + 2
	}
	if order == query.ByCost && title-costWidth-2 < titleBesideCost {
		r.cost, r.source = costWidth, 0
		return r
	}
	for _, c := range []struct {
		col         *int
		wide, title int
	}{{&r.cost, costWidth, titleBesideCost}, {&r.llm, 17, wholeTitle}, {&r.folder, 12, wholeTitle}, {&r.id, 24, wholeTitle}} {
		if title -= c.wide + 2; title < c.title {
			break
		}
		*c.col = c.wide
	}
	return r
}
