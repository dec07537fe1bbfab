package fts

import (
	"context"
	"math/bits"
	"slices"
)

// maxSeekRows is how many rows may be looked for one by one.
const maxSeekRows = 256

// seekRows gives the rows of a set that may be looked for one by one, nil where they
// are too many.
func seekRows(s *Set) []int64 {
	var rows []int64
	for r := range s.All() {
		if len(rows) == maxSeekRows {
			return nil
		}
		rows = append(rows, r)
	}
	return rows
}

// worthSeeking reports whether it is quicker to look for each of few rows on so many
// pages than to read them: to read a page by its number takes as long as a
// dozen that follow one another.
func worthSeeking(few []int64, pages int64) bool {
	return int64(len(few)*(bits.Len64(uint64(pages))+2)*2) < pages
}

// seeksLeaves reports whether the walk may be left here: nothing of a row that is
// wanted stands on the next page.
func (w *scan) seeksLeaves(few []int64) bool {
	_, wanted := slices.BinarySearch(few, w.rowid)
	return w.poslistRest == 0 || !wanted
}

// seekRow reads, of a term that begins on a page and goes on behind it, the rest
// of the rows that are wanted. On each of its pages the first row stands in
// full, and they are ascending.
func (w *scan) seekRow(ctx context.Context, s *segment, page int64, few []int64) error {
	last, done := s.termIndex.lastPageBefore(page, s.lastPage), w.rowid
	for _, row := range few {
		if row <= done {
			continue
		}
		at, err := w.index.pageOfRowid(ctx, s, page, last, row)
		if err != nil {
			return err
		}
		if at == page { // which was read
			continue
		}
		page = at
		err = w.index.eachLeaf(ctx, s, page, func(n int64, b []byte) error {
			read := w.scanPage
			if n == page {
				read = w.enterPage
			}
			if err := read(b); err != nil {
				return err
			}
			done = max(done, w.rowid)
			if w.active && !w.seeksLeaves(few) {
				return nil
			}
			return errDone
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// enterPage reads a page from the first row on of the term that it goes on with.
func (w *scan) enterPage(b []byte) error {
	l, first, end, ok := firstRowid(b)
	if !ok || first == 0 {
		return w.index.corrupt("a page does not begin with a row")
	}
	w.rowid, w.active = 0, end == l.leafSize
	return w.readDoclist(b[first:end], !w.active)
}

// firstRowid gives where the first row of a page stands that belongs to the term
// before it, 0 for none, and where that term ends on the page.
func firstRowid(b []byte) (l leafPage, first, end int, ok bool) {
	if l, ok = parseLeaf(b); !ok {
		return l, 0, 0, false
	}
	if end, _, ok = l.nextTermPos(0); !ok {
		return l, 0, 0, false
	}
	if first = l.firstTermPos; first >= end {
		first = 0
	}
	return l, first, end, true
}

// pageOfRowid gives the last page from lo to hi that does not begin behind a row;
// lo does not.
func (x *Index) pageOfRowid(ctx context.Context, s *segment, lo, hi, row int64) (int64, error) {
	for lo < hi {
		mid := (lo + hi + 1) / 2
		at, begins := mid, int64(-1)
		for ; at <= hi && begins < 0; at++ { // a page may be filled by one row's positions
			b, err := x.readLeaf(ctx, s.id<<pageNumberBits|at)
			if err != nil {
				return 0, err
			}
			_, first, _, ok := firstRowid(b)
			if !ok {
				return 0, x.corrupt("a page has no header")
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

// readLeaf reads one page, which is kept.
func (x *Index) readLeaf(ctx context.Context, id int64) ([]byte, error) {
	if b := x.cache.get(id); b != nil {
		return b, nil
	}
	b, err := x.readBlock(ctx, id)
	if err == nil && len(b) <= maxCachedBytes {
		x.cache.put(id, b)
	}
	return b, err
}
