package fts

import (
	"bytes"
	"context"
	"hermes-sessions/store/internal/idset"
	"maps"
	"slices"
)

// maxPoslistSize limits the size field of a poslist: twice its bytes, and the
// delete flag. SQLite has no larger values.
const maxPoslistSize = 1 << 32

// eachEntry decodes rows of a doclist as [doclistReader.doclist] receives them.
// each is called with every rowid, the bytes of its poslist that are in b, and
// the number of those that are not.
func eachEntry(b []byte, rowid int64, each func(rowid int64, poslist []byte, missing int)) (last int64, missing int, ok bool) {
	for len(b) > 0 {
		delta, n := varint2(b)
		if n == 0 {
			return 0, 0, false
		}
		b = b[n:]
		size, n := varint2(b)
		if n == 0 || size > maxPoslistSize {
			return 0, 0, false
		}
		b = b[n:]
		rowid += int64(delta)
		poslist := b[:min(int(size>>1), len(b))]
		b = b[len(poslist):]
		missing = int(size>>1) - len(poslist)
		each(rowid, poslist, missing)
	}
	return rowid, missing, true
}

// rowsOfTerm returns the rowids of a term of a phrase. Unless within is nil, only the
// rowids of within are needed; the answer may have others too. The set is the caller's.
func (ix *Index) rowsOfTerm(ctx context.Context, t phraseTerm, within *idset.Set) (*idset.Set, error) {
	pattern := termPattern{t.term, t.prefix}
	if t.accepts == nil {
		rowids, ok, err := ix.rowsOfPrecomputed(ctx, pattern)
		if ok || err != nil {
			return rowids, err
		}
		if rowids := ix.cache.rowids(pattern, ix.maxRowid); rowids != nil {
			return rowids, nil
		}
		if t.prefix {
			rowids, ok, err = ix.rowsPartlyPrecomputed(ctx, pattern)
		}
		if ok || err != nil {
			return rowids, err
		}
	}
	r := rowidReader{maxRowid: ix.maxRowid, accepts: t.accepts}
	var wanted []int64
	if within != nil {
		wanted = rowidsToSeek(within)
	}
	target := storedTerm(t.term)
	for i := len(ix.segments) - 1; i >= 0; i-- { // newest first
		if err := ix.scanSegment(ctx, &ix.segments[i], target, !t.prefix, wanted, &r); err != nil {
			return nil, err
		}
	}
	if t.accepts == nil && wanted == nil {
		ix.cache.putRowids(pattern, &r)
	}
	return &r.set, nil
}

// rowsOfPrecomputed returns the rowids of a term or prefix that is precomputed;
// only the segments that came later are read. ok is false where it is not
// precomputed, and where a later segment has removed a term from a row:
// the row may have other terms with the prefix.
func (ix *Index) rowsOfPrecomputed(ctx context.Context, p termPattern) (rowids *idset.Set, ok bool, err error) {
	if !ix.precomputedValid() || ix.precomputed.byTerm[p] == nil {
		return nil, false, nil
	}
	r := rowidReader{maxRowid: ix.maxRowid}
	if ok, err = ix.readLaterSegments(ctx, p, &r); !ok {
		return nil, false, err
	}
	return ix.addPrecomputed(&r, ix.precomputed.byTerm[p]), true, nil
}

// rowsPartlyPrecomputed returns the rowids of a prefix of which single terms are
// precomputed; only the other terms are read. ok is false where none is precomputed, and
// where a later segment has removed a term with the prefix from a row.
func (ix *Index) rowsPartlyPrecomputed(ctx context.Context, p termPattern) (rowids *idset.Set, ok bool, err error) {
	if !ix.precomputedValid() {
		return nil, false, nil
	}
	known := ix.precomputed.termsWithPrefix(p.text)
	if len(known) == 0 {
		return nil, false, nil
	}
	r := rowidReader{maxRowid: ix.maxRowid}
	if ok, err = ix.readLaterSegments(ctx, p, &r); !ok {
		return nil, false, err
	}
	r.accepts = func(term []byte) bool { return known[string(term)] == nil }
	for i := len(ix.precomputed.segments) - 1; i >= 0; i-- { // newest first
		if err := ix.scanSegment(ctx, &ix.segments[i], storedTerm(p.text), false, nil, &r); err != nil {
			return nil, false, err
		}
	}
	rowids = ix.addPrecomputed(&r, slices.Collect(maps.Values(known))...)
	ix.cache.putRowids(p, &r)
	return rowids, true, nil
}

// readLaterSegments reads the segments that came after those that were
// precomputed. ok is false where one of them has removed a term from a row.
func (ix *Index) readLaterSegments(ctx context.Context, p termPattern, r *rowidReader) (ok bool, err error) {
	for i := len(ix.segments) - 1; i >= len(ix.precomputed.segments); i-- { // newest first
		if err := ix.scanSegment(ctx, &ix.segments[i], storedTerm(p.text), !p.prefix, nil, r); err != nil || len(r.deleted) > 0 {
			return false, err
		}
	}
	return true, nil
}

