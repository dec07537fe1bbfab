package list

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// marks are the conversations that were picked for one action together. They
// are known by their roots, which stay when a conversation goes on in a new
// segment, and so they last while query, order and scope change.
type marks struct {
	roots  []string                      // in the order in which they were marked
	picked map[string]model.Conversation // by root, as last seen
	last   string                        // the root where a range begins
	all    bool                          // mark every row as soon as all have been read
	away   int                           // how many of the marked are not among the rows
	// deepest is the row of the last of them: rows are read again as far as
	// there, so that the marked conversations are known in their present state.
	deepest int
}

func (m *marks) has(it *Item) bool { _, ok := m.picked[it.RootID]; return ok }

func (m *marks) add(it *Item) {
	m.put(*it.Conversation)
	it.marked = true
}

func (m *marks) put(c model.Conversation) {
	if m.picked == nil {
		m.picked = map[string]model.Conversation{}
	}
	if _, ok := m.picked[c.RootID]; !ok {
		m.roots = append(m.roots, c.RootID)
	}
	m.picked[c.RootID] = c
}

func (m *marks) remove(it *Item) {
	if m.has(it) {
		delete(m.picked, it.RootID)
		m.roots = slices.DeleteFunc(m.roots, func(root string) bool { return root == it.RootID })
	}
	it.marked = false
}

func (m *marks) removeRoots(roots []string) {
	for _, root := range roots {
		delete(m.picked, root)
	}
	m.roots = slices.DeleteFunc(m.roots, func(root string) bool {
		_, ok := m.picked[root]
		return !ok
	})
}

// place puts the marks on rows and counts those that are elsewhere.
func (m *marks) place(items []Item) {
	here := 0
	m.deepest = 0
	for i := range items {
		it := &items[i]
		if it.marked = m.has(it); it.marked {
			m.picked[it.RootID] = *it.Conversation
			here++
			m.deepest = i
		}
	}
	m.away = len(m.roots) - here
}

// tips returns the newest segments of the marked conversations, in the order in
// which they were marked; nil where there are none.
func (m *marks) tips() []string {
	var tips []string
	for _, root := range m.roots {
		tips = append(tips, m.picked[root].ID)
	}
	return tips
}

// count says how many are marked, "" for none.
func (m *marks) count() string {
	n := len(m.roots)
	switch {
	case n == 0:
		return ""
	case m.away > 0:
		return kit.Count(n) + " selected (" + kit.Count(m.away) + " not shown)"
	}
	return kit.Count(n) + " selected"
}

// placeMarks puts the marks on the rows.
func (r *results) placeMarks() {
	r.marks.place(r.found.items)
	r.lines.clear()
}

// keepMarks puts the marks on the rows of a new answer. The wish to mark all
// of them ends with the query that it was about.
func (r *results) keepMarks(changed bool) {
	if changed {
		r.marks.all = false
	}
	if r.marks.all && r.complete() {
		items := r.markable()
		for i := range items {
			r.marks.add(&items[i])
		}
		r.marks.all = false
	}
	r.placeMarks()
}

// markRow marks the current row, or takes its mark away, and moves on. There is none where
// the rows have gone while a menu was open.
func (r *results) markRow(by int) {
	it := r.current()
	if it == nil {
		return
	}
	if r.marks.has(it) {
		r.marks.remove(it)
	} else {
		r.marks.add(it)
	}
	r.marks.last = it.RootID
	r.placeMarks()
	to := r.rows.Selected + by
	if to >= 0 && to < r.rows.Len {
		r.rows.Move(to)
	} else if to > 0 && r.beyondLoaded(shell.Down) {
		r.pending.step = shell.Down
	}
}

// markRange marks all rows from where a mark was last set to the current one.
func (r *results) markRange() {
	if r.current() == nil {
		return
	}
	from := slices.IndexFunc(r.found.items, func(it Item) bool { return it.RootID == r.marks.last })
	if from < 0 {
		from = r.rows.Selected
	}
	for i := min(from, r.rows.Selected); i <= max(from, r.rows.Selected); i++ {
		r.marks.add(&r.found.items[i])
	}
	r.marks.last = r.current().RootID
	r.placeMarks()
}

// markAll marks every row of the answer, of the closest conversations only if there
// are no others. wait says that some have not been read: they are marked when they
// have.
func (r *results) markAll() (wait bool) {
	items := r.markable()
	for i := range items {
		r.marks.add(&items[i])
	}
	r.placeMarks()
	r.marks.all = !r.complete()
	return r.marks.all
}

// unmark takes all marks away.
func (r *results) unmark() {
	r.marks = marks{}
	r.placeMarks()
}

// Marked returns the tips of the marked conversations, in the order in which
// they were marked; nil where there are none.
func (s *Screen) Marked() []string { return s.results.marks.tips() }

// UnmarkRoots removes the marks of conversations, by their roots.
func (s *Screen) UnmarkRoots(roots []string) { s.results.marks.removeRoots(roots) }

// markHandlers are the actions that mark rows; notHere says why there is no row to
// mark, outdated why the rows are not those of the query.
func (s *Screen) markHandlers(notHere, outdated string) []shell.Handler {
	if s.env.Choose && !s.env.Multi {
		return nil // one is to be picked
	}
	moved := func(mark func()) func() tea.Cmd {
		return func() tea.Cmd {
			mark()
			s.results.chosenByHand = true
			return tea.Batch(s.follow(), s.More())
		}
	}
	return []shell.Handler{
		shell.NewHandler(shell.Select, notHere, moved(func() { s.results.markRow(1) })),
		shell.NewHandler(shell.SelectUp, notHere, moved(func() { s.results.markRow(-1) })),
		shell.NewHandler(shell.SelectToHere, outdated, moved(s.results.markRange)),
		shell.NewHandler(shell.SelectAll, outdated, func() tea.Cmd {
			if s.results.markAll() {
				return s.fetchRows(0, false)
			}
			return nil
		}),
	}
}
