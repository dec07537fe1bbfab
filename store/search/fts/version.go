package fts

import (
	"bytes"
	"context"
)

// Version is an index as it was once. The zero value is before there was
// anything in it.
type Version struct {
	structure    []byte
	writeCounter int64
	segments     []segment // oldest first, without their guides
}

// Version gives that of the last call of [Index.Refresh].
func (x *Index) Version() Version {
	m := Version{structure: x.structure, writeCounter: x.writeCounter}
	for _, s := range x.segments {
		s.termIndex = termIndex{}
		m.segments = append(m.segments, s)
	}
	return m
}

// Equal reports whether nothing was written to the index between two moments.
func (m Version) Equal(o Version) bool { return bytes.Equal(m.structure, o.structure) }

// ChangedSince gives the rows of which anything was written to the index after a
// moment, and maybe others. ok is false where that may be any: the moment is
// none of before, or the oldest of what the index had then was merged, and with
// it what is gone without a trace.
func (x *Index) ChangedSince(ctx context.Context, m Version) (rows *Set, ok bool, err error) {
	if x.Version().Equal(m) {
		return &Set{}, true, nil
	}
	if x.writeCounter <= m.writeCounter || len(m.segments) == 0 || len(x.segments) == 0 || !x.segments[0].equals(m.segments[0]) {
		return nil, false, nil
	}
	t := changedRows{maxRowid: x.maxRowid}
	for i := range x.segments {
		s := &x.segments[i]
		if m.hadSegment(s) {
			continue
		}
		if err := x.scanSegment(ctx, s, termKey(""), false, nil, &t); err != nil {
			return nil, false, err
		}
	}
	return &t.set, true, nil
}

func (m Version) hadSegment(s *segment) bool {
	for i := range m.segments {
		if m.segments[i].equals(*s) {
			return true
		}
	}
	return false
}

// changedRows reads which rows a segment says anything of, also that a term is gone
// from one.
type changedRows struct {
	set      Set
	maxRowid int64
}

func (t *changedRows) term([]byte) bool { return true }

func (t *changedRows) restOfPoslist([]byte) {}

func (t *changedRows) doclist(b []byte, row int64) (last int64, missing int, ok bool) {
	return eachEntry(b, row, func(row int64, _ []byte, _ int) {
		if row >= 0 && row <= t.maxRowid {
			t.set.Add(row)
		}
	})
}