// addPrecomputed adds precomputed rowids to those that were read.
func (ix *Index) addPrecomputed(r *rowidReader, precomputed ...*idset.Set) *idset.Set {
	for _, rowids := range precomputed {
		r.set.Union(rowids)
	}
	if ix.maxRowid < ix.precomputed.maxRowid {
		r.set.Clip(0, ix.maxRowid)
	}
	return &r.set
}

// rowidReader is a [doclistReader] that collects the rowids of terms. It must
// receive the newest segment first: the entry of a term and a row in a segment hides
// those in older ones.
type rowidReader struct {
	set      idset.Set
	maxRowid int64
	accepts  func(term []byte) bool // nil for all terms

	commonPrefix  []byte // of all terms, nil before the first
	lastTerm      []byte
	deleted       map[string][]uint32 // by term: rowids that newer segments deleted, ascending
	deletedOfTerm []uint32            // those of lastTerm
}

func (r *rowidReader) term(t []byte) bool {
	if r.commonPrefix == nil {
		r.commonPrefix = bytes.Clone(t)
	}
	for !bytes.HasPrefix(t, r.commonPrefix) {
		r.commonPrefix = r.commonPrefix[:len(r.commonPrefix)-1]
	}
	if r.accepts != nil && !r.accepts(t) {
		return false
	}
	r.lastTerm = append(r.lastTerm[:0], t...)
	r.deletedOfTerm = r.deleted[string(t)]
	return true
}

func (r *rowidReader) restOfPoslist([]byte) {}

// doclist takes most of the time of a query: eachEntry is written out here, for
// the common case of varints of one byte.
func (r *rowidReader) doclist(b []byte, rowid int64) (last int64, missing int, ok bool) {
	limit, deleted := uint64(r.maxRowid), r.deletedOfTerm
	pageNumber := int64(-1)
	var page *idset.Page
	for pos := 0; pos < len(b); {
		delta := uint64(b[pos])
		pos++
		if delta >= 0x80 {
			v, n := varint2(b[pos-1:])
			if n == 0 {
				return 0, 0, false
			}
			delta, pos = v, pos-1+n
		}
		rowid += int64(delta)
		if pos >= len(b) {
			return 0, 0, false
		}
		size := uint64(b[pos])
		pos++
		if size >= 0x80 {
			v, n := varint2(b[pos-1:])
			if n == 0 || v > maxPoslistSize {
				return 0, 0, false
			}
			size, pos = v, pos-1+n
		}
		pos += int(size >> 1)
		switch {
		case uint64(rowid) > limit:
		case size>>1 == 0: // the term was removed from the row
			r.addDeleted(rowid)
			deleted = r.deletedOfTerm
		case deleted != nil && containsRowid(deleted, rowid):
		default:
			if rowid>>idset.PageBits != pageNumber {
				pageNumber = rowid >> idset.PageBits
				page = r.set.Page(rowid)
			}
			page[rowid&idset.PageMask>>6] |= 1 << (rowid & 63)
		}
		if pos > len(b) {
			return rowid, pos - len(b), true
		}
	}
	return rowid, 0, true
}

// addDeleted hides a rowid of the last term from older segments.
func (r *rowidReader) addDeleted(rowid int64) {
	i, found := slices.BinarySearch(r.deletedOfTerm, uint32(rowid))
	if found {
		return
	}
	if r.deleted == nil {
		r.deleted = map[string][]uint32{}
	}
	r.deletedOfTerm = slices.Insert(r.deletedOfTerm, i, uint32(rowid))
	r.deleted[string(r.lastTerm)] = r.deletedOfTerm
}

func containsRowid(rowids []uint32, rowid int64) bool {
	_, found := slices.BinarySearch(rowids, uint32(rowid))
	return found
}

// rowsAtStart returns the rows that begin with a term that has a prefix, in any segment.
func (ix *Index) rowsAtStart(ctx context.Context, prefix string) (*idset.Set, error) {
	r := firstPositionReader{maxRowid: ix.maxRowid}
	for i := range ix.segments {
		if err := ix.scanSegment(ctx, &ix.segments[i], storedTerm(prefix), false, nil, &r); err != nil {
			return nil, err
		}
	}
	return &r.set, nil
}

// firstPositionReader is a [doclistReader] that collects the rowids in which a
// term is at the first position, and those whose positions are on a later page.
type firstPositionReader struct {
	set      idset.Set
	maxRowid int64
}

func (r *firstPositionReader) term([]byte) bool { return true }

func (r *firstPositionReader) restOfPoslist([]byte) {}

func (r *firstPositionReader) doclist(b []byte, rowid int64) (last int64, missing int, ok bool) {
	return eachEntry(b, rowid, func(rowid int64, poslist []byte, missing int) {
		// Positions are stored + 2: a byte 2 is position 0 of the first column.
		if rowid >= 0 && rowid <= r.maxRowid && (len(poslist) > 0 && poslist[0] == 2 || len(poslist) == 0 && missing > 0) {
			r.set.Add(rowid)
		}
	})
}
