package ui

import (
	"slices"
	"sort"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// A deletion that is taken back is long work, as the full-text index is made
// anew with the messages. The row is on the screen with the key, whatever is
// looked for and in whatever order: from what left, until an answer comes that
// knows it.

// departed is a row that has left the list, as it stood.
type departed struct {
	item
	answer asked // the question that it answered; of no query and at -1 where it was not on the screen
	at     int   // its place
}

// restore shows rows that are being brought back, and goes to the first.
func (l *list) restore(rows []departed) {
	if len(rows) == 0 || !l.ready || l.err != nil {
		return
	}
	l.coming = rows
	l.found = l.withComing(l.shown, l.found)
	for _, d := range rows {
		if i := slices.IndexFunc(l.found.items, func(it item) bool { return it.RootID == d.RootID }); i >= 0 {
			l.rows.sel, l.aimed = i, true
			break
		}
	}
	l.redraw()
	l.rows.reset(len(l.found.items), l.rows.sel)
	l.rows.reveal()
}

// endRestoring says that the answer which is asked for next knows the rows.
func (l *list) endRestoring() { l.coming = nil }

// comingBack heads the rows of which only the database can say where they
// stand among what was found, and whether they do.
const comingBack = "Coming back"

// withComing adds the rows that are expected and that an answer does not have.
// What is there is not sorted anew: there may be very much of it.
func (l *list) withComing(a asked, f found) found {
	if len(l.coming) == 0 {
		return f
	}
	missing := make(map[string]bool, len(l.coming))
	for i := range l.coming {
		missing[l.coming[i].RootID] = true
	}
	for i := range f.items {
		delete(missing, f.items[i].RootID)
	}
	now := l.env.Clock()
	passes := query.Predicate(a.list.Filters, now, func(query.Filter) bool { return false }, nil)
	w := weaving{asked: a, cal: model.NewDateGroups(now), order: a.list.Order.Comparison()}
	var unplaced []placed
	for _, d := range l.coming {
		known := d.at >= 0 && a.searching() && a.same(d.answer)
		switch {
		case !missing[d.RootID] || !known && !(a.list.ShowsScope(d.Scope) && a.list.AdmitsSource(d.Conversation) && passes(d.Conversation)):
			continue
		case !known:
			d.best, d.hits = nil, 0
		}
		d.heading, d.marked = "", false
		f.hits += d.hits
		f.total++
		switch {
		case a.list.Order != query.ByRelevance:
			w.rows = append(w.rows, placed{d.item, w.place(f.items, &d.item)})
		case known:
			w.rows = append(w.rows, placed{d.item, min(max(d.at-len(w.rows), 0), len(f.items))})
		default:
			unplaced = append(unplaced, placed{d.item, 0})
		}
	}
	slices.SortStableFunc(w.rows, func(x, y placed) int {
		if x.at != y.at || a.list.Order == query.ByRelevance {
			return x.at - y.at
		}
		return w.compare(&x.item, &y.item)
	})
	if w.unplaced = len(unplaced); w.unplaced > 0 {
		unplaced[0].heading = comingBack
		w.rows = append(unplaced, w.rows...)
	}
	f.items = w.into(f.items)
	return f
}

// placed is a row and the place of the one that it comes before.
type placed struct {
	item
	at int
}

// weaving puts rows between those of an answer.
type weaving struct {
	asked    asked
	cal      model.DateGroups
	order    func(a, b *model.Conversation) int
	rows     []placed // in the order of their places
	unplaced int      // of them: have no place, and stand above all others
}

// compare tells which of two items stands first.
func (w *weaving) compare(x, y *item) int {
	if w.asked.list.Order == query.ByActivity {
		if c := front(x, w.cal) - front(y, w.cal); c != 0 {
			return c
		}
	}
	return w.order(x.Conversation, y.Conversation)
}

// place finds where an item belongs.
func (w *weaving) place(items []item, it *item) int {
	return sort.Search(len(items), func(i int) bool { return w.compare(&items[i], it) > 0 })
}

// into weaves the rows in, each under its heading.
func (w *weaving) into(items []item) []item {
	n, k := len(items), len(w.rows)
	items = slices.Grow(items, k)[:n+k]
	for to := n + k - 1; k > 0; to-- { // from the end, so that nothing is in the way
		if n > w.rows[k-1].at {
			n--
			items[to] = items[n]
			continue
		}
		k--
		items[to] = w.rows[k].item
		w.rows[k].at = to
	}
	for i, r := range w.rows {
		if i < w.unplaced {
			continue
		}
		it := &items[r.at]
		h := headingOf(it, w.asked, w.cal)
		if r.at == w.unplaced || headingOf(&items[r.at-1], w.asked, w.cal) != h {
			it.heading = h
		}
		if next := r.at + 1; next < len(items) && items[next].heading == h {
			items[next].heading = ""
		}
	}
	return items
}
