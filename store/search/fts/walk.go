package fts

import (
	"context"
	"hermes-sessions/store/internal/idset"
)

// WalkTerms calls each with the terms of the index that do not sort before from: segment
// by segment, sorted within each, including terms that only deleted rows have. Segments of
// the version seen are left out. each returns where to continue: terms that sort before
// next are skipped, and "" ends the segment; from skips none. next may end in the middle of a character.
// The bytes of a term are valid during the call only. Pages without a wanted term are not
// read, so that a few terms among many cost little.
func (ix *Index) WalkTerms(ctx context.Context, seen Version, from string, each func(term []byte) (next string)) error {
	for i := range ix.segments {
		if s := &ix.segments[i]; !seen.has(s) {
			if err := ix.walkSegment(ctx, s, from, each); err != nil {
				return err
			}
		}
	}
	return nil
}

// walkSegment is [Index.WalkTerms] in one segment.
func (ix *Index) walkSegment(ctx context.Context, s *segment, from string, each func(term []byte) (next string)) error {
	wanted := string(storedTerm(from))
	page, ok := s.termIndex.pageOf([]byte(wanted))
	if !ok {
		page = s.firstPage
	}
	for {
		b, err := ix.readLeaf(ctx, s.leafID(page))
		if err != nil {
			return err
		}
		if wanted, err = ix.walkLeaf(b, wanted, each); err != nil || wanted == "" {
			return err
		}
		next, ok := s.termIndex.nextPage(page)
		if !ok {
			return nil
		}
		if later, ok := s.termIndex.pageOf([]byte(wanted)); ok && later > next {
			next = later
		}
		page = next
	}
}

// walkLeaf calls each with the wanted terms that begin on a leaf page: those that do not
// sort before wanted. It returns where to continue on later pages, "" for the end of the
// segment. wanted and the result are terms as stored.
func (ix *Index) walkLeaf(b []byte, wanted string, each func(term []byte) (next string)) (string, error) {
	l, ok := parseLeaf(b)
	if !ok {
		return "", ix.corrupt("a page has no header")
	}
	var term []byte
	at, more, ok := l.nextTermPos(0)
	for first := true; ok && more; first = false {
		shared, size, pos, parsed := l.parseTerm(at, first)
		if !parsed || shared > len(term) {
			return "", ix.corrupt("a term is cut off")
		}
		term = append(term[:shared], l.content[pos:pos+size]...)
		switch {
		case len(term) == 0 || term[0] > mainIndexPrefix:
			return "", nil
		case string(term) >= wanted:
			next := each(term[1:])
			if next == "" {
				return "", nil
			}
			if next != wanted[1:] {
				wanted = string(storedTerm(next))
			}
		}
		at, more, ok = l.nextTermPos(at)
	}
	if !ok {
		return "", ix.corrupt("a term lies outside its page")
	}
	return wanted, nil
}

// AddRows adds the rows of each term that begins with a prefix to the set that of returns
// for the term, or skips them where of returns nil. It calls of at least once for each
// term, in order within a segment; the bytes are valid only during the call. Many terms
// cost little more than reading their pages once.
func (ix *Index) AddRows(ctx context.Context, prefix string, of func(term []byte) *idset.Set) error {
	r := rowsRouter{rowidReader: rowidReader{maxRowid: ix.maxRowid}, of: of}
	for i := len(ix.segments) - 1; i >= 0; i-- { // newest first
		if err := ix.scanSegment(ctx, &ix.segments[i], storedTerm(prefix), false, nil, &r); err != nil {
			return err
		}
	}
	return nil
}

// rowsRouter is a [doclistReader] that adds the rows of each term to a set of its own.
type rowsRouter struct {
	rowidReader
	of     func(term []byte) *idset.Set
	target *idset.Set
}

func (r *rowsRouter) term(t []byte) bool {
	r.target = r.of(t)
	return r.target != nil && r.rowidReader.term(t)
}

func (r *rowsRouter) doclist(b []byte, rowid int64) (last int64, missing int, ok bool) {
	r.set = *r.target
	last, missing, ok = r.rowidReader.doclist(b, rowid)
	*r.target = r.set
	return last, missing, ok
}
