package ftsindex

import (
	"cmp"
	"context"
	"slices"
)

// place is where a term stands in a row.
type place struct {
	row uint32
	at  int64 // column<<32 | word of it
}

// places gives where a term of a phrase stands in some rows, in order.
func (x *Index) places(ctx context.Context, t step, among *Set) ([]place, error) {
	r := placeReader{among: among, limit: x.limit, fits: t.fits, numbers: map[string]int32{}}
	want, few := key(t.term), few(among)
	// Rows that came later mostly stand in newer segments: the oldest come
	// first, so that there is little to put in order.
	for i := range x.segments {
		r.segment = int32(len(x.segments) - i)
		if err := x.walkSegment(ctx, &x.segments[i], want, !t.open, few, &r); err != nil {
			return nil, err
		}
		r.open = false
	}
	// The newest segment that knows a row of a term is right about it.
	slices.SortFunc(r.known, func(a, b known) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.term, b.term), cmp.Compare(a.segment, b.segment))
	})
	out := make([]place, 0, len(r.bytes)) // most positions take a byte
	var all []int64
	for i, k := range r.known {
		if i > 0 && k.row == r.known[i-1].row && k.term == r.known[i-1].term {
			continue
		}
		var ok bool
		if all, ok = positions(all[:0], r.bytes[k.from:k.to]); !ok {
			return nil, x.damaged("positions can not be read")
		}
		for _, at := range all {
			out = append(out, place{k.row, at})
		}
	}
	if t.open && !slices.IsSortedFunc(out, place.compare) { // else each row has one list, in order
		slices.SortFunc(out, place.compare)
	}
	return out, nil
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.row, q.row), cmp.Compare(p.at, q.at))
}

// positions reads a list of positions.
func positions(out []int64, b []byte) ([]int64, bool) {
	at := int64(0)
	for pos := 0; pos < len(b); {
		v, n := number(b[pos:])
		if n == 0 {
			return out, false
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

// number is [varint] for what mostly takes one byte or two.
func number(b []byte) (v uint64, size int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	if len(b) > 1 && b[1] < 0x80 {
		return uint64(b[0]&0x7f)<<7 | uint64(b[1]), 2
	}
	return varint(b)
}

// known is what one segment says of a term in a row.
type known struct {
	row      uint32
	term     int32
	segment  int32
	from, to int // of bytes; nothing where the row is gone
}

// placeReader collects the positions of terms in some rows.
type placeReader struct {
	among   *Set
	limit   int64
	fits    func(term []byte) bool // as that of a step
	numbers map[string]int32
	number  int32 // of the term at hand
	segment int32
	known   []known
	bytes   []byte
	open    bool // the last of known goes on
}

func (r *placeReader) term(t []byte) bool {
	if r.fits != nil && !r.fits(t) {
		r.open = false
		return false
	}
	n, ok := r.numbers[string(t)]
	if !ok {
		n = int32(len(r.numbers))
		r.numbers[string(t)] = n
	}
	r.number, r.open = n, false
	return true
}

func (r *placeReader) more(b []byte) {
	if r.open {
		r.bytes = append(r.bytes, b...)
		r.known[len(r.known)-1].to = len(r.bytes)
	}
}

func (r *placeReader) rows(b []byte, row int64) (last int64, missing int, ok bool) {
	for len(b) > 0 {
		delta, n := number(b)
		if n == 0 {
			return 0, 0, false
		}
		b = b[n:]
		size, n := number(b)
		if n == 0 || size > mostPositions {
			return 0, 0, false
		}
		b = b[n:]
		row += int64(delta)
		here := b[:min(int(size>>1), len(b))]
		b = b[len(here):]
		missing = int(size>>1) - len(here)
		r.open = row >= 0 && row <= r.limit && r.among.Has(row)
		if r.open {
			from := len(r.bytes)
			r.bytes = append(r.bytes, here...)
			r.known = append(r.known, known{uint32(row), r.number, r.segment, from, len(r.bytes)})
		}
	}
	return row, missing, true
}
