package ftsindex

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
)

// errStop ends a walk before its end.
var errStop = errors.New("enough")

// mainIndex begins the terms of the index itself; those of prefix= indexes
// begin with other characters.
const mainIndex = '0'

// key gives a term, or its beginning, as the pages have it.
func key(term string) []byte { return append([]byte{mainIndex}, term...) }

// reader takes what a walk comes to.
type reader interface {
	// term is told each term of the walk, without its first byte, and says
	// whether its rows are wanted. The bytes are gone after the call.
	term(t []byte) bool
	// rows takes rows of the last term from b, which holds nothing else, and
	// gives how many bytes of the last row's positions stand on later pages. row
	// is the one before the first, 0 at a fresh start.
	rows(b []byte, row int64) (last int64, missing int, ok bool)
	// more takes such bytes.
	more(b []byte)
}

// walk reads the terms of a segment from one on until one that does not begin
// so, or, with exact, that one alone.
type walk struct {
	x       *Index
	into    reader // nil to know only whether there is one
	found   bool   // there is, where into is nil
	want    []byte
	exact   bool
	term    []byte
	active  bool
	missing int
	row     int64
	marks   []mark // of the page at hand, none where it is not kept
}

// walkSegment calls into for the terms of one segment that begin with want,
// which begins with the mark of the index. Unless few is nil only those rows
// are asked for, others may be left out.
func (x *Index) walkSegment(ctx context.Context, s *segment, want []byte, exact bool, few []int64, into reader) error {
	w := walk{x: x, into: into, want: want, exact: exact}
	return w.segment(ctx, s, few)
}

// segment calls the reader of the walk for the terms of one segment that the walk
// wants. Unless few is nil only those rows are asked for, others may be left out.
func (w *walk) segment(ctx context.Context, s *segment, few []int64) error {
	x := w.x
	from, ok := s.terms.page(w.want)
	if !ok {
		from = s.first
	}
	for from != 0 {
		start := from
		from = 0 // enough, or the page to go on with, or -1 to pick rows
		err := x.pages(ctx, s, start, func(page int64, b []byte) error {
			w.marks = x.kept.marks(s.id<<leafBits | page)
			if err := w.page(b); err != nil {
				return err
			}
			if w.active {
				if w.exact && few != nil && page == start && w.leaves(few) && seeks(few, s.terms.end(page, s.last)-page) {
					from = -1
					return errStop
				}
				return nil
			}
			// Pages without a term go on with one that is not wanted.
			if next, ok := s.terms.after(page); ok && next > page+1 {
				from = next
				return errStop
			}
			return nil
		})
		if err != nil {
			return err
		}
		if from < 0 {
			return w.pick(ctx, s, start, few)
		}
	}
	if w.missing > 0 {
		return x.damaged("segment %d ends within a row", s.id)
	}
	return nil
}

// pages hands over the pages of a segment from one on until told to stop. The
// bytes are gone after each call.
func (x *Index) pages(ctx context.Context, s *segment, from int64, page func(number int64, b []byte) error) error {
	for ; from <= s.last; from++ {
		b := x.kept.get(s.id<<leafBits | from)
		if b == nil {
			break
		}
		if err := page(from, b); err == errStop {
			return nil
		} else if err != nil {
			return err
		}
	}
	if from > s.last {
		return nil
	}
	next := from
	var b sql.RawBytes
	var id int64
	err := x.each(ctx, `SELECT id, block FROM `+x.table+`_data WHERE id BETWEEN ? AND ?`,
		[]any{s.id<<leafBits | from, s.id<<leafBits | s.last}, func(rows *sql.Rows) error {
			if err := rows.Scan(&id, &b); err != nil {
				return err
			}
			if id != s.id<<leafBits|next {
				return x.damaged("page %d of segment %d is missing", next, s.id)
			}
			if next-from < keepOfWalk && len(b) <= keepBytes {
				x.kept.put(id, b)
			}
			next++
			err := page(next-1, b)
			if err == errStop {
				next = s.last + 1
			}
			return err
		})
	if err == nil && next <= s.last {
		err = x.damaged("page %d of segment %d is missing", next, s.id)
	}
	return err
}

// leaf is a page that was found to have its parts where it says.
type leaf struct {
	b      []byte
	first  int // where the first row stands that does not follow a term; 0 for none
	size   int // where the offsets of the terms begin
	offset []byte
}

func newLeaf(b []byte) (leaf, bool) {
	if len(b) < 4 {
		return leaf{}, false
	}
	l := leaf{b: b, first: int(b[0])<<8 | int(b[1]), size: int(b[2])<<8 | int(b[3])}
	if l.size < 4 || l.size > len(b) || l.first != 0 && (l.first < 4 || l.first >= l.size) {
		return leaf{}, false
	}
	l.offset = b[l.size:]
	return l, true
}

// next gives where the next term stands, after the one at last, or the end of
// the terms.
func (l *leaf) next(last int) (at int, more, ok bool) {
	if len(l.offset) == 0 {
		return l.size, false, true
	}
	v, n := small(l.offset)
	if n == 0 || v > uint64(l.size) {
		return 0, false, false
	}
	l.offset = l.offset[n:]
	at = last + int(v)
	return at, true, at >= 4 && at > last && at < l.size
}

