package list

import "hermes-sessions/model/query"

// Peek is the state of the list that journeys through the browser check besides
// the screen. Only tests use it; with it they can live outside of this package.
type Peek struct {
	Query    string      // what is typed
	Asked    RowsQuery   // what would be asked now
	Order    query.Order // of searches
	HeadLine string

	Items       []Item // that have been read
	Total       int    // conversations that answer the query
	Row         int    // the current one
	RowLine     int    // the line of the window at which it begins
	Top         int    // the first row in the window
	Height      int    // of the window, in lines
	Window      []string
	MarkedRoots []string
	Hidden      int // rows that are kept away

	Preview  bool     // there is a preview on the screen
	Offering bool     // something is offered under the query
	Offers   []string // as they are shown
}

// Peek returns the state of the screen.
func (s *Screen) Peek() Peek {
	r := &s.results
	p := Peek{
		Query: s.prompt.Text(), Asked: s.rowsQuery(), Order: s.filters.order, HeadLine: newHeadLine(s).text,
		Items: r.found.items, Total: r.found.total, Row: r.rows.Selected, RowLine: r.rows.Offset(),
		Top: r.rows.Top, Height: r.rows.Height, Window: r.rows.Visible(), MarkedRoots: r.marks.roots, Hidden: len(r.optimistic.hidden),
		Preview: s.layout.pane.W > 0, Offering: s.completion.showing(),
	}
	for _, o := range s.completion.suggestions {
		p.Offers = append(p.Offers, o.show)
	}
	return p
}

// PeekAbove returns how many lines of rows are above the window, which draws them.
func (s *Screen) PeekAbove() int {
	n := s.results.rows.Skip
	for i := range s.results.rows.Top {
		n += len(s.results.rows.Lines(i))
	}
	return n
}
