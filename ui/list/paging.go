package list

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
)

// A large history is tens of thousands of rows, of which a person looks at a
// few. So answers are read by pages: each is the head of the whole, grows long
// before its end is in sight, and shrinks again when the view is back at the
// top. What needs a row further down waits for it.

const (
	// FirstPage is enough for any terminal, and is there with the key.
	FirstPage = 100
	// FirstRows is what the program starts with: each row delays the first
	// picture, and more than these few terminals show.
	FirstRows = 50
	// WholePage is the first page of a listing whose order and totals are sure.
	WholePage = 500
)

// pendingState is how far the row that is sought has been looked for.
type pendingState int

const (
	searchLoaded pendingState = iota // in what is read anyway
	searchAll                        // it was not there: everything is being read
	notFound                         // nor there
)

// setPending wants a conversation to be current as soon as it appears.
func (l *Screen) setPending(root string) { l.pendingRoot, l.pendingSearch = root, searchLoaded }

// pendingPlace gives the place of the row that is sought in the answer that has come,
// -1 where there is none. A listing that is short is then read in whole, once.
func (l *Screen) pendingPlace(changed bool) int {
	if l.pendingRoot == "" {
		return -1
	}
	i := slices.IndexFunc(l.Found.Items, func(it Item) bool { return it.RootID == l.pendingRoot })
	switch {
	case i >= 0:
		l.setPending("")
	case l.whole():
		l.pendingSearch = notFound
	case changed, l.pendingSearch == searchLoaded:
		l.pendingSearch = searchLoaded
		if !l.Shown.Searching() {
			l.pendingSearch = searchAll
		}
	}
	return i
}

// atMost is a number of rows, 0 for all, within what the person wants.
func (l *Screen) atMost(n int) int {
	if most := l.Env.List.Limit; most > 0 && (n <= 0 || n > most) {
		return most
	}
	return max(n, 0)
}

// ask asks something new, for a glance at the first rows.
func (l *Screen) ask(limit int) tea.Cmd {
	l.pendingMove = ""
	return l.fetch(limit, true)
}

// fetch asks for so many rows, 0 for all; with glance, rather for them at once
// than for honest totals, as the rest is asked for when they are there.
func (l *Screen) fetch(limit int, glance bool) tea.Cmd {
	a := l.Question()
	a.List.Limit = l.atMost(limit)
	a.List.FirstPage = glance && limit > 0 && a.List.Limit == limit && limit != l.Env.List.Limit
	l.asked, l.askedAt = a, l.Env.Clock()
	return l.read.Ask(a)
}

// reask asks the same again, for as much as the view needs.
func (l *Screen) reask() tea.Cmd { return l.fetch(l.rowsNeeded(), false) }

// More reads on where the answer is too short for the view.
func (l *Screen) More() tea.Cmd {
	if !l.Ready || !l.read.Settled() || l.err != nil || l.whole() {
		return nil
	}
	n, have := l.atMost(l.rowsNeeded()), l.Shown.List.Limit
	switch {
	case l.Found.uncounted:
	case have == 0, n > 0 && (n <= have || !l.near(have)):
		return nil
	}
	return l.fetch(n, false)
}

// whole reports whether the rows are all that there are to the question, or
// all that are wanted.
func (l *Screen) whole() bool {
	most := l.Env.List.Limit
	return !l.Found.partial || most > 0 && len(l.Found.Items) >= most
}

// rowsNeeded is how many rows the view needs, 0 for all.
func (l *Screen) rowsNeeded() int {
	searching := l.Question().Searching()
	switch {
	case l.pendingMove == shell.Last, l.Marks.all:
		return 0
	case !searching && (l.pendingSearch == searchAll || l.Marks.away > 0): // or nobody could say whether they are here
		return 0
	}
	n, times := WholePage, 2
	if searching {
		n, times = FirstPage, 4
	}
	for l.near(n) {
		n *= times
	}
	return n
}

// near reports whether the end of so many rows is near the view. Rows of a
// search cost more, so fewer are read before they are wanted.
func (l *Screen) near(n int) bool {
	_, last := l.Rows.InView()
	last = max(last, l.Marks.deepest)
	if l.Found.partial { // some of these were taken off the list
		last += max(0, l.Shown.List.Limit-len(l.Found.Items))
	}
	if l.Question().Searching() {
		return last >= n-20
	}
	return last >= n/2
}