func (w *walk) page(b []byte) error {
	l, ok := newLeaf(b)
	if !ok {
		return w.x.damaged("a page has no header")
	}
	at, more, ok := l.next(0)
	if !ok {
		return w.x.damaged("a term stands outside of its page")
	}
	if w.active {
		if err := w.rest(&l, at); err != nil {
			return err
		}
	}
	first := true
	if !w.active && more {
		if at, first, more, ok = w.seek(&l, at); !ok {
			return w.x.damaged("a term breaks off")
		}
	}
	for ; more; first = false {
		pos := at
		if pos, ok = w.readTerm(&l, pos, first); !ok {
			return w.x.damaged("a term breaks off")
		}
		if at, more, ok = l.next(at); !ok || at < pos {
			return w.x.damaged("a term stands outside of its page")
		}
		if !bytes.HasPrefix(w.term, w.want) || w.exact && len(w.term) != len(w.want) {
			w.active = false
			if bytes.Compare(w.term, w.want) > 0 {
				return errStop
			}
			continue
		}
		if w.into == nil {
			w.found = true
			return errStop
		}
		if w.active = w.into.term(w.term[1:]); !w.active {
			continue
		}
		w.row = 0
		if err := w.rows(b[pos:at], more); err != nil {
			return err
		}
	}
	return nil
}

// seek passes over the terms of a page, the first of which stands at a
// position, that come before the wanted one, and gives where the first other
// stands. They are not put together: a term that shares more with the one
// before it than that has of the wanted one comes before it as well.
func (w *walk) seek(l *leaf, from int) (at int, first, more, ok bool) {
	at, first, more = from, true, true
	matched := 0
	if m := before(w.marks, w.want); m != nil {
		at, first, l.offset = m.at, false, l.b[m.offset:]
		for matched < len(m.term) && matched < len(w.want) && m.term[matched] == w.want[matched] {
			matched++
		}
		if at, more, ok = l.next(at); !ok {
			return 0, false, false, false
		}
	}
	for ; more; first = false {
		shared, size, pos, ok := l.term(at, first)
		if !ok {
			return 0, false, false, false
		}
		if shared == matched {
			fresh := l.b[pos : pos+size]
			for len(fresh) > 0 && matched < len(w.want) && fresh[0] == w.want[matched] {
				fresh, matched = fresh[1:], matched+1
			}
			if matched == len(w.want) || len(fresh) > 0 && fresh[0] > w.want[matched] {
				w.term = append(w.term[:0], w.want[:shared]...)
				return at, first, true, true
			}
		} else if shared < matched {
			w.term = append(w.term[:0], w.want[:shared]...)
			return at, first, true, true
		}
		last := at
		if at, more, ok = l.next(last); !ok || at < pos+size {
			return 0, false, false, false
		}
	}
	return at, false, false, true
}

// term gives of the term at a position how many bytes it shares with the one
// before it, and how many others it has and where.
func (l *leaf) term(at int, first bool) (shared, size, pos int, ok bool) {
	b := l.b[:l.size]
	if !first {
		v, n := small(b[at:])
		if n == 0 || v > uint64(len(b)) {
			return 0, 0, 0, false
		}
		shared, at = int(v), at+n
	}
	v, n := small(b[at:])
	if n == 0 || v > uint64(len(b)-at-n) {
		return 0, 0, 0, false
	}
	return shared, int(v), at + n, true
}

// small is [varint] for what mostly takes one byte.
func small(b []byte) (v uint64, size int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return varint(b)
}

// rest reads what a page begins with, of the term before it, up to an offset.
func (w *walk) rest(l *leaf, end int) error {
	pos := 4
	if w.missing > 0 {
		n := min(w.missing, end-pos)
		w.missing -= n
		w.into.more(l.b[pos : pos+n])
		pos += n
	}
	if pos == end {
		return nil
	}
	if pos != l.first {
		return w.x.damaged("a page does not go on where the one before ended")
	}
	w.row = 0 // the first of a page stands in full
	return w.rows(l.b[pos:end], end != l.size)
}

// rows reads rows of a term; last says that the term ends with them.
func (w *walk) rows(b []byte, last bool) error {
	var ok bool
	w.row, w.missing, ok = w.into.rows(b, w.row)
	if !ok || last && w.missing > 0 {
		return w.x.damaged("a row breaks off")
	}
	return nil
}

// readTerm reads the term at a position and gives the position behind it.
func (w *walk) readTerm(l *leaf, at int, first bool) (int, bool) {
	shared, size, pos, ok := l.term(at, first)
	if !ok || shared > len(w.term) {
		return 0, false
	}
	w.term = append(w.term[:shared], l.b[pos:pos+size]...)
	return pos + size, len(w.term) > 0
}

// eachRow reads rows as [reader] has them: each with the bytes of its positions
// that are here, and how many are missing.
func eachRow(b []byte, row int64, each func(row int64, here []byte, missing int)) (last int64, missing int, ok bool) {
	for len(b) > 0 {
		delta, n := number(b)
		if n == 0 {
			return 0, 0, false
		}
		b = b[n:]
		size, n := number(b)
		if n == 0 || size > mostPositions {
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
