package ftsindex

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

// termRows gives the rows that have a term of a phrase. Unless within is nil,
// only its rows are asked for; others may be among those it gives, or not.
func (x *Index) termRows(ctx context.Context, t step, within *Set) (*Set, error) {
	if t.fits == nil {
		b := stem{t.term, t.open}
		rows, ok, err := x.preparedRows(ctx, b)
		if ok || err != nil {
			return rows, err
		}
		if rows := x.kept.rows(b, x.limit); rows != nil {
			return rows, nil
		}
		if t.open {
			rows, ok, err = x.partlyPrepared(ctx, b)
		}
		if ok || err != nil {
			return rows, err
		}
	}
	r := rowReader{limit: x.limit, fits: t.fits}
	var among []int64
	if within != nil {
		among = few(within)
	}
	want := key(t.term)
	for i := len(x.segments) - 1; i >= 0; i-- { // newest first
		if err := x.walkSegment(ctx, &x.segments[i], want, !t.open, among, &r); err != nil {
			return nil, err
		}
	}
	if t.fits == nil && among == nil {
		x.kept.putRows(stem{t.term, t.open}, &r)
	}
	return &r.set, nil
}

// preparedRows gives the rows of a term that is prepared: what is left to read
// are the segments that came later. ok is false where they say that a term is
// gone from a row, which may have others that begin so.
func (x *Index) preparedRows(ctx context.Context, b stem) (rows *Set, ok bool, err error) {
	if !x.holds() || x.prepared.sets[b] == nil {
		return nil, false, nil
	}
	r := rowReader{limit: x.limit}
	if ok, err = x.later(ctx, b, &r); !ok {
		return nil, false, err
	}
	return x.with(&r, x.prepared.sets[b]), true, nil
}

// partlyPrepared gives the rows of all terms with a beginning where some of these
// are prepared: what is left to read are the others. ok is false as of
// preparedRows, and where none of them is prepared.
func (x *Index) partlyPrepared(ctx context.Context, b stem) (rows *Set, ok bool, err error) {
	if !x.holds() {
		return nil, false, nil
	}
	parts := x.prepared.parts(b.text)
	if len(parts) == 0 {
		return nil, false, nil
	}
	r := rowReader{limit: x.limit}
	if ok, err = x.later(ctx, b, &r); !ok {
		return nil, false, err
	}
	r.fits = func(term []byte) bool { return parts[string(term)] == nil }
	p := x.prepared
	for i := len(p.segments) - 1; i >= 0; i-- { // newest first
		if err := x.walkSegment(ctx, &x.segments[i], key(b.text), false, nil, &r); err != nil {
			return nil, false, err
		}
	}
	rows = x.with(&r, slices.Collect(maps.Values(parts))...)
	x.kept.putRows(b, &r)
	return rows, true, nil
}

// later reads the segments that came after what is prepared.
func (x *Index) later(ctx context.Context, b stem, r *rowReader) (ok bool, err error) {
	for i := len(x.segments) - 1; i >= len(x.prepared.segments); i-- { // newest first
		if err := x.walkSegment(ctx, &x.segments[i], key(b.text), !b.open, nil, r); err != nil || len(r.gone) > 0 {
			return false, err
		}
	}
	return true, nil
}

// with puts what is prepared to what was read.
func (x *Index) with(r *rowReader, prepared ...*Set) *Set {
	for _, rows := range prepared {
		r.set.Union(rows)
	}
	if x.limit < x.prepared.limit {
		r.set.Clip(0, x.limit)
	}
	return &r.set
}

// rowReader reads the rows of terms into a set. Segments come newest first:
// what one says of a term in a row hides what older ones say.
type rowReader struct {
	set   Set
	limit int64
	fits  func(term []byte) bool // as that of a step

	shared []byte // what all terms begin with, nil for none yet
	name   []byte
	gone   map[string][]uint32 // by term: rows that a newer segment says are gone, ascending
	hidden []uint32            // of the term at hand
}

func (r *rowReader) term(t []byte) bool {
	if r.shared == nil {
		r.shared = bytes.Clone(t)
	}
	for !bytes.HasPrefix(t, r.shared) {
		r.shared = r.shared[:len(r.shared)-1]
	}
	if r.fits != nil && !r.fits(t) {
		return false
	}
	r.name = append(r.name[:0], t...)
	r.hidden = r.gone[string(t)]
	return true
}

func (r *rowReader) more([]byte) {}

// rows is where the time goes: it is written out for the common case of
// numbers of one byte.
func (r *rowReader) rows(b []byte, row int64) (last int64, missing int, ok bool) {
	limit, hidden := uint64(r.limit), r.hidden
	at := int64(-1)
	var p *page
	for pos := 0; pos < len(b); {
		delta := uint64(b[pos])
		pos++
		if delta >= 0x80 {
			v, n := number(b[pos-1:])
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
			v, n := number(b[pos-1:])
			if n == 0 || v > mostPositions {
				return 0, 0, false
			}
			size, pos = v, pos-1+n
		}
		pos += int(size >> 1)
		switch {
		case uint64(row) > limit:
		case size>>1 == 0:
			r.lose(row)
			hidden = r.hidden
		case hidden != nil && has(hidden, row):
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

// mostPositions is how many bytes the positions of one row may claim, times
// two. SQLite has no larger values.
const mostPositions = 1 << 32

// lose hides a row of the term at hand from older segments.
func (r *rowReader) lose(row int64) {
	i, known := slices.BinarySearch(r.hidden, uint32(row))
	if known {
		return
	}
	if r.gone == nil {
		r.gone = map[string][]uint32{}
	}
	r.hidden = slices.Insert(r.hidden, i, uint32(row))
	r.gone[string(r.name)] = r.hidden
}

func has(rows []uint32, row int64) bool {
	_, ok := slices.BinarySearch(rows, uint32(row))
	return ok
}

// beginning gives the rows that begin with a term, or one that begins so, as far
// as any segment says.
func (x *Index) beginning(ctx context.Context, term string) (*Set, error) {
	r := firstReader{limit: x.limit}
	for i := range x.segments {
		if err := x.walkSegment(ctx, &x.segments[i], key(term), false, nil, &r); err != nil {
			return nil, err
		}
	}
	return &r.set, nil
}

// firstReader reads the rows in which a term is the first of all, and those of
// which it can not tell.
type firstReader struct {
	set   Set
	limit int64
}

func (r *firstReader) term([]byte) bool { return true }

func (r *firstReader) more([]byte) {}

func (r *firstReader) rows(b []byte, row int64) (last int64, missing int, ok bool) {
	return eachRow(b, row, func(row int64, here []byte, missing int) {
		// Places count from 2: 1 stands for another column.
		if row >= 0 && row <= r.limit && (len(here) > 0 && here[0] == 2 || len(here) == 0 && missing > 0) {
			r.set.Add(row)
		}
	})
}
