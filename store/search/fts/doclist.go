package fts

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

// rowsOfTerm gives the rows that have a term of a phrase. Unless within is nil,
// only its rows are asked for; others may be among those it gives, or not.
func (x *Index) rowsOfTerm(ctx context.Context, t phraseTerm, within *Set) (*Set, error) {
	if t.accepts == nil {
		b := termID{t.term, t.prefix}
		rows, ok, err := x.rowsOfPrecomputed(ctx, b)
		if ok || err != nil {
			return rows, err
		}
		if rows := x.cache.rowSet(b, x.maxRowid); rows != nil {
			return rows, nil
		}
		if t.prefix {
			rows, ok, err = x.rowsPartlyPrecomputed(ctx, b)
		}
		if ok || err != nil {
			return rows, err
		}
	}
	r := rowSetReader{maxRowid: x.maxRowid, accepts: t.accepts}
	var among []int64
	if within != nil {
		among = seekRows(within)
	}
	want := termKey(t.term)
	for i := len(x.segments) - 1; i >= 0; i-- { // newest first
		if err := x.scanSegment(ctx, &x.segments[i], want, !t.prefix, among, &r); err != nil {
			return nil, err
		}
	}
	if t.accepts == nil && among == nil {
		x.cache.putRowSet(termID{t.term, t.prefix}, &r)
	}
	return &r.set, nil
}

// rowsOfPrecomputed gives the rows of a term that is prepared: what is left to read
// are the segments that came later. ok is false where they say that a term is
// gone from a row, which may have others that begin so.
func (x *Index) rowsOfPrecomputed(ctx context.Context, b termID) (rows *Set, ok bool, err error) {
	if !x.precomputedValid() || x.precomputed.byTerm[b] == nil {
		return nil, false, nil
	}
	r := rowSetReader{maxRowid: x.maxRowid}
	if ok, err = x.applyLaterSegments(ctx, b, &r); !ok {
		return nil, false, err
	}
	return x.mergePrecomputed(&r, x.precomputed.byTerm[b]), true, nil
}

// rowsPartlyPrecomputed gives the rows of all terms with a beginning where some of these
// are prepared: what is left to read are the others. ok is false as of
// preparedRows, and where none of them is prepared.
func (x *Index) rowsPartlyPrecomputed(ctx context.Context, b termID) (rows *Set, ok bool, err error) {
	if !x.precomputedValid() {
		return nil, false, nil
	}
	parts := x.precomputed.termsWithPrefix(b.term)
	if len(parts) == 0 {
		return nil, false, nil
	}
	r := rowSetReader{maxRowid: x.maxRowid}
	if ok, err = x.applyLaterSegments(ctx, b, &r); !ok {
		return nil, false, err
	}
	r.accepts = func(term []byte) bool { return parts[string(term)] == nil }
	p := x.precomputed
	for i := len(p.segments) - 1; i >= 0; i-- { // newest first
		if err := x.scanSegment(ctx, &x.segments[i], termKey(b.term), false, nil, &r); err != nil {
			return nil, false, err
		}
	}
	rows = x.mergePrecomputed(&r, slices.Collect(maps.Values(parts))...)
	x.cache.putRowSet(b, &r)
	return rows, true, nil
}

// applyLaterSegments reads the segments that came after what is prepared.
func (x *Index) applyLaterSegments(ctx context.Context, b termID, r *rowSetReader) (ok bool, err error) {
	for i := len(x.segments) - 1; i >= len(x.precomputed.segments); i-- { // newest first
		if err := x.scanSegment(ctx, &x.segments[i], termKey(b.term), !b.prefix, nil, r); err != nil || len(r.deletedRows) > 0 {
			return false, err
		}
	}
	return true, nil
}

// mergePrecomputed puts what is prepared to what was read.
func (x *Index) mergePrecomputed(r *rowSetReader, prepared ...*Set) *Set {
	for _, rows := range prepared {
		r.set.Union(rows)
	}
	if x.maxRowid < x.precomputed.maxRowid {
		r.set.Clip(0, x.maxRowid)
	}
	return &r.set
}

