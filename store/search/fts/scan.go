package fts

import (
	"bytes"
	"context"
	"database/sql"
)

// mainIndexPrefix is the first byte of the terms of the main index
// (FTS5_MAIN_PREFIX). Those of prefix= indexes begin with other bytes.
const mainIndexPrefix = '0'

// storedTerm returns a term, or a prefix of one, as leaf pages have it.
func storedTerm(term string) []byte { return append([]byte{mainIndexPrefix}, term...) }

// doclistReader receives the terms and doclists that a scan comes to.
type doclistReader interface {
	// term receives each term, without mainIndexPrefix, and reports
	// whether its doclist is wanted. The bytes are valid during the call only.
	term(t []byte) bool
	// doclist receives rows of the last term: b holds rowids and poslists and
	// nothing else. rowid is the one before the first, 0 where the first is stored in
	// full. It returns the last rowid and how many bytes of its poslist are on
	// later pages. ok is false for a damaged doclist.
	doclist(b []byte, rowid int64) (last int64, missing int, ok bool)
	// restOfPoslist receives the bytes that doclist reported as missing, page by page.
	restOfPoslist(b []byte)
}

// scan reads the terms of a segment that begin with target or, if exact, that
// term alone.
type scan struct {
	index  *Index
	reader doclistReader                 // nil to learn only which terms there are
	found  func(term []byte) (more bool) // called with each term, where reader is nil
	target []byte                        // as stored
	exact  bool

	term        []byte // the last one, as stored
	inDoclist   bool   // its doclist is wanted and may go on
	rowid       int64  // the last one
	poslistRest int    // bytes of its poslist that are on later pages
}

// scanSegment reads the terms of a segment that begin with target, or the term
// itself if exact. Unless rowids is nil only those, ascending, are needed;
// others may be left out.
func (ix *Index) scanSegment(ctx context.Context, s *segment, target []byte, exact bool, rowids []int64, reader doclistReader) error {
	sc := scan{index: ix, reader: reader, target: target, exact: exact}
	return sc.run(ctx, s, rowids)
}

// run scans a segment. Unless rowids is nil only those, ascending, are needed.
func (sc *scan) run(ctx context.Context, s *segment, rowids []int64) error {
	const none, seek = 0, -1 // instead of the page to go on with
	ix := sc.index
	from, ok := s.termIndex.pageOf(sc.target)
	if !ok {
		from = s.firstPage
	}
	for from != none {
		start := from
		from = none
		err := ix.eachLeaf(ctx, s, start, func(page int64, b []byte) error {
			if !s.termIndex.fits(page, b) {
				return ix.corrupt("page %d of segment %d has the terms of another page", page, s.id)
			}
			if err := sc.page(b); err != nil {
				return err
			}
			if sc.inDoclist {
				if sc.exact && rowids != nil && page == start && sc.canSkip(rowids) && worthSeeking(rowids, s.termIndex.lastPageOf(page, s.lastPage)-page) {
					from = seek
					return errStop
				}
				return nil
			}
			// Pages on which no term begins continue a doclist that is not wanted.
			if next, ok := s.termIndex.nextPage(page); ok && next > page+1 {
				from = next
				return errStop
			}
			return nil
		})
		if err != nil {
			return err
		}
		if from == seek {
			return sc.seekRowids(ctx, s, start, rowids)
		}
	}
	if sc.poslistRest > 0 {
		return ix.corrupt("segment %d ends within a row", s.id)
	}
	return nil
}

// eachLeaf calls page for the leaf pages of a segment from one on until a call
// returns an error; errStop ends it without one. The bytes are valid during the
// call only.
func (ix *Index) eachLeaf(ctx context.Context, s *segment, from int64, page func(number int64, b []byte) error) error {
	for ; from <= s.lastPage; from++ {
		b := ix.cache.page(s.leafID(from))
		if b == nil {
			break
		}
		if err := page(from, b); err == errStop { //nolint:errorlint // it never leaves the package
			return nil
		} else if err != nil {
			return err
		}
	}
	if from > s.lastPage {
		return nil
	}
	next := from
	var b sql.RawBytes
	var id int64
	err := ix.eachRow(ctx, `SELECT id, block FROM `+ix.table+`_data WHERE id BETWEEN ? AND ?`,
		[]any{s.leafID(from), s.leafID(s.lastPage)}, func(rows *sql.Rows) error {
			if err := rows.Scan(&id, &b); err != nil {
				return err
			}
			if id != s.leafID(next) {
				return ix.corrupt("page %d of segment %d is missing", next, s.id)
			}
			if next-from < maxCachedPerScan && len(b) <= maxCachedBytes {
				ix.cache.addPage(id, bytes.Clone(b))
			}
			next++
			err := page(next-1, b)
			if err == errStop { //nolint:errorlint // it never leaves the package
				next = s.lastPage + 1
			}
			return err
		})
	if err == nil && next <= s.lastPage {
		err = ix.corrupt("page %d of segment %d is missing", next, s.id)
	}
	return err
}

