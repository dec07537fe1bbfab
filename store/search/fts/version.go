package fts

import (
	"bytes"
	"context"
	"hermes-sessions/store/internal/idset"
)

// Version identifies what an index held at the time of one [Index.Refresh]. The
// zero value is the version before anything was written.
type Version struct {
	structure    []byte // the structure record
	writeCounter int64
	segments     []segment // oldest first, without their term indexes
}

// Version returns the version of the last [Index.Refresh].
func (ix *Index) Version() Version {
	v := Version{structure: ix.structure, writeCounter: ix.writeCounter}
	for _, s := range ix.segments {
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
func (ix *Index) ChangedSince(ctx context.Context, v Version) (rowids *idset.Set, ok bool, err error) {
	if ix.Version().Equal(v) {
		return &idset.Set{}, true, nil
	}
	if ix.writeCounter <= v.writeCounter || len(v.segments) == 0 || len(ix.segments) == 0 || !ix.segments[0].same(v.segments[0]) {
		return nil, false, nil
	}
	r := changeReader{}
	for i := range ix.segments {
		s := &ix.segments[i]
		if v.has(s) {
			continue
		}
		if err := ix.scanSegment(ctx, s, storedTerm(""), false, nil, &r); err != nil {
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
// which a term was removed: the last rows may be gone.
type changeReader struct{ set idset.Set }

func (r *changeReader) term([]byte) bool { return true }

func (r *changeReader) restOfPoslist([]byte) {}

func (r *changeReader) doclist(b []byte, rowid int64) (last int64, missing int, ok bool) {
	return eachEntry(b, rowid, func(rowid int64, _ []byte, _ int) {
		if rowid >= 0 && rowid <= idset.MaxRowid {
			r.set.Add(rowid)
		}
	})
}
