package fts

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
)

// errDone ends a walk before its end.
var errDone = errors.New("enough")

// mainIndexPrefix begins the terms of the index itself; those of prefix= indexes
// begin with other characters.
const mainIndexPrefix = '0'

// termKey gives a term, or its beginning, as the pages have it.
func termKey(term string) []byte { return append([]byte{mainIndexPrefix}, term...) }

// doclistReader takes what a walk comes to.
type doclistReader interface {
	// term is told each term of the walk, without its first byte, and says
	// whether its rows are wanted. The bytes are gone after the call.
	term(t []byte) bool
	// doclist takes rows of the last term from b, which holds nothing else, and
	// gives how many bytes of the last row's positions stand on later pages. row
	// is the one before the first, 0 at a fresh start.
	doclist(b []byte, row int64) (last int64, missing int, ok bool)
	// restOfPoslist takes such bytes.
	restOfPoslist(b []byte)
}

// scan reads the terms of a segment from one on until one that does not begin
// so, or, with exact, that one alone.
type scan struct {
	index       *Index
	reader      doclistReader // nil to know only whether there is one
	found       bool          // there is, where into is nil
	target      []byte
	exact       bool
	term        []byte
	active      bool
	poslistRest int
	rowid       int64
	termOffsets []termOffset // of the page at hand, none where it is not kept
}

// scanSegment calls into for the terms of one segment that begin with want,
// which begins with the mark of the index. Unless few is nil only those rows
// are asked for, others may be left out.
func (x *Index) scanSegment(ctx context.Context, s *segment, want []byte, exact bool, few []int64, into doclistReader) error {
	w := scan{index: x, reader: into, target: want, exact: exact}
	return w.scanSegment(ctx, s, few)
}

// scanSegment calls the reader of the walk for the terms of one segment that the walk
// wants. Unless few is nil only those rows are asked for, others may be left out.
func (w *scan) scanSegment(ctx context.Context, s *segment, few []int64) error {
	x := w.index
	from, ok := s.termIndex.pageFor(w.target)
	if !ok {
		from = s.firstPage
	}
	for from != 0 {
		start := from
		from = 0 // enough, or the page to go on with, or -1 to pick rows
		err := x.eachLeaf(ctx, s, start, func(page int64, b []byte) error {
			w.termOffsets = x.cache.termOffsets(s.id<<pageNumberBits | page)
			if err := w.scanPage(b); err != nil {
				return err
			}
			if w.active {
				if w.exact && few != nil && page == start && w.seeksLeaves(few) && worthSeeking(few, s.termIndex.lastPageBefore(page, s.lastPage)-page) {
					from = -1
					return errDone
				}
				return nil
			}
			// Pages without a term go on with one that is not wanted.
			if next, ok := s.termIndex.nextPage(page); ok && next > page+1 {
				from = next
				return errDone
			}
			return nil
		})
		if err != nil {
			return err
		}
		if from < 0 {
			return w.seekRow(ctx, s, start, few)
		}
	}
	if w.poslistRest > 0 {
		return x.corrupt("segment %d ends within a row", s.id)
	}
	return nil
}

