package fts

import (
	"bytes"
	"context"
	"database/sql"
	"slices"
)

// termIndex holds the %_idx rows of a segment: the leaf pages on which a term
// begins, each with a key that is greater than all terms of earlier pages and
// not greater than the first that begins on it. It is never changed.
type termIndex struct {
	keys    []byte   // one after the other
	keyEnds []uint32 // where each key ends
	pages   []int32
}

func (ti *termIndex) key(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = ti.keyEnds[i-1]
	}
	return ti.keys[from:ti.keyEnds[i]]
}

// pageOf returns the page on which a term begins if the segment has it. ok is
// false for terms before the first key.
func (ti *termIndex) pageOf(term []byte) (page int64, ok bool) {
	lo, hi := 0, len(ti.pages)
	for lo < hi {
		if mid := (lo + hi) / 2; bytes.Compare(ti.key(mid), term) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0, false
	}
	return int64(ti.pages[lo-1]), true
}

// fits reports whether the first term that begins on a page lies between the key of the
// page and that of the next one. Where it does not, a search would miss terms and no other
// check would notice.
func (ti *termIndex) fits(page int64, b []byte) bool {
	if len(ti.pages) == 0 {
		return true
	}
	l, ok := parseLeaf(b)
	if !ok {
		return false
	}
	at, more, ok := l.nextTermPos(0)
	if !ok || !more {
		return ok
	}
	_, size, pos, ok := l.parseTerm(at, true)
	if !ok {
		return false
	}
	term := b[pos : pos+size]
	i, ok := slices.BinarySearch(ti.pages, int32(min(page, maxPageNumber)))
	return ok && bytes.Compare(ti.key(i), term) <= 0 && (i+1 == len(ti.pages) || bytes.Compare(term, ti.key(i+1)) < 0)
}

func (ti *termIndex) nextPage(page int64) (next int64, ok bool) {
	i, exact := slices.BinarySearch(ti.pages, int32(min(page, maxPageNumber)))
	if exact {
		i++
	}
	if i == len(ti.pages) {
		return 0, false
	}
	return int64(ti.pages[i]), true
}

// lastPageOf returns the last page that a doclist may reach that begins on a
// page. segmentEnd is the last page of the segment.
func (ti *termIndex) lastPageOf(page, segmentEnd int64) int64 {
	if next, ok := ti.nextPage(page); ok {
		return next
	}
	return segmentEnd
}

// readTermIndex reads the %_idx rows of a segment. A segment of one page needs none.
func (ix *Index) readTermIndex(ctx context.Context, s *segment) error {
	if s.firstPage == s.lastPage {
		return nil
	}
	var ti termIndex
	var term sql.RawBytes
	var page int64
	// The lowest bit of pgno is set when the page has a doclist index.
	err := ix.eachRow(ctx, `SELECT term, pgno >> 1 FROM `+ix.table+`_idx WHERE segid = ? ORDER BY term`, []any{s.id}, func(rows *sql.Rows) error {
		if err := rows.Scan(&term, &page); err != nil {
			return err
		}
		if page < 1 || page > s.lastPage || len(ti.pages) > 0 && page <= int64(ti.pages[len(ti.pages)-1]) {
			return ix.corrupt("segment %d leads to page %d", s.id, page)
		}
		if page < s.firstPage { // merged away
			return nil
		}
		ti.keys = append(ti.keys, term...)
		ti.keyEnds = append(ti.keyEnds, uint32(len(ti.keys)))
		ti.pages = append(ti.pages, int32(page))
		return nil
	})
	s.termIndex = ti
	return err
}