// travel moves the current row by hand. A way that leads beyond what has been
// read is gone when the rows are there.
func (l *Screen) travel(a shell.Action) {
	l.cancelPending()
	if l.Rows.Len == 0 || l.err != nil {
		return
	}
	l.chosenByHand, l.openPending = true, false
	if a == shell.Up && l.Rows.Selected == 0 && !l.Sh.Held() {
		a = shell.Last
	}
	if l.beyondLoaded(a) {
		l.pendingMove = a
		return
	}
	switch a {
	case shell.Up:
		l.Step(-1)
	case shell.Down:
		l.Step(1)
	case shell.PageUp:
		l.Rows.Page(-1)
	case shell.PageDown:
		l.Rows.Page(1)
	case shell.First:
		l.Rows.GoToEnd(false)
	case shell.Last:
		l.Rows.GoToEnd(true)
	}
}

// cancelPending ends what would move the current row by itself: a hand is on it.
func (l *Screen) cancelPending() {
	l.pendingMove = ""
	if l.pendingSearch == searchAll {
		l.setPending("")
	}
}

// beyondLoaded reports whether a way leads to rows that have not been read. The end
// of a search is that of what was read, which then grows: nobody looks for the
// worst of twenty thousand answers, and to read them all takes long.
func (l *Screen) beyondLoaded(a shell.Action) bool {
	if l.whole() {
		return false
	}
	switch a {
	case shell.Down:
		return l.Rows.Selected+1 >= l.Rows.Len
	case shell.PageDown:
		return l.Rows.Below(l.Rows.Height) < max(l.Rows.Height-1, 1)
	}
	return a == shell.Last && !l.Shown.Searching()
}

// finishMove goes the way that has waited for rows, if they are there now.
func (l *Screen) finishMove() {
	a := l.pendingMove
	if a == "" || l.beyondLoaded(a) {
		return
	}
	l.pendingMove = ""
	was := l.Rows.Selected
	switch a {
	case shell.Down:
		l.Rows.Move(was + 1)
	case shell.PageDown:
		l.Rows.Page(1)
	case shell.Last:
		l.Rows.GoToEnd(true)
	}
	if l.Rows.Selected != was {
		l.guardChanges++
	}
}

// pendingReason says what an action has to wait for: the row that it is meant for is
// still being read. "" where it is here.
func (l *Screen) pendingReason() string {
	switch {
	case l.err != nil:
	case l.pendingMove != "", l.pendingSearch == searchAll:
		return "still reading: the row you are going to is not here yet"
	case l.Marks.all:
		return "still reading what is to be marked"
	}
	return ""
}

// overtaken reports whether an answer is too short to tell what has become of
// the current row: so many came before it that it stands further down.
func (l *Screen) overtaken(a ListQuery, f ListAnswer) bool {
	it := l.Current()
	if it == nil || len(f.Items) == 0 || !f.partial || f.uncounted || !l.Ready || !a.same(l.Shown) ||
		a.List.Order == query.ByRelevance || l.atMost(2*a.List.Limit) <= a.List.Limit || PlaceOf(f.Items, *it.Conversation) >= 0 {
		return false
	}
	if _, gone := l.Hidden[it.RootID]; gone {
		return false
	}
	w := rowMerge{asked: a, cal: model.NewDateGroups(l.Env.Clock()), order: a.List.Order.Comparison()}
	return w.compare(it, &f.Items[len(f.Items)-1]) > 0
}

// PlaceOf gives the place of a conversation among rows, -1 where it is not. It
// may have gone on in a new segment since.
func PlaceOf(items []Item, c model.Conversation) int {
	at := -1
	for i := range items {
		switch it := &items[i]; {
		case it.ID == c.ID:
			return i
		case at < 0 && c.RootID != "" && it.RootID == c.RootID:
			at = i
		}
	}
	return at
}

// GoTo makes a conversation the current row, wherever it stands.
func (l *Screen) GoTo(c model.Conversation) tea.Cmd {
	l.cancelPending()
	if i := PlaceOf(l.Found.Items, c); i >= 0 {
		l.Rows.Move(i)
		l.chosenByHand = true
		return l.follow()
	}
	l.Prompt.Clear()
	if !l.Question().List.ShowsScope(c.Scope) {
		l.Scope = c.Scope
	}
	l.setPending(c.RootID)
	return l.ask(FirstPage)
}
