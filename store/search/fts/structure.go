package fts

import (
	"context"
	"crypto/sha256"
	"slices"
	"sort"
)

// Ids of rows of the %_data table.
const (
	structureRowid = 10
	pageNumberBits = 37 // a leaf page has the id segid<<37 | pgno
	maxPageNumber  = 1<<31 - 1
)

// segment is a sorted run of terms with their doclists, written in one go and
// never changed. Where segments differ about a term in a row, the newest is right.
type segment struct {
	id, firstPage, lastPage int64 // the pages are numbers of leaf pages
	level                   int
	fingerprint             [sha256.Size]byte // hash of the first and the last page
	termIndex               termIndex         // without keys for a segment of one page
}

// same reports whether two versions of the index have the same segment. A new segment
// may get the id and the size of one that was merged away, but not its content.
func (s segment) same(t segment) bool {
	return s.id == t.id && s.firstPage == t.firstPage && s.lastPage == t.lastPage && s.fingerprint == t.fingerprint
}

func (s *segment) leafID(page int64) int64 { return s.id<<pageNumberBits | page }

// leafCount counts the pages on which a term may be, or, unless exact, the
// terms with that prefix.
func (s *segment) leafCount(target []byte, exact bool) int {
	from, ok := s.termIndex.pageOf(target)
	if !ok {
		from = s.firstPage
	}
	to := from
	if !exact { // no term has a byte 0xff
		if to, ok = s.termIndex.pageOf(append(slices.Clone(target), 0xff)); !ok {
			to = s.firstPage
		}
	}
	return int(s.termIndex.lastPageOf(to, s.lastPage) - from + 1)
}

// totalLeaves counts the pages of segments.
func totalLeaves(segments []segment) (n int64) {
	for _, s := range segments {
		n += s.lastPage - s.firstPage + 1
	}
	return n
}

// recordReader decodes varints one after the other.
type recordReader struct {
	rest []byte
	bad  bool // a number was missing or above its limit
}

// next returns the next number, which is at most limit; 0 once the record is bad.
func (r *recordReader) next(limit uint64) int64 {
	v, n := varint(r.rest)
	if n == 0 || v > limit {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return int64(v)
}

// parseStructure decodes the structure record: the segments, oldest first, and
// the number of pages ever written.
func (ix *Index) parseStructure(record []byte) (segments []segment, writeCounter int64, err error) {
	if len(record) < 7 {
		return nil, 0, ix.corrupt("the structure has %d bytes", len(record))
	}
	r := recordReader{rest: record[4:]} // after the cookie, which changes with the configuration
	// FTS5_STRUCTURE_V2: each segment has origins and tombstone pages (contentless_delete).
	v2 := len(r.rest) > 4 && r.rest[0] == 0xff && r.rest[1] == 0 && r.rest[2] == 0 && r.rest[3] == 1
	if v2 {
		r.rest = r.rest[4:]
	}
	const maxSegments = 2000 // FTS5_MAX_SEGMENT
	levels, total := r.next(maxSegments), r.next(maxSegments)
	writeCounter = r.next(1<<63 - 1)
	for level := range levels {
		r.next(maxSegments) // number of segments that are being merged
		for range r.next(maxSegments) {
			s, err := ix.parseSegment(&r, v2)
			if err != nil {
				return nil, 0, err
			}
			if r.bad {
				break
			}
			if s.firstPage > 0 { // else its pages are yet to be written
				s.level = int(level)
				segments = append(segments, s)
			}
		}
		if r.bad {
			break
		}
	}
	if r.bad || int64(len(segments)) > total {
		return nil, 0, ix.corrupt("the structure is cut off")
	}
	// Levels go from new to old, the segments of a level from old to new.
	sort.SliceStable(segments, func(i, j int) bool { return segments[i].level > segments[j].level })
	return segments, writeCounter, nil
}

// parseSegment decodes one segment of the structure record. r is bad afterwards
// where the record breaks off.
func (ix *Index) parseSegment(r *recordReader, v2 bool) (segment, error) {
	s := segment{id: r.next(1<<16 - 1), firstPage: r.next(maxPageNumber), lastPage: r.next(maxPageNumber)}
	if v2 {
		r.next(1<<63 - 1) // origin of the oldest entry
		r.next(1<<63 - 1) // origin of the newest entry
		if r.next(maxPageNumber) > 0 {
			return s, ix.unsupported("it has tombstones")
		}
		r.next(1<<63 - 1) // tombstones
		r.next(1<<63 - 1) // entries
	}
	if !r.bad && (s.id == 0 || s.firstPage > s.lastPage) {
		return s, ix.corrupt("segment %d has the pages %d to %d", s.id, s.firstPage, s.lastPage)
	}
	return s, nil
}

// readFingerprint hashes the first and the last page of a segment.
func (ix *Index) readFingerprint(ctx context.Context, s *segment) error {
	h := sha256.New()
	for _, page := range []int64{s.firstPage, s.lastPage} {
		b, err := ix.readBlock(ctx, s.leafID(page))
		if err != nil {
			return err
		}
		h.Write(b)
	}
	h.Sum(s.fingerprint[:0])
	return nil
}
