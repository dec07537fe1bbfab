package fts

import (
	"cmp"
	"context"
	"slices"
)

// readPositions reads where a term of a phrase stands in some rows.
func (x *Index) readPositions(ctx context.Context, t phraseTerm, among *Set) (*positionReader, error) {
	r := &positionReader{among: among, maxRowid: x.maxRowid, accepts: t.accepts, termNumbers: map[string]int32{}}
	few := seekRows(among)
	// Rows that came later mostly stand in newer segments: the oldest come
	// first, so that there is little to put in order.
	for i := range x.segments {
		r.segmentNumber = int32(len(x.segments) - i)
		if err := x.scanTerm(ctx, &x.segments[i], t, few, r); err != nil {
			return nil, err
		}
		r.partial = false
	}
	slices.SortFunc(r.poslists, func(a, b poslistRef) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.termNumber, b.termNumber), cmp.Compare(a.segmentNumber, b.segmentNumber))
	})
	return r, nil
}

// each hands over the rows, ascending, with the places in each: as column<<32 |
// word of it, ascending. They are gone after the call. It says no where they
// can not be read.
func (r *positionReader) each(row func(row int64, places []int64)) (ok bool) {
	var all []int64
	for rest := r.poslists; len(rest) > 0; {
		last, terms := rest[0], 0
		all = all[:0]
		for ; len(rest) > 0 && rest[0].row == last.row; rest = rest[1:] {
			if terms > 0 && rest[0].termNumber == last.termNumber {
				continue // the newest segment that knows a row of a term is right about it
			}
			last = rest[0]
			terms++
			if all, ok = decodePoslist(all, r.poslistBytes[last.from:last.to]); !ok {
				return false
			}
		}
		if terms > 1 {
			slices.Sort(all)
		}
		if len(all) > 0 {
			row(int64(last.row), all)
		}
	}
	return true
}

// decodePoslist reads a list of positions.
func decodePoslist(out []int64, b []byte) ([]int64, bool) {
	at := int64(0)
	for pos := 0; pos < len(b); {
		v, n := uint64(b[pos]), 1
		if v >= 0x80 {
			if v, n = varintUpTo2(b[pos:]); n == 0 {
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

// varintUpTo2 is [varint] for what mostly takes one byte or two.
func varintUpTo2(b []byte) (v uint64, size int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	if len(b) > 1 && b[1] < 0x80 {
		return uint64(b[0]&0x7f)<<7 | uint64(b[1]), 2
	}
	return varint(b)
}

// poslistRef is what one segment says of a term in a row.
type poslistRef struct {
	row           uint32
	termNumber    int32
	segmentNumber int32
	from, to      int // of bytes; nothing where the row is gone
}

// positionReader collects the positions of terms in some rows.
type positionReader struct {
	among         *Set
	maxRowid      int64
	accepts       func(term []byte) bool // as that of a step
	termNumbers   map[string]int32
	termNumber    int32 // of the term at hand
	segmentNumber int32
	poslists      []poslistRef
	poslistBytes  []byte
	partial       bool // the last of known goes on
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

func (r *positionReader) doclist(b []byte, row int64) (last int64, missing int, ok bool) {
	return eachEntry(b, row, func(row int64, here []byte, _ int) {
		r.partial = row >= 0 && row <= r.maxRowid && r.among.Has(row)
		if r.partial {
			from := len(r.poslistBytes)
			r.poslistBytes = append(r.poslistBytes, here...)
			r.poslists = append(r.poslists, poslistRef{uint32(row), r.termNumber, r.segmentNumber, from, len(r.poslistBytes)})
		}
	})
}
