package ftsindex

import (
	"context"
	"math/bits"
	"slices"
)

// fewRows is how many rows may be looked for one by one.
const fewRows = 256

// few gives the rows of a set that may be looked for one by one, nil where they
// are too many.
func few(s *Set) []int64 {
	var rows []int64
	for r := range s.All() {
		if len(rows) == fewRows {
			return nil
		}
		rows = append(rows, r)
	}
	return rows
}

// seeks reports whether it is quicker to look for each of few rows on so many
// pages than to read them: to read a page by its number takes as long as a
// dozen that follow one another.
func seeks(few []int64, pages int64) bool {
	return int64(len(few)*(bits.Len64(uint64(pages))+2)*2) < pages
}

// leaves reports whether the walk may be left here: nothing of a row that is
// wanted stands on the next page.
func (w *walk) leaves(few []int64) bool {
	_, wanted := slices.BinarySearch(few, w.row)
	return w.missing == 0 || !wanted
}

// pick reads, of a term that begins on a page and goes on behind it, the rest
// of the rows that are wanted. On each of its pages the first row stands in
// full, and they are ascending.
func (w *walk) pick(ctx context.Context, s *segment, page int64, few []int64) error {
	last, done := s.terms.end(page, s.last), w.row
	for _, row := range few {
		if row <= done {
			continue
		}
		at, err := w.x.pageOfRow(ctx, s, page, last, row)
		if err != nil {
			return err
		}
		if at == page { // which was read
			continue
		}
		page = at
		err = w.x.pages(ctx, s, page, func(n int64, b []byte) error {
			read := w.page
			if n == page {
				read = w.enter
			}
			if err := read(b); err != nil {
				return err
			}
			done = max(done, w.row)
			if w.active && !w.leaves(few) {
				return nil
			}
			return errStop
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// enter reads a page from the first row on of the term that it goes on with.
func (w *walk) enter(b []byte) error {
	l, first, end, ok := firstRow(b)
	if !ok || first == 0 {
		return w.x.damaged("a page does not begin with a row")
	}
	w.row, w.active = 0, end == l.size
	return w.rows(b[first:end], !w.active)
}

// firstRow gives where the first row of a page stands that belongs to the term
// before it, 0 for none, and where that term ends on the page.
func firstRow(b []byte) (l leaf, first, end int, ok bool) {
	if l, ok = newLeaf(b); !ok {
		return l, 0, 0, false
	}
	if end, _, ok = l.next(0); !ok {
		return l, 0, 0, false
	}
	if first = l.first; first >= end {
		first = 0
	}
	return l, first, end, true
}

// pageOfRow gives the last page from lo to hi that does not begin behind a row;
// lo does not.
func (x *Index) pageOfRow(ctx context.Context, s *segment, lo, hi, row int64) (int64, error) {
	for lo < hi {
		mid := (lo + hi + 1) / 2
		at, begins := mid, int64(-1)
		for ; at <= hi && begins < 0; at++ { // a page may be filled by one row's positions
			b, err := x.leaf(ctx, s.id<<leafBits|at)
			if err != nil {
				return 0, err
			}
			_, first, _, ok := firstRow(b)
			if !ok {
				return 0, x.damaged("a page has no header")
			}
			if first > 0 {
				v, _ := varint(b[first:])
				begins = int64(v & (1<<63 - 1))
			}
		}
		if begins >= 0 && begins <= row {
			lo = at - 1
		} else {
			hi = mid - 1
		}
	}
	return lo, nil
}

// leaf reads one page, which is kept.
func (x *Index) leaf(ctx context.Context, id int64) ([]byte, error) {
	if b := x.kept.get(id); b != nil {
		return b, nil
	}
	b, err := x.block(ctx, id)
	if err == nil && len(b) <= keepBytes {
		x.kept.put(id, b)
	}
	return b, err
}
