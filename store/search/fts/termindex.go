package fts

import (
	"bytes"
	"context"
	"database/sql"
	"slices"

	"hermes-sessions/store/internal/btree"
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

// readTermIndexes reads the %_idx rows of some segments, with so many leaf pages.
func (ix *Index) readTermIndexes(ctx context.Context, some []*segment, leaves int64) error {
	part := int64(0)
	for _, s := range some {
		part += s.lastPage - s.firstPage + 1
	}
	if leaves >= minScannedLeaves && part > leaves/2 {
		if ix.scanTermIndexes(ctx, some) == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for _, s := range some { // a statement reads what the pages did not give
		if err := ix.readTermIndex(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// minScannedLeaves is the number of leaf pages from which the rows of %_idx are read by the
// pages of their table, ten times as fast.
const minScannedLeaves = 1_000

// scanTermIndexes is readTermIndexes by the pages of the table.
func (ix *Index) scanTermIndexes(ctx context.Context, some []*segment) error {
	byID := map[int64]*segment{}
	for _, s := range some {
		if s.termIndex = (termIndex{}); s.firstPage < s.lastPage {
			byID[s.id] = s
		}
	}
	var last []byte // the term before
	var row [3]btree.Value
	n := 0
	// As in eachRow, no statement is interrupted.
	return btree.ScanRows(context.WithoutCancel(ctx), ix.db, ix.table+"_idx", row[:], func() error {
		if n++; n&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id, ok := row[0].Int()
		term, isBlob := row[1].Blob()
		pgno, isInt := row[2].Int()
		if !ok || !isBlob || !isInt {
			return btree.ErrUnsupported
		}
		s := byID[id]
		if s == nil {
			return nil
		}
		if len(s.termIndex.pages) == 0 {
			last = last[:0]
		} else if bytes.Compare(last, term) >= 0 {
			return btree.ErrUnsupported
		}
		last = append(last[:0], term...)
		return s.termIndex.add(ix, s, term, pgno>>1)
	})
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
		return ti.add(ix, s, term, page)
	})
	s.termIndex = ti
	return err
}

// add adds a row of %_idx to the term index of a segment.
func (ti *termIndex) add(ix *Index, s *segment, term []byte, page int64) error {
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
}