// page reads one leaf page: the end of the doclist that goes on from the page
// before, then the terms. It returns errStop after the last term that is wanted.
func (sc *scan) page(b []byte) error {
	l, ok := parseLeaf(b)
	if !ok {
		return sc.index.corrupt("a page has no header")
	}
	at, more, ok := l.nextTermPos(0)
	if !ok {
		return sc.index.corrupt("a term lies outside its page")
	}
	if sc.inDoclist {
		if err := sc.continueDoclist(&l, at); err != nil {
			return err
		}
	}
	first := true
	if !sc.inDoclist && more {
		if at, first, more, ok = sc.seekTerm(&l, at); !ok {
			return sc.index.corrupt("a term is cut off")
		}
	}
	for ; more; first = false {
		pos := at
		if pos, ok = sc.readTerm(&l, pos, first); !ok {
			return sc.index.corrupt("a term is cut off")
		}
		if at, more, ok = l.nextTermPos(at); !ok || at < pos {
			return sc.index.corrupt("a term lies outside its page")
		}
		if !bytes.HasPrefix(sc.term, sc.target) || sc.exact && len(sc.term) != len(sc.target) {
			sc.inDoclist = false
			if bytes.Compare(sc.term, sc.target) > 0 {
				return errStop
			}
			continue
		}
		if sc.reader == nil {
			if !sc.found(sc.term[1:]) {
				return errStop
			}
			continue
		}
		if sc.inDoclist = sc.reader.term(sc.term[1:]); !sc.inDoclist {
			continue
		}
		sc.rowid = 0
		if err := sc.readDoclist(b[pos:at], more); err != nil {
			return err
		}
	}
	return nil
}

// seekTerm skips the terms of a page, the first of which is at from, that
// come before the target, and returns where the first other term is. Skipped
// terms are not put together: one that shares more bytes with the term before it
// than that term shares with the target comes before the target too.
func (sc *scan) seekTerm(l *leafPage, from int) (at int, first, more, ok bool) {
	at = from
	first = true
	more = true
	matched := 0 // bytes that the last term shares with the target
	for ; more; first = false {
		shared, size, pos, ok := l.parseTerm(at, first)
		if !ok {
			return 0, false, false, false
		}
		if shared == matched {
			suffix := l.content[pos : pos+size]
			for len(suffix) > 0 && matched < len(sc.target) && suffix[0] == sc.target[matched] {
				suffix, matched = suffix[1:], matched+1
			}
			if matched == len(sc.target) || len(suffix) > 0 && suffix[0] > sc.target[matched] {
				sc.term = append(sc.term[:0], sc.target[:shared]...)
				return at, first, true, true
			}
		} else if shared < matched {
			sc.term = append(sc.term[:0], sc.target[:shared]...)
			return at, first, true, true
		}
		last := at
		if at, more, ok = l.nextTermPos(last); !ok || at < pos+size {
			return 0, false, false, false
		}
	}
	return at, false, false, true
}

// readTerm reads the term at a position and returns the position after it. ok is false
// for a damaged term.
func (sc *scan) readTerm(l *leafPage, at int, first bool) (end int, ok bool) {
	shared, size, pos, ok := l.parseTerm(at, first)
	if !ok || shared > len(sc.term) {
		return 0, false
	}
	sc.term = append(sc.term[:shared], l.content[pos:pos+size]...)
	return pos + size, len(sc.term) > 0
}

// continueDoclist reads the doclist that goes on from the page before, up to
// its end on this page.
func (sc *scan) continueDoclist(l *leafPage, end int) error {
	pos := 4
	if sc.poslistRest > 0 {
		n := min(sc.poslistRest, end-pos)
		sc.poslistRest -= n
		sc.reader.restOfPoslist(l.content[pos : pos+n])
		pos += n
	}
	if pos == end {
		return nil
	}
	if pos != l.firstRowidPos {
		return sc.index.corrupt("a page does not continue where the previous one ended")
	}
	sc.rowid = 0 // the first rowid of a page is stored in full
	return sc.readDoclist(l.content[pos:end], end != l.size)
}

// readDoclist reads rows of the last term. last says that its doclist ends with them.
func (sc *scan) readDoclist(b []byte, last bool) error {
	var ok bool
	sc.rowid, sc.poslistRest, ok = sc.reader.doclist(b, sc.rowid)
	if !ok || last && sc.poslistRest > 0 {
		return sc.index.corrupt("a row is cut off")
	}
	return nil
}
