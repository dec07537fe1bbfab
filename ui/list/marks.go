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
	Roots  []string                      // in the order in which they were marked
	picked map[string]model.Conversation // by root, as last seen
	last   string                        // the root where a range begins
	all    bool                          // mark every row as soon as all have been read
	away   int                           // of the marked: not among the rows on the screen
	// deepest is the row of the last of them: as far as there all is read again,
	// so that each is known as it stands.
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
		m.Roots = append(m.Roots, c.RootID)
	}
	m.picked[c.RootID] = c
}

func (m *marks) remove(it *Item) {
	if m.has(it) {
		delete(m.picked, it.RootID)
		m.Roots = slices.DeleteFunc(m.Roots, func(root string) bool { return root == it.RootID })
	}
	it.marked = false
}

// Marked gives the tips of the marked conversations, in the order in which
// they were marked; nil where there are none.
func (l *Screen) Marked() []string {
	var tips []string
	for _, root := range l.Marks.Roots {
		tips = append(tips, l.Marks.picked[root].ID)
	}
	return tips
}

// markRow marks the current row, or takes its mark away, and moves on.
func (l *Screen) markRow(by int) {
	it := l.Current()
	if l.Marks.has(it) {
		l.Marks.remove(it)
	} else {
		l.Marks.add(it)
	}
	l.Marks.last = it.RootID
	l.remark()
	switch to := l.Rows.Selected + by; {
	case to >= 0 && to < l.Rows.Len:
		l.Rows.Move(to)
	case to > 0 && l.beyondLoaded(shell.Down):
		l.pendingMove = shell.Down
	}
}

// markRange marks all rows from where a mark was last set to the current one.
func (l *Screen) markRange() {
	from := slices.IndexFunc(l.Found.Items, func(it Item) bool { return it.RootID == l.Marks.last })
	if from < 0 {
		from = l.Rows.Selected
	}
	for i := min(from, l.Rows.Selected); i <= max(from, l.Rows.Selected); i++ {
		l.Marks.add(&l.Found.Items[i])
	}
	l.Marks.last = l.Current().RootID
	l.remark()
}

// markAll marks every row of the answer; those that have not been read yet as
// soon as they have.
func (l *Screen) markAll() tea.Cmd {
	for i := range l.Found.Items {
		l.Marks.add(&l.Found.Items[i])
	}
	l.remark()
	if l.whole() {
		return nil
	}
	l.Marks.all = true
	return l.fetch(0, false)
}

// keepMarks puts the marks on the rows of a new answer. The wish to mark all
// of them ends with the question that it was about.
func (l *Screen) keepMarks(changed bool) {
	if changed {
		l.Marks.all = false
	}
	if l.Marks.all && l.whole() {
		for i := range l.Found.Items {
			l.Marks.add(&l.Found.Items[i])
		}
		l.Marks.all = false
	}
	l.remark()
}

// unmark takes all marks away.
func (l *Screen) unmark() {
	l.Marks = marks{}
	l.remark()
}

// UnmarkRoots takes the marks of some conversations away.
func (l *Screen) UnmarkRoots(roots []string) {
	for _, root := range roots {
		delete(l.Marks.picked, root)
	}
	l.Marks.Roots = slices.DeleteFunc(l.Marks.Roots, func(root string) bool {
		_, ok := l.Marks.picked[root]
		return !ok
	})
}

// remark puts the marks on the rows of the screen and counts those that are
// elsewhere.
func (l *Screen) remark() {
	here := 0
	l.Marks.deepest = 0
	for i := range l.Found.Items {
		it := &l.Found.Items[i]
		if it.marked = l.Marks.has(it); it.marked {
			l.Marks.picked[it.RootID] = *it.Conversation
			here++
			l.Marks.deepest = i
		}
	}
	l.Marks.away = len(l.Marks.Roots) - here
	l.redraw()
}

// markCount tells how many are marked, "" for none.
func (l *Screen) markCount() string {
	n := len(l.Marks.Roots)
	switch {
	case n == 0:
		return ""
	case l.Marks.away > 0:
		return kit.Count(n) + " marked (" + kit.Count(l.Marks.away) + " not shown)"
	}
	return kit.Count(n) + " marked"
}

// markActions are the actions that mark rows; none says why there is no row,
// unseen why the rows are not those of the query.
func (l *Screen) markActions(none, unseen string) []shell.Handler {
	moved := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			f()
			l.chosenByHand = true
			return tea.Batch(l.follow(), l.More())
		}
	}
	if l.Env.Choose && !l.Env.Multi {
		return nil // one is to be picked
	}
	return []shell.Handler{
		shell.NewHandler(shell.Mark, none, moved(func() { l.markRow(1) })),
		shell.NewHandler(shell.MarkUp, none, moved(func() { l.markRow(-1) })),
		shell.NewHandler(shell.MarkRange, unseen, moved(l.markRange)),
		shell.NewHandler(shell.MarkAll, unseen, l.markAll),
	}
}
