package ftsindex

import (
	"bytes"
	"context"
)

// Moment is an index as it was once. The zero value is before there was
// anything in it.
type Moment struct {
	structure []byte
	writes    int64
	segments  []segment // oldest first, without their guides
}

// Moment gives that of the last call of [Index.Begin].
func (x *Index) Moment() Moment {
	m := Moment{structure: x.structure, writes: x.writes}
	for _, s := range x.segments {
		s.terms = guide{}
		m.segments = append(m.segments, s)
	}
	return m
}

// Same reports whether nothing was written to the index between two moments.
func (m Moment) Same(o Moment) bool { return bytes.Equal(m.structure, o.structure) }

// Since gives the rows of which anything was written to the index after a
// moment, and maybe others. ok is false where that may be any: the moment is
// none of before, or the oldest of what the index had then was merged, and with
// it what is gone without a trace.
func (x *Index) Since(ctx context.Context, m Moment) (rows *Set, ok bool, err error) {
	if x.Moment().Same(m) {
		return &Set{}, true, nil
	}
	if x.writes <= m.writes || len(m.segments) == 0 || len(x.segments) == 0 || !x.segments[0].same(m.segments[0]) {
		return nil, false, nil
	}
	t := toucher{limit: x.limit}
	for i := range x.segments {
		s := &x.segments[i]
		if m.had(s) {
			continue
		}
		if err := x.walkSegment(ctx, s, key(""), false, nil, &t); err != nil {
			return nil, false, err
		}
	}
	return &t.set, true, nil
}

func (m Moment) had(s *segment) bool {
	for i := range m.segments {
		if m.segments[i].same(*s) {
			return true
		}
	}
	return false
}

// toucher reads which rows a segment says anything of, also that a term is gone
// from one.
type toucher struct {
	set   Set
	limit int64
}

func (t *toucher) term([]byte) bool { return true }

func (t *toucher) more([]byte) {}

func (t *toucher) rows(b []byte, row int64) (last int64, missing int, ok bool) {
	return eachRow(b, row, func(row int64, _ []byte, _ int) {
		if row >= 0 && row <= t.limit {
			t.set.Add(row)
		}
	})
}
