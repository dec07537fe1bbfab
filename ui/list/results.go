package list

import (
	"slices"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// results are the rows of the latest answer and what happens to them on the
// screen: which one is current, which are marked, which are away or back
// before the database knows, and where the current row is to go when more has
// been read. They ask nothing themselves: paging.go reads, the screen draws.
type results struct {
	most  int // the limit that the program was started with, in rows; 0 for none
	clock func() time.Time

	shown RowsQuery // the query that the rows answer
	found rowsAnswer
	ready bool  // an answer has come
	err   error // of the latest query

	rows         kit.Rows
	chosenByHand bool // the current row was chosen by hand since the query changed
	lines        lineCache
	marks        marks
	pending      pendingMove
	guard        misfireGuard
	optimistic   optimistic
}

func newResults(most int, clock func() time.Time, draw func(i int, selected bool) []string) results {
	return results{most: most, clock: clock, lines: lineCache{draw: draw}}
}

// current is the row that actions are about, nil when there is none.
func (r *results) current() *Item {
	if r.rows.Selected < 0 || r.rows.Selected >= len(r.found.items) {
		return nil
	}
	return &r.found.items[r.rows.Selected]
}

func (r *results) linesOf(i int) []string { return r.lines.of(i, i == r.rows.Selected) }

// whole reports whether the rows are the whole answer, or as many as are wanted.
func (r *results) whole() bool { return r.complete() && !r.closestDue() }

// complete reports whether the rows are the whole answer except for the closest
// conversations, or as many as are wanted.
func (r *results) complete() bool {
	return !r.found.partial || r.most > 0 && len(r.found.items) >= r.most
}

// atMost limits a number of rows, where 0 means all, to the most that are wanted.
func (r *results) atMost(n int) int {
	if r.most > 0 && (n <= 0 || n > r.most) {
		return r.most
	}
	return max(n, 0)
}

// arrival is an answer on its way to the screen: the rows that it replaces decide
// where the view is afterwards.
type arrival struct {
	changed bool // it answers another query than the rows before
	atTop   bool // the view was at the top of a first page, and no key had moved it
	sel     int  // the row that becomes current
	y       int  // the line of the window where the current row was
}

// take takes an answer. The current row follows its conversation. The old rows
// are gone then: lay the screen out, and call settle before the next drawing.
func (r *results) take(q RowsQuery, a rowsAnswer) arrival {
	in := arrival{changed: !r.ready || !q.same(r.shown), sel: r.rows.Selected}
	id := ""
	var was model.Conversation
	if it := r.current(); it != nil {
		was = *it.Conversation
		id = it.ID
		in.y = r.rows.Offset()
	}
	in.atTop = r.found.uncounted && !r.chosenByHand && r.rows.Top == 0 && r.rows.Skip == 0
	a = r.optimistic.without(a, new(int), func(int, *Item) {})
	a = r.optimistic.with(q, a, r.clock())
	r.shown = q
	r.found = a
	r.ready = true
	r.keepMarks(in.changed)
	if i := placeOf(a.items, was); id != "" && i >= 0 && (!in.changed || r.chosenByHand) {
		in.sel = i
	} else if in.changed {
		in.sel = startRow(a.items, q)
	}
	if i := r.pending.find(a.items, r.whole(), in.changed, q.searching()); i >= 0 {
		in.sel, r.chosenByHand = i, true
	}
	if id != "" && (in.sel >= len(a.items) || a.items[max(in.sel, 0)].ID != id) {
		r.guard.changed()
	}
	r.lines.clear()
	r.rows.Reset(0, 0) // the old rows are gone, and may not be asked for
	return in
}

// startRow returns the row on which a new answer begins: by activity the first that runs, or
// the newest, which may be below pinned ones; else the first.
func startRow(items []Item, q RowsQuery) int {
	if q.List.SortOrder() != query.ByActivity || len(items) == 0 || items[0].State == model.StateRunning {
		return 0
	}
	i := slices.IndexFunc(items, func(it Item) bool { return !it.Pinned || it.isClose() })
	if i > 0 && !items[i].isClose() && items[i].LastActive.After(items[0].LastActive) {
		return i
	}
	return 0
}

// settle puts the view around the current row of a new answer.
func (r *results) settle(in arrival) {
	r.rows.Reset(len(r.found.items), in.sel)
	if in.changed {
		r.rows.Reveal()
		return
	}
	r.rows.KeepAt(in.y)
	if in.atTop { // pinned rows come above those of the first page
		r.rows.Top, r.rows.Skip = 0, 0
		r.rows.Reveal()
	}
}

// rowsNeeded is how many rows the view needs, 0 for all. searching says that the rows
// are those of a search, which cost more to read.
func (r *results) rowsNeeded(searching bool) int {
	switch {
	case r.pending.step == shell.Last, r.marks.all:
		return 0
	case !searching && (r.pending.lookup == lookedInAll || r.marks.away > 0): // only all rows tell whether they are here
		return 0
	}
	n, times := WholePage, 2
	if searching {
		n, times = FirstPage, 4
	}
	for r.near(n, searching) {
		n *= times
	}
	return n
}

// near reports whether the end of n rows is near the view. Rows of a search
// cost more, so fewer are read before they are wanted.
func (r *results) near(n int, searching bool) bool {
	_, last := r.rows.InView()
	last = max(last, r.marks.deepest)
	if r.found.partial { // some of these were taken off the list
		last += max(0, r.shown.List.Limit-len(r.found.items))
	}
	if searching {
		return last >= n-20
	}
	return last >= n/2
}

// moveByHand moves the current row by hand; held says that the key repeats. A move
// beyond what has been read is made when the rows are there.
func (r *results) moveByHand(a shell.Action, held bool) {
	r.pending.cancel()
	if r.rows.Len == 0 || r.err != nil {
		return
	}
	r.chosenByHand, r.pending.then = true, ""
	if a == shell.Up && r.rows.Selected == 0 && !held {
		a = shell.Last
	}
	if r.beyondLoaded(a) {
		r.pending.step = a
		return
	}
	switch a {
	case shell.Up:
		r.step(-1, held)
	case shell.Down:
		r.step(1, held)
	case shell.PageUp:
		r.rows.Page(-1)
	case shell.PageDown:
		r.rows.Page(1)
	case shell.First:
		r.rows.GoToEnd(false)
	case shell.Last:
		r.rows.GoToEnd(true)
	}
}

// step moves by one row and goes round the ends, though not while the key is
// held down.
func (r *results) step(by int, held bool) {
	to := r.rows.Selected + by
	switch {
	case to >= 0 && to < r.rows.Len:
		r.rows.Move(to)
	case !held:
		r.rows.GoToEnd(to < 0)
	}
}

// beyondLoaded reports whether a move leads to rows that have not been read.
// In a search, the move to the last row goes to the last one read so far: reading
// twenty thousand matches to get to the worst of them would take long.
func (r *results) beyondLoaded(a shell.Action) bool {
	if r.whole() {
		return false
	}
	switch a {
	case shell.Down:
		return r.rows.Selected+1 >= r.rows.Len
	case shell.PageDown:
		return !r.complete() && r.rows.Below(r.rows.Height) < max(r.rows.Height-1, 1)
	}
	return a == shell.Last && !r.complete() && !r.shown.searching()
}

// finishStep makes the move that has waited for rows, if they are there now.
func (r *results) finishStep() {
	a := r.pending.step
	if a == "" || r.beyondLoaded(a) {
		return
	}
	r.pending.step = ""
	was := r.rows.Selected
	switch a {
	case shell.Down:
		r.rows.Move(was + 1)
	case shell.PageDown:
		r.rows.Page(1)
	case shell.Last:
		r.rows.GoToEnd(true)
	}
	if r.rows.Selected != was {
		r.guard.changed()
	}
}

// waitReason says what an action has to wait for: the row that it is meant for
// is still being read. "" where it is here.
func (r *results) waitReason() string {
	switch {
	case r.err != nil:
	case r.pending.waits():
		return "still reading; that row has not loaded yet"
	case r.marks.all:
		return "still reading the rows to select"
	}
	return ""
}

// overtaken reports whether an answer is too short to tell what has become of
// the current row: other rows came above it, so it may be further down.
func (r *results) overtaken(q RowsQuery, a rowsAnswer) bool {
	it := r.current()
	if it == nil || len(a.items) == 0 || !a.partial || a.uncounted || !r.ready || !q.same(r.shown) ||
		q.List.Order == query.ByRelevance || r.atMost(2*q.List.Limit) <= q.List.Limit || placeOf(a.items, *it.Conversation) >= 0 ||
		r.optimistic.hides(it.RootID) {
		return false
	}
	m := newRowMerge(q, r.clock())
	return m.compare(it, &a.items[len(a.items)-1]) > 0
}

// goTo makes a conversation the current row; ok is false where it is not among
// the rows.
func (r *results) goTo(c model.Conversation) (ok bool) {
	i := placeOf(r.found.items, c)
	if i < 0 {
		return false
	}
	r.rows.Move(i)
	r.chosenByHand = true
	return true
}

// neighbor returns the row before (-1) or after (1) a conversation, and makes it
// the current one; with matching, the nearest that has a matching message. ok
// is false at the end of what has been read.
func (r *results) neighbor(c model.Conversation, dir int, matching bool) (n shell.Neighbor, ok bool) {
	at := placeOf(r.found.items, c)
	if at < 0 { // it has left the answer; the current row is where it was
		at = r.rows.Selected
	}
	for at += dir; at >= 0 && at < len(r.found.items); at += dir {
		it := &r.found.items[at]
		if matching && r.shown.searching() && it.Hits == 0 && (!it.isClose() || it.hit().MessageID == 0) {
			continue
		}
		r.pending.cancel()
		r.rows.Move(at)
		r.chosenByHand = true
		return shell.Neighbor{
			Conversation: *it.Conversation, Query: r.queryOf(it), Hit: it.hit(), AtHit: it.isClose(),
			Number: at + 1, Count: max(r.found.total+r.found.closest.count, len(r.found.items)),
		}, true
	}
	return shell.Neighbor{}, false
}

// placeOf returns the place of a conversation among rows, -1 where it is not. It
// may have gone on in a new segment since.
func placeOf(items []Item, c model.Conversation) int {
	at := -1
	for i := range items {
		it := &items[i]
		if it.ID == c.ID {
			return i
		} else if at < 0 && c.RootID != "" && it.RootID == c.RootID {
			at = i
		}
	}
	return at
}