// eachLeaf hands over the pages of a segment from one on until told to stop. The
// bytes are gone after each call.
func (x *Index) eachLeaf(ctx context.Context, s *segment, from int64, page func(number int64, b []byte) error) error {
	for ; from <= s.lastPage; from++ {
		b := x.cache.get(s.id<<pageNumberBits | from)
		if b == nil {
			break
		}
		if err := page(from, b); err == errDone {
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
	err := x.eachRow(ctx, `SELECT id, block FROM `+x.table+`_data WHERE id BETWEEN ? AND ?`,
		[]any{s.id<<pageNumberBits | from, s.id<<pageNumberBits | s.lastPage}, func(rows *sql.Rows) error {
			if err := rows.Scan(&id, &b); err != nil {
				return err
			}
			if id != s.id<<pageNumberBits|next {
				return x.corrupt("page %d of segment %d is missing", next, s.id)
			}
			if next-from < maxCachedPerScan && len(b) <= maxCachedBytes {
				x.cache.put(id, b)
			}
			next++
			err := page(next-1, b)
			if err == errDone {
				next = s.lastPage + 1
			}
			return err
		})
	if err == nil && next <= s.lastPage {
		err = x.corrupt("page %d of segment %d is missing", next, s.id)
	}
	return err
}

// leafPage is a page that was found to have its parts where it says.
type leafPage struct {
	content      []byte
	firstTermPos int // where the first row stands that does not follow a term; 0 for none
	leafSize     int // where the offsets of the terms begin
	pageIndex    []byte
}

func parseLeaf(b []byte) (leafPage, bool) {
	if len(b) < 4 {
		return leafPage{}, false
	}
	l := leafPage{content: b, firstTermPos: int(b[0])<<8 | int(b[1]), leafSize: int(b[2])<<8 | int(b[3])}
	if l.leafSize < 4 || l.leafSize > len(b) || l.firstTermPos != 0 && (l.firstTermPos < 4 || l.firstTermPos >= l.leafSize) {
		return leafPage{}, false
	}
	l.pageIndex = b[l.leafSize:]
	return l, true
}

// nextTermPos gives where the next term stands, after the one at last, or the end of
// the terms.
func (l *leafPage) nextTermPos(last int) (at int, more, ok bool) {
	if len(l.pageIndex) == 0 {
		return l.leafSize, false, true
	}
	v, n := varintShort(l.pageIndex)
	if n == 0 || v > uint64(l.leafSize) {
		return 0, false, false
	}
	l.pageIndex = l.pageIndex[n:]
	at = last + int(v)
	return at, true, at >= 4 && at > last && at < l.leafSize
}

func (w *scan) scanPage(b []byte) error {
	l, ok := parseLeaf(b)
	if !ok {
		return w.index.corrupt("a page has no header")
	}
	at, more, ok := l.nextTermPos(0)
	if !ok {
		return w.index.corrupt("a term stands outside of its page")
	}
	if w.active {
		if err := w.continueDoclist(&l, at); err != nil {
			return err
		}
	}
	first := true
	if !w.active && more {
		if at, first, more, ok = w.seekTerm(&l, at); !ok {
			return w.index.corrupt("a term breaks off")
		}
	}
	for ; more; first = false {
		pos := at
		if pos, ok = w.readTerm(&l, pos, first); !ok {
			return w.index.corrupt("a term breaks off")
		}
		if at, more, ok = l.nextTermPos(at); !ok || at < pos {
			return w.index.corrupt("a term stands outside of its page")
		}
		if !bytes.HasPrefix(w.term, w.target) || w.exact && len(w.term) != len(w.target) {
			w.active = false
			if bytes.Compare(w.term, w.target) > 0 {
				return errDone
			}
			continue
		}
		if w.reader == nil {
			w.found = true
			return errDone
		}
		if w.active = w.reader.term(w.term[1:]); !w.active {
			continue
		}
		w.rowid = 0
		if err := w.readDoclist(b[pos:at], more); err != nil {
			return err
		}
	}
	return nil
}

// seekTerm passes over the terms of a page, the first of which stands at a
// position, that come before the wanted one, and gives where the first other
// stands. They are not put together: a term that shares more with the one
// before it than that has of the wanted one comes before it as well.
func (w *scan) seekTerm(l *leafPage, from int) (at int, first, more, ok bool) {
	at, first, more = from, true, true
	matched := 0
	if m := lastTermBefore(w.termOffsets, w.target); m != nil {
		at, first, l.pageIndex = m.pos, false, l.content[m.pageIndexPos:]
		for matched < len(m.term) && matched < len(w.target) && m.term[matched] == w.target[matched] {
			matched++
		}
		if at, more, ok = l.nextTermPos(at); !ok {
			return 0, false, false, false
		}
	}
	for ; more; first = false {
		shared, size, pos, ok := l.parseTerm(at, first)
		if !ok {
			return 0, false, false, false
		}
		if shared == matched {
			fresh := l.content[pos : pos+size]
			for len(fresh) > 0 && matched < len(w.target) && fresh[0] == w.target[matched] {
				fresh, matched = fresh[1:], matched+1
			}
			if matched == len(w.target) || len(fresh) > 0 && fresh[0] > w.target[matched] {
				w.term = append(w.term[:0], w.target[:shared]...)
				return at, first, true, true
			}
		} else if shared < matched {
			w.term = append(w.term[:0], w.target[:shared]...)
			return at, first, true, true
		}
		last := at
		if at, more, ok = l.nextTermPos(last); !ok || at < pos+size {
			return 0, false, false, false
		}
	}
	return at, false, false, true
}

// parseTerm gives of the term at a position how many bytes it shares with the one
// before it, and how many others it has and where.
func (l *leafPage) parseTerm(at int, first bool) (shared, size, pos int, ok bool) {
	b := l.content[:l.leafSize]
	if !first {
		v, n := varintShort(b[at:])
		if n == 0 || v > uint64(len(b)) {
			return 0, 0, 0, false
		}
		shared, at = int(v), at+n
	}
	v, n := varintShort(b[at:])
	if n == 0 || v > uint64(len(b)-at-n) {
		return 0, 0, 0, false
	}
	return shared, int(v), at + n, true
}

// varintShort is [varint] for what mostly takes one byte.
func varintShort(b []byte) (v uint64, size int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return varint(b)
}

// continueDoclist reads what a page begins with, of the term before it, up to an offset.
func (w *scan) continueDoclist(l *leafPage, end int) error {
	pos := 4
	if w.poslistRest > 0 {
		n := min(w.poslistRest, end-pos)
		w.poslistRest -= n
		w.reader.restOfPoslist(l.content[pos : pos+n])
		pos += n
	}
	if pos == end {
		return nil
	}
	if pos != l.firstTermPos {
		return w.index.corrupt("a page does not go on where the one before ended")
	}
	w.rowid = 0 // the first of a page stands in full
	return w.readDoclist(l.content[pos:end], end != l.leafSize)
}

// readDoclist reads rows of a term; last says that the term ends with them.
func (w *scan) readDoclist(b []byte, last bool) error {
	var ok bool
	w.rowid, w.poslistRest, ok = w.reader.doclist(b, w.rowid)
	if !ok || last && w.poslistRest > 0 {
		return w.index.corrupt("a row breaks off")
	}
	return nil
}

// readTerm reads the term at a position and gives the position behind it.
func (w *scan) readTerm(l *leafPage, at int, first bool) (int, bool) {
	shared, size, pos, ok := l.parseTerm(at, first)
	if !ok || shared > len(w.term) {
		return 0, false
	}
	w.term = append(w.term[:shared], l.content[pos:pos+size]...)
	return pos + size, len(w.term) > 0
}

// eachEntry reads rows as [doclistReader] has them: each with the bytes of its positions
// that are here, and how many are missing.
func eachEntry(b []byte, row int64, each func(row int64, here []byte, missing int)) (last int64, missing int, ok bool) {
	for len(b) > 0 {
		delta, n := varintUpTo2(b)
		if n == 0 {
			return 0, 0, false
		}
		b = b[n:]
		size, n := varintUpTo2(b)
		if n == 0 || size > maxPoslistSize {
			return 0, 0, false
		}
		b = b[n:]
		row += int64(delta)
		here := b[:min(int(size>>1), len(b))]
		b = b[len(here):]
		missing = int(size>>1) - len(here)
		each(row, here, missing)
	}
	return row, missing, true
}
