package fts

import (
	"context"
	"hermes-sessions/store/internal/idset"
	"math/bits"
	"slices"
)

// maxSeekRowids is how many rowids may be looked up one by one.
const maxSeekRowids = 256

// rowidsToSeek returns the rowids of a set that may be looked up one by one,
// ascending; nil where they are too many.
func rowidsToSeek(s *idset.Set) []int64 {
	var rowids []int64
	for rowid := range s.All() {
		if len(rowids) == maxSeekRowids {
			return nil
		}
		rowids = append(rowids, rowid)
	}
	return rowids
}

// worthSeeking reports whether seeking each rowid on a number of pages is faster
// than reading them all: reading a page by its id takes as long as reading a
// dozen in sequence.
func worthSeeking(rowids []int64, pages int64) bool {
	return int64(len(rowids)*(bits.Len64(uint64(pages))+2)*2) < pages
}

// canSkip reports whether the next page may be skipped: it does not continue
// the poslist of one of the needed rowids.
func (sc *scan) canSkip(rowids []int64) bool {
	_, wanted := slices.BinarySearch(rowids, sc.rowid)
	return sc.poslistRest == 0 || !wanted
}

// seekRowids reads the remaining needed rowids of a doclist that begins on a page and
// continues after it. The first rowid of each page is stored
// in full, and rowids ascend, so the pages are searched by bisection.
func (sc *scan) seekRowids(ctx context.Context, s *segment, page int64, rowids []int64) error {
	last, done := s.termIndex.lastPageOf(page, s.lastPage), sc.rowid
	for _, rowid := range rowids {
		if rowid <= done {
			continue
		}
		at, err := sc.index.pageOfRowid(ctx, s, page, last, rowid)
		if err != nil {
			return err
		}
		if at == page { // it was read
			continue
		}
		page = at
		err = sc.index.eachLeaf(ctx, s, page, func(n int64, b []byte) error {
			read := sc.page
			if n == page {
				read = sc.pageFromFirstRowid
			}
			if err := read(b); err != nil {
				return err
			}
			done = max(done, sc.rowid)
			if sc.inDoclist && !sc.canSkip(rowids) {
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

// pageFromFirstRowid reads the part of a doclist on a page from the first rowid
// on that is stored in full.
func (sc *scan) pageFromFirstRowid(b []byte) error {
	l, firstRowid, end, ok := parseContinuation(b)
	if !ok || firstRowid == 0 {
		return sc.index.corrupt("a page does not begin with a row")
	}
	sc.rowid, sc.inDoclist = 0, end == l.size
	return sc.readDoclist(b[firstRowid:end], !sc.inDoclist)
}

// pageOfRowid returns the last page from lo to hi whose first rowid is at most rowid.
// The first rowid of lo must be at most rowid.
func (ix *Index) pageOfRowid(ctx context.Context, s *segment, lo, hi, rowid int64) (int64, error) {
	for lo < hi {
		mid := (lo + hi + 1) / 2
		at, firstRowid := mid, int64(-1)         // -1 until a page has one
		for ; at <= hi && firstRowid < 0; at++ { // one poslist may fill a page
			b, err := ix.readLeaf(ctx, s.leafID(at))
			if err != nil {
				return 0, err
			}
			_, pos, _, ok := parseContinuation(b)
			if !ok {
				return 0, ix.corrupt("a page has no header")
			}
			if pos > 0 {
				v, _ := varint(b[pos:])
				firstRowid = int64(v & (1<<63 - 1))
			}
		}
		if firstRowid >= 0 && firstRowid <= rowid {
			lo = at - 1
		} else {
			hi = mid - 1
		}
	}
	return lo, nil
}

// readLeaf reads one leaf page through the cache.
func (ix *Index) readLeaf(ctx context.Context, id int64) ([]byte, error) {
	if b := ix.cache.page(id); b != nil {
		return b, nil
	}
	b, err := ix.readBlock(ctx, id)
	if err == nil && len(b) <= maxCachedBytes {
		ix.cache.addPage(id, b)
	}
	return b, err
}
