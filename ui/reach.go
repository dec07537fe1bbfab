package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// A large history is tens of thousands of rows, of which a person looks at a
// few. So answers are read by pages: each is the head of the whole, grows long
// before its end is in sight, and shrinks again when the view is back at the
// top. What needs a row further down waits for it.

const (
	// firstPage is enough for any terminal, and is there with the key.
	firstPage = 100
	// firstGlance is what the program starts with: each row delays the first
	// picture, and more than these few terminals show.
	firstGlance = 50
	// wholePage is the first page of a listing whose order and totals are sure.
	wholePage = 500
)

// seeking is how far the row that is sought has been looked for.
type seeking int

const (
	seekNear seeking = iota // in what is read anyway
	seekAll                 // it was not there: everything is being read
	seekNot                 // nor there
)

// seek wants a conversation to be current as soon as it appears.
func (l *list) seek(root string) { l.sought, l.seeking = root, seekNear }

// spot gives the place of the row that is sought in the answer that has come,
// -1 where there is none. A listing that is short is then read in whole, once.
func (l *list) spot(changed bool) int {
	if l.sought == "" {
		return -1
	}
	i := slices.IndexFunc(l.found.items, func(it item) bool { return it.RootID == l.sought })
	switch {
	case i >= 0:
		l.seek("")
	case l.whole():
		l.seeking = seekNot
	case changed, l.seeking == seekNear:
		l.seeking = seekNear
		if !l.shown.searching() {
			l.seeking = seekAll
		}
	}
	return i
}

// atMost is a number of rows, 0 for all, within what the person wants.
func (l *list) atMost(n int) int {
	if most := l.env.List.Limit; most > 0 && (n <= 0 || n > most) {
		return most
	}
	return max(n, 0)
}

// ask asks something new, for a glance at the first rows.
func (l *list) ask(limit int) tea.Cmd {
	l.onward = ""
	return l.fetch(limit, true)
}

// fetch asks for so many rows, 0 for all; with glance, rather for them at once
// than for honest totals, as the rest is asked for when they are there.
func (l *list) fetch(limit int, glance bool) tea.Cmd {
	a := l.question()
	a.list.Limit = l.atMost(limit)
	a.list.FirstPage = glance && limit > 0 && a.list.Limit == limit && limit != l.env.List.Limit
	l.asked, l.askedAt = a, l.env.Clock()
	return l.read.ask(a)
}

// again asks the same again, for as much as the view needs.
func (l *list) again() tea.Cmd { return l.fetch(l.reach(), false) }

// more reads on where the answer is too short for the view.
func (l *list) more() tea.Cmd {
	if !l.ready || !l.read.settled() || l.err != nil || l.whole() {
		return nil
	}
	n, have := l.atMost(l.reach()), l.shown.list.Limit
	switch {
	case l.found.glance:
	case have == 0, n > 0 && (n <= have || !l.near(have)):
		return nil
	}
	return l.fetch(n, false)
}

// whole reports whether the rows are all that there are to the question, or
// all that are wanted.
func (l *list) whole() bool {
	most := l.env.List.Limit
	return !l.found.partial || most > 0 && len(l.found.items) >= most
}

// reach is how many rows the view needs, 0 for all.
func (l *list) reach() int {
	searching := l.question().searching()
	switch {
	case l.onward == Last, l.marks.all:
		return 0
	case !searching && (l.seeking == seekAll || l.marks.away > 0): // or nobody could say whether they are here
		return 0
	}
	n, times := wholePage, 2
	if searching {
		n, times = firstPage, 4
	}
	for l.near(n) {
		n *= times
	}
	return n
}

// near reports whether the end of so many rows is near the view. Rows of a
// search cost more, so fewer are read before they are wanted.
func (l *list) near(n int) bool {
	_, last := l.rows.visible()
	last = max(last, l.marks.deepest)
	if l.found.partial { // some of these were taken off the list
		last += max(0, l.shown.list.Limit-len(l.found.items))
	}
	if l.question().searching() {
		return last >= n-20
	}
	return last >= n/2
}

// travel moves the current row by hand. A way that leads beyond what has been
// read is gone when the rows are there.
func (l *list) travel(a Action) {
	l.halt()
	if l.rows.n == 0 || l.err != nil {
		return
	}
	l.aimed, l.await = true, false
	if a == Up && l.rows.sel == 0 && !l.sh.Held() {
		a = Last
	}
	if l.beyond(a) {
		l.onward = a
		return
	}
	switch a {
	case Up:
		l.step(-1)
	case Down:
		l.step(1)
	case PageUp:
		l.rows.page(-1)
	case PageDown:
		l.rows.page(1)
	case First:
		l.rows.ends(false)
	case Last:
		l.rows.ends(true)
	}
}

// halt ends what would move the current row by itself: a hand is on it.
func (l *list) halt() {
	l.onward = ""
	if l.seeking == seekAll {
		l.seek("")
	}
}

// beyond reports whether a way leads to rows that have not been read. The end
// of a search is that of what was read, which then grows: nobody looks for the
// worst of twenty thousand answers, and to read them all takes long.
func (l *list) beyond(a Action) bool {
	if l.whole() {
		return false
	}
	switch a {
	case Down:
		return l.rows.sel+1 >= l.rows.n
	case PageDown:
		return l.rows.below(l.rows.h) < max(l.rows.h-1, 1)
	}
	return a == Last && !l.shown.searching()
}

// arrive goes the way that has waited for rows, if they are there now.
func (l *list) arrive() {
	a := l.onward
	if a == "" || l.beyond(a) {
		return
	}
	l.onward = ""
	was := l.rows.sel
	switch a {
	case Down:
		l.rows.move(was + 1)
	case PageDown:
		l.rows.page(1)
	case Last:
		l.rows.ends(true)
	}
	if l.rows.sel != was {
		l.turns++
	}
}

// onTheWay says what an action has to wait for: the row that it is meant for is
// still being read. "" where it is here.
func (l *list) onTheWay() string {
	switch {
	case l.err != nil:
	case l.onward != "", l.seeking == seekAll:
		return "still reading: the row you are going to is not here yet"
	case l.marks.all:
		return "still reading what is to be marked"
	}
	return ""
}

// overtaken reports whether an answer is too short to tell what has become of
// the current row: so many came before it that it stands further down.
func (l *list) overtaken(a asked, f found) bool {
	it := l.current()
	if it == nil || len(f.items) == 0 || !f.partial || f.glance || !l.ready || !a.same(l.shown) ||
		a.list.Order == query.ByRelevance || l.atMost(2*a.list.Limit) <= a.list.Limit || placeOf(f.items, *it.Conversation) >= 0 {
		return false
	}
	if _, gone := l.hidden[it.RootID]; gone {
		return false
	}
	w := weaving{asked: a, cal: model.NewDateGroups(l.env.Clock()), order: a.list.Order.Comparison()}
	return w.compare(it, &f.items[len(f.items)-1]) > 0
}

// placeOf gives the place of a conversation among rows, -1 where it is not. It
// may have gone on in a new segment since.
func placeOf(items []item, c model.Conversation) int {
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

// goTo makes a conversation the current row, wherever it stands.
func (l *list) goTo(c model.Conversation) tea.Cmd {
	l.halt()
	if i := placeOf(l.found.items, c); i >= 0 {
		l.rows.move(i)
		l.aimed = true
		return l.follow()
	}
	l.prompt.clear()
	if !l.question().list.ShowsScope(c.Scope) {
		l.scope = c.Scope
	}
	l.seek(c.RootID)
	return l.ask(firstPage)
}