// rowSetReader reads the rows of terms into a set. Segments come newest first:
// what one says of a term in a row hides what older ones say.
type rowSetReader struct {
	set      Set
	maxRowid int64
	accepts  func(term []byte) bool // as that of a step

	commonPrefix  []byte // what all terms begin with, nil for none yet
	termName      []byte
	deletedRows   map[string][]uint32 // by term: rows that a newer segment says are gone, ascending
	deletedOfTerm []uint32            // of the term at hand
}

func (r *rowSetReader) term(t []byte) bool {
	if r.commonPrefix == nil {
		r.commonPrefix = bytes.Clone(t)
	}
	for !bytes.HasPrefix(t, r.commonPrefix) {
		r.commonPrefix = r.commonPrefix[:len(r.commonPrefix)-1]
	}
	if r.accepts != nil && !r.accepts(t) {
		return false
	}
	r.termName = append(r.termName[:0], t...)
	r.deletedOfTerm = r.deletedRows[string(t)]
	return true
}

func (r *rowSetReader) restOfPoslist([]byte) {}

// doclist is where the time goes: it is written out for the common case of
// numbers of one byte.
func (r *rowSetReader) doclist(b []byte, row int64) (last int64, missing int, ok bool) {
	limit, hidden := uint64(r.maxRowid), r.deletedOfTerm
	at := int64(-1)
	var p *bitmapPage
	for pos := 0; pos < len(b); {
		delta := uint64(b[pos])
		pos++
		if delta >= 0x80 {
			v, n := varintUpTo2(b[pos-1:])
			if n == 0 {
				return 0, 0, false
			}
			delta, pos = v, pos-1+n
		}
		row += int64(delta)
		if pos >= len(b) {
			return 0, 0, false
		}
		size := uint64(b[pos])
		pos++
		if size >= 0x80 {
			v, n := varintUpTo2(b[pos-1:])
			if n == 0 || v > maxPoslistSize {
				return 0, 0, false
			}
			size, pos = v, pos-1+n
		}
		pos += int(size >> 1)
		switch {
		case uint64(row) > limit:
		case size>>1 == 0:
			r.addDeleted(row)
			hidden = r.deletedOfTerm
		case hidden != nil && containsRow(hidden, row):
		default:
			if row>>pageBits != at {
				at = row >> pageBits
				p = r.set.page(row)
			}
			p[row&pageMask>>6] |= 1 << (row & 63)
		}
		if pos > len(b) {
			return row, pos - len(b), true
		}
	}
	return row, 0, true
}

// maxPoslistSize is how many bytes the positions of one row may claim, times
// two. SQLite has no larger values.
const maxPoslistSize = 1 << 32

// addDeleted hides a row of the term at hand from older segments.
func (r *rowSetReader) addDeleted(row int64) {
	i, known := slices.BinarySearch(r.deletedOfTerm, uint32(row))
	if known {
		return
	}
	if r.deletedRows == nil {
		r.deletedRows = map[string][]uint32{}
	}
	r.deletedOfTerm = slices.Insert(r.deletedOfTerm, i, uint32(row))
	r.deletedRows[string(r.termName)] = r.deletedOfTerm
}

func containsRow(rows []uint32, row int64) bool {
	_, ok := slices.BinarySearch(rows, uint32(row))
	return ok
}

// rowsStartingWith gives the rows that begin with a term, or one that begins so, as far
// as any segment says.
func (x *Index) rowsStartingWith(ctx context.Context, term string) (*Set, error) {
	r := firstPositionReader{maxRowid: x.maxRowid}
	for i := range x.segments {
		if err := x.scanSegment(ctx, &x.segments[i], termKey(term), false, nil, &r); err != nil {
			return nil, err
		}
	}
	return &r.set, nil
}

// firstPositionReader reads the rows in which a term is the first of all, and those of
// which it can not tell.
type firstPositionReader struct {
	set      Set
	maxRowid int64
}

func (r *firstPositionReader) term([]byte) bool { return true }

func (r *firstPositionReader) restOfPoslist([]byte) {}

func (r *firstPositionReader) doclist(b []byte, row int64) (last int64, missing int, ok bool) {
	return eachEntry(b, row, func(row int64, here []byte, missing int) {
		// Places count from 2: 1 stands for another column.
		if row >= 0 && row <= r.maxRowid && (len(here) > 0 && here[0] == 2 || len(here) == 0 && missing > 0) {
			r.set.Add(row)
		}
	})
}
