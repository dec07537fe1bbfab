package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// marks are the conversations that were picked for one action together. They
// are known by their roots, which stay when a conversation goes on in a new
// segment, and so they last while query, order and scope change.
type marks struct {
	roots  []string                      // in the order in which they were marked
	picked map[string]model.Conversation // by root, as last seen
	last   string                        // the root where a range begins
	all    bool                          // mark every row as soon as all have been read
	away   int                           // of the marked: not among the rows on the screen
	// deepest is the row of the last of them: as far as there all is read again,
	// so that each is known as it stands.
	deepest int
}

func (m *marks) has(it *item) bool { _, ok := m.picked[it.RootID]; return ok }

func (m *marks) add(it *item) {
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

func (m *marks) remove(it *item) {
	if m.has(it) {
		delete(m.picked, it.RootID)
		m.roots = slices.DeleteFunc(m.roots, func(root string) bool { return root == it.RootID })
	}
	it.marked = false
}

// marked gives the tips of the marked conversations, in the order in which
// they were marked; nil where there are none.
func (l *list) marked() []string {
	var tips []string
	for _, root := range l.marks.roots {
		tips = append(tips, l.marks.picked[root].ID)
	}
	return tips
}

// markRow marks the current row, or takes its mark away, and moves on.
func (l *list) markRow(by int) {
	it := l.current()
	if l.marks.has(it) {
		l.marks.remove(it)
	} else {
		l.marks.add(it)
	}
	l.marks.last = it.RootID
	l.remark()
	switch to := l.rows.sel + by; {
	case to >= 0 && to < l.rows.n:
		l.rows.move(to)
	case to > 0 && l.beyond(Down):
		l.onward = Down
	}
}

// markRange marks all rows from where a mark was last set to the current one.
func (l *list) markRange() {
	from := slices.IndexFunc(l.found.items, func(it item) bool { return it.RootID == l.marks.last })
	if from < 0 {
		from = l.rows.sel
	}
	for i := min(from, l.rows.sel); i <= max(from, l.rows.sel); i++ {
		l.marks.add(&l.found.items[i])
	}
	l.marks.last = l.current().RootID
	l.remark()
}

// markAll marks every row of the answer; those that have not been read yet as
// soon as they have.
func (l *list) markAll() tea.Cmd {
	for i := range l.found.items {
		l.marks.add(&l.found.items[i])
	}
	l.remark()
	if l.whole() {
		return nil
	}
	l.marks.all = true
	return l.fetch(0, false)
}

// keepMarks puts the marks on the rows of a new answer. The wish to mark all
// of them ends with the question that it was about.
func (l *list) keepMarks(changed bool) {
	if changed {
		l.marks.all = false
	}
	if l.marks.all && l.whole() {
		for i := range l.found.items {
			l.marks.add(&l.found.items[i])
		}
		l.marks.all = false
	}
	l.remark()
}

// unmark takes all marks away.
func (l *list) unmark() {
	l.marks = marks{}
	l.remark()
}

// unmarkRoots takes the marks of some conversations away.
func (l *list) unmarkRoots(roots []string) {
	for _, root := range roots {
		delete(l.marks.picked, root)
	}
	l.marks.roots = slices.DeleteFunc(l.marks.roots, func(root string) bool {
		_, ok := l.marks.picked[root]
		return !ok
	})
}

// remark puts the marks on the rows of the screen and counts those that are
// elsewhere.
func (l *list) remark() {
	here := 0
	l.marks.deepest = 0
	for i := range l.found.items {
		it := &l.found.items[i]
		if it.marked = l.marks.has(it); it.marked {
			l.marks.picked[it.RootID] = *it.Conversation
			here++
			l.marks.deepest = i
		}
	}
	l.marks.away = len(l.marks.roots) - here
	l.redraw()
}

// markCount tells how many are marked, "" for none.
func (l *list) markCount() string {
	n := len(l.marks.roots)
	switch {
	case n == 0:
		return ""
	case l.marks.away > 0:
		return count(n) + " marked (" + count(l.marks.away) + " not shown)"
	}
	return count(n) + " marked"
}

// markActions are the actions that mark rows; none says why there is no row,
// unseen why the rows are not those of the query.
func (l *list) markActions(none, unseen string) []Handler {
	moved := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			f()
			l.aimed = true
			return tea.Batch(l.follow(), l.more())
		}
	}
	if l.env.Choose && !l.env.Multi {
		return nil // one is to be picked
	}
	return []Handler{
		newHandler(Mark, none, moved(func() { l.markRow(1) })),
		newHandler(MarkUp, none, moved(func() { l.markRow(-1) })),
		newHandler(MarkRange, unseen, moved(l.markRange)),
		newHandler(MarkAll, unseen, l.markAll),
	}
}
