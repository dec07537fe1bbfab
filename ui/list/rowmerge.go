package list

import (
	"slices"
	"sort"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// rowMerge puts rows between those of an answer, in one pass from its end.
type rowMerge struct {
	asked    RowsQuery
	cal      model.DateGroups
	order    func(a, b *model.Conversation) int
	rows     []placedRow // in the order of their places
	unplaced int         // how many of them have no place: they come first, above all others
}

// placedRow is a row and the place of the row before which it goes in.
type placedRow struct {
	Item
	at int
}

func newRowMerge(q RowsQuery, now time.Time) rowMerge {
	return rowMerge{asked: q, cal: model.NewDateGroups(now), order: q.List.SortOrder().Comparison()}
}

// compare tells which of two items comes first: below zero for x.
func (m *rowMerge) compare(x, y *Item) int {
	if x.isClose() != y.isClose() {
		if x.isClose() {
			return 1
		}
		return -1
	}
	if m.asked.List.SortOrder() == query.ByActivity {
		if c := activityRank(x, m.cal) - activityRank(y, m.cal); c != 0 {
			return c
		}
	}
	return m.order(x.Conversation, y.Conversation)
}

// place finds where an item belongs.
func (m *rowMerge) place(items []Item, it *Item) int {
	return sort.Search(len(items), func(i int) bool { return m.compare(&items[i], it) > 0 })
}

// merge puts the rows in, each under its heading.
func (m *rowMerge) merge(items []Item) []Item {
	n, k := len(items), len(m.rows)
	items = slices.Grow(items, k)[:n+k]
	for to := n + k - 1; k > 0; to-- { // from the end, so that no row is overwritten before it has moved
		if n > m.rows[k-1].at {
			n--
			items[to] = items[n]
			continue
		}
		k--
		items[to] = m.rows[k].Item
		m.rows[k].at = to
	}
	if m.unplaced > 0 && m.unplaced < len(items) && items[m.unplaced].Heading == "" {
		items[m.unplaced].Heading = sortName(m.asked.List.SortOrder())
	}
	for i, r := range m.rows {
		if i < m.unplaced {
			continue
		}
		it := &items[r.at]
		h := headingOf(it, m.asked, m.cal)
		if r.at == m.unplaced || headingOf(&items[r.at-1], m.asked, m.cal) != h {
			it.Heading = h
		}
		if next := r.at + 1; next < len(items) && items[next].Heading == h {
			items[next].Heading = ""
		}
	}
	return items
}
