package fts

import (
	"cmp"
	"context"
	"hermes-sessions/store/internal/idset"
	"slices"
)

// A decoded position is column<<32 | number of the token in that column, as in
// fts5_buffer.c.

// readPositions reads the positions of a term of a phrase in the rows of within.
func (ix *Index) readPositions(ctx context.Context, t phraseTerm, within *idset.Set) (*positionReader, error) {
	r := &positionReader{within: within, maxRowid: ix.maxRowid, accepts: t.accepts, termNumbers: map[string]int32{}}
	wanted := rowidsToSeek(within)
	// Greater rowids are mostly in newer segments: with the oldest
	// first, little is left to sort.
	for i := range ix.segments {
		r.segmentAge = int32(len(ix.segments) - i)
		if err := ix.scanTerm(ctx, &ix.segments[i], t, wanted, r); err != nil {
			return nil, err
		}
		r.partial = false
	}
	slices.SortFunc(r.poslists, func(a, b poslistRef) int {
		return cmp.Or(cmp.Compare(a.rowid, b.rowid), cmp.Compare(a.termNumber, b.termNumber), cmp.Compare(a.segmentAge, b.segmentAge))
	})
	return r, nil
}

// poslistRef is what one segment says of a term in a row.
type poslistRef struct {
	rowid      uint32
	termNumber int32
	segmentAge int32 // 1 for the newest segment
	from, to   int   // of poslistBytes; empty where the term was removed from the row
}

// positionReader is a [doclistReader] that collects the poslists of terms in
// some rows.
type positionReader struct {
	within      *idset.Set
	maxRowid    int64
	accepts     func(term []byte) bool // nil for all terms
	termNumbers map[string]int32       // by term, in the order in which they came

	termNumber   int32 // of the last term
	segmentAge   int32
	poslists     []poslistRef
	poslistBytes []byte
	partial      bool // the last poslist goes on
}

func (r *positionReader) term(t []byte) bool {
	if r.accepts != nil && !r.accepts(t) {
		r.partial = false
		return false
	}
	n, ok := r.termNumbers[string(t)]
	if !ok {
		n = int32(len(r.termNumbers))
		r.termNumbers[string(t)] = n
	}
	r.termNumber, r.partial = n, false
	return true
}

func (r *positionReader) restOfPoslist(b []byte) {
	if r.partial {
		r.poslistBytes = append(r.poslistBytes, b...)
		r.poslists[len(r.poslists)-1].to = len(r.poslistBytes)
	}
}

func (r *positionReader) doclist(b []byte, rowid int64) (last int64, missing int, ok bool) {
	return eachEntry(b, rowid, func(rowid int64, poslist []byte, _ int) {
		r.partial = rowid >= 0 && rowid <= r.maxRowid && r.within.Has(rowid)
		if r.partial {
			from := len(r.poslistBytes)
			r.poslistBytes = append(r.poslistBytes, poslist...)
			r.poslists = append(r.poslists, poslistRef{uint32(rowid), r.termNumber, r.segmentAge, from, len(r.poslistBytes)})
		}
	})
}

// each calls row with the rowids, ascending, and with the positions of the terms in that
// row, ascending too, which are valid during the call only. ok is false for damaged
// poslists.
func (r *positionReader) each(row func(rowid int64, positions []int64)) (ok bool) {
	var positions []int64
	for rest := r.poslists; len(rest) > 0; {
		last, terms := rest[0], 0
		positions = positions[:0]
		for ; len(rest) > 0 && rest[0].rowid == last.rowid; rest = rest[1:] {
			if terms > 0 && rest[0].termNumber == last.termNumber {
				continue // the newest segment that has the term in the row is right
			}
			last = rest[0]
			terms++
			if positions, ok = decodePoslist(positions, r.poslistBytes[last.from:last.to]); !ok {
				return false
			}
		}
		if terms > 1 {
			slices.Sort(positions)
		}
		if len(positions) > 0 {
			row(int64(last.rowid), positions)
		}
	}
	return true
}

// decodePoslist appends the positions of a poslist, without its size, to out. ok is false
// for a damaged one.
func decodePoslist(out []int64, b []byte) (positions []int64, ok bool) {
	at := int64(0)
	for pos := 0; pos < len(b); {
		v, n := uint64(b[pos]), 1
		if v >= 0x80 {
			if v, n = varint2(b[pos:]); n == 0 {
				return out, false
			}
		}
		pos += n
		if v == 1 { // another column
			column, n := varint(b[pos:])
			if n == 0 || column > 1<<16 {
				return out, false
			}
			at = int64(column) << 32
			pos += n
			if v, n = varint(b[pos:]); n == 0 {
				return out, false
			}
			pos += n
		}
		if v < 2 || v-2 > 1<<31 {
			return out, false
		}
		at = at&^(1<<32-1) | (at+int64(v)-2)&(1<<31-1)
		out = append(out, at)
	}
	return out, true
}
