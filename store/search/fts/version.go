package fts

import (
	"bytes"
	"context"
)

// Version identifies what an index held at the time of one [Index.Refresh]. The
// zero value is the version before anything was written.
type Version struct {
	structure    []byte // the structure record
	writeCounter int64
	segments     []segment // oldest first, without their term indexes
}

// Version returns the version of the last [Index.Refresh].
func (x *Index) Version() Version {
	v := Version{structure: x.structure, writeCounter: x.writeCounter}
	for _, s := range x.segments {
		s.termIndex = termIndex{}
		v.segments = append(v.segments, s)
	}
	return v
}

// Equal reports whether nothing was written to the index between two versions.
func (v Version) Equal(o Version) bool { return bytes.Equal(v.structure, o.structure) }

// ChangedSince returns the rowids that were written to the index, or removed from it,
// after an earlier version, and maybe others. It reads the segments that are
// new. ok is false where any row may have changed: the version is not an earlier
// one, or its oldest segment was merged, and with it the entries of deleted rows.
func (x *Index) ChangedSince(ctx context.Context, v Version) (rowids *Set, ok bool, err error) {
	if x.Version().Equal(v) {
		return &Set{}, true, nil
	}
	if x.writeCounter <= v.writeCounter || len(v.segments) == 0 || len(x.segments) == 0 || !x.segments[0].same(v.segments[0]) {
		return nil, false, nil
	}
	r := changeReader{maxRowid: x.maxRowid}
	for i := range x.segments {
		s := &x.segments[i]
		if v.has(s) {
			continue
		}
		if err := x.scanSegment(ctx, s, storedTerm(""), false, nil, &r); err != nil {
			return nil, false, err
		}
	}
	return &r.set, true, nil
}

func (v Version) has(s *segment) bool {
	for i := range v.segments {
		if v.segments[i].same(*s) {
			return true
		}
	}
	return false
}

// changeReader is a [doclistReader] that collects all rowids, also those from
// which a term was removed.
type changeReader struct {
	set      Set
	maxRowid int64
}

func (r *changeReader) term([]byte) bool { return true }

func (r *changeReader) restOfPoslist([]byte) {}

func (r *changeReader) doclist(b []byte, rowid int64) (last int64, missing int, ok bool) {
	return eachEntry(b, rowid, func(rowid int64, _ []byte, _ int) {
		if rowid >= 0 && rowid <= r.maxRowid {
			r.set.Add(rowid)
		}
	})
}
