package list

import (
	"sort"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Optimistic removal
//
// A deletion takes from milliseconds to many seconds, and undoing one takes
// longer, because the full-text index is rewritten with the messages.
// The list does not wait: rows leave and come back with the key, and answers
// that were read before the database had the change are corrected on their way
// to the screen.
//
//	key y        removal runs          it ends            next answer
//	──┬──────────────┬────────────────────┬────────────────────┬──────▶
//	  Remove         an answer is read    Removed              its generation
//	  hidden[root]   before the change:   hidden[root] =       has been reached:
//	  = pending      the row is taken     the generation       hidden[root] is
//	                 out of it            asked for next       forgotten
//
//	key alt+z     restore runs          it ends
//	──┬──────────────┬────────────────────┬──────▶
//	  Restore        an answer without    EndRestoring, Restored:
//	  rows are put   the rows: they are   the next answer has the rows
//	  in             put into it
//
// Generations are those of kit.Latest: they count the queries of the list, so
// an answer of generation n or later was asked for after the change. What could
// not be removed or restored comes back, or goes, with the next answer.
//
// What is where:
//   - without takes hidden rows out of an answer, and corrects its counts;
//   - with puts restored rows into it, each in its place; where only the
//     database knows the place (relevance to another query), they are shown on top
//     under a heading of their own. The places are found in rowmerge.go;
//   - results.take calls both for every answer; the verbs that the root calls
//     are in removal.go.
//
// No rows of an answer are sorted: a history can have tens of thousands, and the key
// must be answered within a frame of 16 ms. Taking 5,000 of 35,000 rows away takes 12 ms
// of CPU, putting three back 5 (BenchmarkRowsLeave, BenchmarkRowsComeBack).
type optimistic struct {
	// hidden has the rows that are away, by their roots, with the generation of
	// the first answer that knows of it; removalPending while the removal runs.
	hidden    map[string]int
	restoring []RemovedRow
}

// removalPending takes the place of a generation in hidden while the removal runs.
const removalPending = 0

// RemovedRow is a row that has left the list, as it was shown there.
type RemovedRow struct {
	Item
	answer RowsQuery // the query whose answer had it; empty where it was not on the screen
	at     int       // its place there; -1 where it was not on the screen
}

// hide keeps rows away until their removal has ended.
func (o *optimistic) hide(roots []string) {
	if o.hidden == nil {
		o.hidden = map[string]int{}
	}
	for _, root := range roots {
		o.hidden[root] = removalPending
	}
}

// removed says that a hidden row has been removed; the answer of this
// generation is the first that knows it.
func (o *optimistic) removed(root string, generation int) {
	if _, ok := o.hidden[root]; ok {
		o.hidden[root] = generation
	}
}

// show lets answers have a row again.
func (o *optimistic) show(root string) { delete(o.hidden, root) }

// hides reports whether a row is kept away.
func (o *optimistic) hides(root string) bool {
	_, ok := o.hidden[root]
	return ok
}

// answered forgets the rows that an answer of this generation can no longer
// have.
func (o *optimistic) answered(generation int) {
	for root, from := range o.hidden {
		if from != removalPending && generation >= from {
			delete(o.hidden, root)
		}
	}
}

// without takes the hidden rows out of an answer; a heading moves on to the
// next row below it. sel keeps pointing to the same row, or to the one that
// took its place. left is called for each row that goes, with its place.
func (o *optimistic) without(a rowsAnswer, sel *int, left func(at int, it *Item)) rowsAnswer {
	if len(o.hidden) == 0 {
		return a
	}
	kept := a.items[:0]
	heading, before := "", 0
	for i := range a.items {
		it := &a.items[i]
		if it.Heading != "" {
			heading = it.Heading
		}
		if o.hides(it.RootID) {
			left(i, it)
			a.count(it, -1)
			if i < *sel {
				before++
			}
			continue
		}
		it.Heading, heading = heading, ""
		kept = append(kept, *it)
	}
	clear(a.items[len(kept):])
	a.items = kept
	*sel = max(0, min(*sel-before, len(kept)-1))
	return a
}

// count corrects the counts for a row that leaves (-1) or comes back (1).
func (a *rowsAnswer) count(it *Item, by int) {
	if it.isClose() {
		a.closest.count += by
		return
	}
	a.total += by
	a.hits = max(0, a.hits+by*it.Hits)
}

// placeUnknown heads restored rows for which only the database can tell whether the query
// finds them, and where they belong.
const placeUnknown = "Restoring"

// with adds the rows that are being restored and that answer a does not have.
func (o *optimistic) with(q RowsQuery, a rowsAnswer, now time.Time) rowsAnswer {
	if len(o.restoring) == 0 {
		return a
	}
	missing := make(map[string]bool, len(o.restoring))
	for i := range o.restoring {
		missing[o.restoring[i].RootID] = true
	}
	for i := range a.items {
		delete(missing, a.items[i].RootID)
	}
	passes := query.Predicate(q.List.Filters, now, func(query.Filter) bool { return false }, nil)
	m := newRowMerge(q, now)
	var unplaced []placedRow
	for _, d := range o.restoring {
		known := d.at >= 0 && q.searching() && q.same(d.answer)
		switch {
		case !missing[d.RootID] || !known && !(q.List.ShowsScope(d.Scope) && q.List.AdmitsOrigin(d.Conversation) && passes(d.Conversation)):
			continue
		case !known:
			d.found, d.Hits = nil, 0
		}
		d.Heading, d.marked = "", false
		a.count(&d.Item, 1)
		switch {
		case q.List.Order != query.ByRelevance && !d.isClose():
			m.rows = append(m.rows, placedRow{d.Item, m.place(a.items, &d.Item)})
		case known:
			m.rows = append(m.rows, placedRow{d.Item, min(max(d.at-len(m.rows), 0), len(a.items))})
		default:
			unplaced = append(unplaced, placedRow{d.Item, 0})
		}
	}
	sort.SliceStable(m.rows, func(i, j int) bool {
		x, y := &m.rows[i], &m.rows[j]
		if x.at != y.at || q.List.Order == query.ByRelevance || x.isClose() && y.isClose() {
			return x.at < y.at
		}
		return m.compare(&x.Item, &y.Item) < 0
	})
	if m.unplaced = len(unplaced); m.unplaced > 0 {
		unplaced[0].Heading = placeUnknown
		m.rows = append(unplaced, m.rows...)
	}
	a.items = m.merge(a.items)
	return a
}

// rowOf makes the row of a marked conversation that is not on the screen.
func rowOf(c model.Conversation) RemovedRow { return RemovedRow{Item: newItem(&c), at: -1} }
