package list

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

// RemovedRow is a row that has left the list, as it stood.
type RemovedRow struct {
	Item
	answer ListQuery // the question that it answered; of no query and at -1 where it was not on the screen
	at     int       // its place
}

// Restore shows rows that are being brought back, and goes to the first.
func (l *Screen) Restore(rows []RemovedRow) {
	if len(rows) == 0 || !l.Ready || l.err != nil {
		return
	}
	l.restoring = rows
	l.Found = l.withRestoring(l.Shown, l.Found)
	for _, d := range rows {
		if i := slices.IndexFunc(l.Found.Items, func(it Item) bool { return it.RootID == d.RootID }); i >= 0 {
			l.Rows.Selected, l.chosenByHand = i, true
			break
		}
	}
	l.redraw()
	l.Rows.Reset(len(l.Found.Items), l.Rows.Selected)
	l.Rows.Reveal()
}

// EndRestoring says that the answer which is asked for next knows the rows.
func (l *Screen) EndRestoring() { l.restoring = nil }

// comingBack heads the rows of which only the database can say where they
// stand among what was found, and whether they do.
const comingBack = "Coming back"

// withRestoring adds the rows that are expected and that an answer does not have.
// What is there is not sorted anew: there may be very much of it.
func (l *Screen) withRestoring(a ListQuery, f ListAnswer) ListAnswer {
	if len(l.restoring) == 0 {
		return f
	}
	missing := make(map[string]bool, len(l.restoring))
	for i := range l.restoring {
		missing[l.restoring[i].RootID] = true
	}
	for i := range f.Items {
		delete(missing, f.Items[i].RootID)
	}
	now := l.Env.Clock()
	passes := query.Predicate(a.List.Filters, now, func(query.Filter) bool { return false }, nil)
	w := rowMerge{asked: a, cal: model.NewDateGroups(now), order: a.List.Order.Comparison()}
	var unplaced []placedRow
	for _, d := range l.restoring {
		known := d.at >= 0 && a.Searching() && a.same(d.answer)
		switch {
		case !missing[d.RootID] || !known && !(a.List.ShowsScope(d.Scope) && a.List.AdmitsSource(d.Conversation) && passes(d.Conversation)):
			continue
		case !known:
			d.best, d.Hits = nil, 0
		}
		d.Heading, d.marked = "", false
		f.hits += d.Hits
		f.Total++
		switch {
		case a.List.Order != query.ByRelevance:
			w.rows = append(w.rows, placedRow{d.Item, w.place(f.Items, &d.Item)})
		case known:
			w.rows = append(w.rows, placedRow{d.Item, min(max(d.at-len(w.rows), 0), len(f.Items))})
		default:
			unplaced = append(unplaced, placedRow{d.Item, 0})
		}
	}
	slices.SortStableFunc(w.rows, func(x, y placedRow) int {
		if x.at != y.at || a.List.Order == query.ByRelevance {
			return x.at - y.at
		}
		return w.compare(&x.Item, &y.Item)
	})
	if w.unplaced = len(unplaced); w.unplaced > 0 {
		unplaced[0].Heading = comingBack
		w.rows = append(unplaced, w.rows...)
	}
	f.Items = w.merge(f.Items)
	return f
}

// placedRow is a row and the place of the one that it comes before.
type placedRow struct {
	Item
	at int
}

// rowMerge puts rows between those of an answer.
type rowMerge struct {
	asked    ListQuery
	cal      model.DateGroups
	order    func(a, b *model.Conversation) int
	rows     []placedRow // in the order of their places
	unplaced int         // of them: have no place, and stand above all others
}

// compare tells which of two items stands first.
func (w *rowMerge) compare(x, y *Item) int {
	if w.asked.List.Order == query.ByActivity {
		if c := front(x, w.cal) - front(y, w.cal); c != 0 {
			return c
		}
	}
	return w.order(x.Conversation, y.Conversation)
}

// place finds where an item belongs.
func (w *rowMerge) place(items []Item, it *Item) int {
	return sort.Search(len(items), func(i int) bool { return w.compare(&items[i], it) > 0 })
}

// merge weaves the rows in, each under its heading.
func (w *rowMerge) merge(items []Item) []Item {
	n, k := len(items), len(w.rows)
	items = slices.Grow(items, k)[:n+k]
	for to := n + k - 1; k > 0; to-- { // from the end, so that nothing is in the way
		if n > w.rows[k-1].at {
			n--
			items[to] = items[n]
			continue
		}
		k--
		items[to] = w.rows[k].Item
		w.rows[k].at = to
	}
	for i, r := range w.rows {
		if i < w.unplaced {
			continue
		}
		it := &items[r.at]
		h := headingOf(it, w.asked, w.cal)
		if r.at == w.unplaced || headingOf(&items[r.at-1], w.asked, w.cal) != h {
			it.Heading = h
		}
		if next := r.at + 1; next < len(items) && items[next].Heading == h {
			items[next].Heading = ""
		}
	}
	return items
}
