package ftsindex

import (
	"cmp"
	"context"
	"slices"
)

// places reads where a term of a phrase stands in some rows.
func (x *Index) places(ctx context.Context, t step, among *Set) (*placeReader, error) {
	r := &placeReader{among: among, limit: x.limit, fits: t.fits, numbers: map[string]int32{}}
	few := few(among)
	// Rows that came later mostly stand in newer segments: the oldest come
	// first, so that there is little to put in order.
	for i := range x.segments {
		r.segment = int32(len(x.segments) - i)
		if err := x.walkStep(ctx, &x.segments[i], t, few, r); err != nil {
			return nil, err
		}
		r.open = false
	}
	slices.SortFunc(r.known, func(a, b known) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.term, b.term), cmp.Compare(a.segment, b.segment))
	})
	return r, nil
}

// each hands over the rows, ascending, with the places in each: as column<<32 |
// word of it, ascending. They are gone after the call. It says no where they
// can not be read.
func (r *placeReader) each(row func(row int64, places []int64)) (ok bool) {
	var all []int64
	for rest := r.known; len(rest) > 0; {
		last, terms := rest[0], 0
		all = all[:0]
		for ; len(rest) > 0 && rest[0].row == last.row; rest = rest[1:] {
			if terms > 0 && rest[0].term == last.term {
				continue // the newest segment that knows a row of a term is right about it
			}
			last = rest[0]
			terms++
			if all, ok = positions(all, r.bytes[last.from:last.to]); !ok {
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

// positions reads a list of positions.
func positions(out []int64, b []byte) ([]int64, bool) {
	at := int64(0)
	for pos := 0; pos < len(b); {
		v, n := uint64(b[pos]), 1
		if v >= 0x80 {
			if v, n = number(b[pos:]); n == 0 {
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
	return eachRow(b, row, func(row int64, here []byte, _ int) {
		r.open = row >= 0 && row <= r.limit && r.among.Has(row)
		if r.open {
			from := len(r.bytes)
			r.bytes = append(r.bytes, here...)
			r.known = append(r.known, known{uint32(row), r.number, r.segment, from, len(r.bytes)})
		}
	})
}
