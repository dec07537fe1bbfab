package ftsindex

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"strings"
)

const (
	// keepOfWalk is how many pages of a walk are kept in memory. Most terms
	// stand on one, and whoever types comes by again.
	keepOfWalk = 2
	// keepPages bounds how many are kept, twice.
	keepPages = 256
	// keepBytes is how large a page may be that is kept. FTS5 makes them of four
	// kilobytes unless it is told otherwise.
	keepBytes = 8 << 10
	// keepRows is of how many terms and beginnings the rows are kept.
	keepRows = 4
	// keepStems bounds of how many terms and beginnings it is kept whether there
	// are any.
	keepStems = 512
)

// kept is what was read a short while ago: pages, and whether there is a term,
// or any that begins so.
type kept struct {
	young, old map[int64]*keptPage
	stands     map[stem]bool
	found      []keptRows // the last ones last
}

// keptRows are the rows of a term or a beginning. Who types a second word asks
// for the first one again at every key; and a beginning that all terms share
// that begin like a shorter one has the same rows.
type keptRows struct {
	of    stem
	all   string // what all terms begin with
	limit int64
	rows  *Set
}

// rows gives those of a term or a beginning, which are the caller's; nil where
// they are not kept.
func (k *kept) rows(of stem, limit int64) *Set {
	for _, f := range k.found {
		if f.limit == limit && (f.of == of || f.of.open && of.open && strings.HasPrefix(of.text, f.of.text) && strings.HasPrefix(f.all, of.text)) {
			return f.rows.Clone()
		}
	}
	return nil
}

// putRows keeps what was read of one.
func (k *kept) putRows(of stem, r *rowReader) {
	if len(k.found) == keepRows {
		k.found = slices.Delete(k.found, 0, 1)
	}
	k.found = append(k.found, keptRows{of, string(r.shared), r.limit, r.set.Clone()})
}

type keptPage struct {
	b      []byte
	asked  int // how often for marks
	marked []mark
}

func (k *kept) page(id int64) *keptPage {
	p := k.young[id]
	if p == nil {
		if p = k.old[id]; p != nil {
			k.add(id, p)
		}
	}
	return p
}

func (k *kept) get(id int64) []byte {
	if p := k.page(id); p != nil {
		return p.b
	}
	return nil
}

func (k *kept) put(id int64, b []byte) { k.add(id, &keptPage{b: bytes.Clone(b)}) }

func (k *kept) add(id int64, p *keptPage) {
	if len(k.young) >= keepPages {
		k.old, k.young = k.young, nil
	}
	if k.young == nil {
		k.young = map[int64]*keptPage{}
	}
	k.young[id] = p
}

// mark is a term of a page from which reading may begin: those between two
// marks need what stands before them.
type mark struct {
	term   []byte
	at     int // where it stands
	offset int // where the offset of the term behind it stands
}

// marks gives some of the terms of a page that is kept and was asked for before:
// to find them takes longer than to look for one term.
func (k *kept) marks(id int64) []mark {
	p := k.page(id)
	if p == nil {
		return nil
	}
	if p.asked++; p.asked == 3 {
		p.marked = findMarks(p.b)
	}
	return p.marked
}

// findMarks gives every so manieth term of a page, none of one that is damaged.
func findMarks(b []byte) []mark {
	const terms = 12 // from mark to mark
	l, ok := newLeaf(b)
	if !ok {
		return nil
	}
	at, more, ok := l.next(0)
	var marks []mark
	var term []byte
	for n := 0; ok && more; n++ {
		shared, size, pos, whole := l.term(at, n == 0)
		if !whole || shared > len(term) {
			return nil
		}
		term = append(term[:shared], b[pos:pos+size]...)
		if n > 0 && n%terms == 0 {
			marks = append(marks, mark{bytes.Clone(term), at, len(b) - len(l.offset)})
		}
		if at, more, ok = l.next(at); at < pos+size {
			return nil
		}
	}
	if !ok {
		return nil
	}
	return marks
}

// before gives the last mark that comes before a term, nil for none.
func before(marks []mark, term []byte) *mark {
	n := sort.Search(len(marks), func(n int) bool { return bytes.Compare(marks[n].term, term) >= 0 })
	if n == 0 {
		return nil
	}
	return &marks[n-1]
}

// stands reports whether a term stands anywhere in the index, or any that begins
// so.
func (x *Index) stands(ctx context.Context, s stem) (bool, error) {
	there, known := x.kept.stands[s]
	if known {
		return there, nil
	}
	for i := range x.segments { // the oldest have most
		w := walk{x: x, want: key(s.text), exact: !s.open}
		if err := w.segment(ctx, &x.segments[i], nil); err != nil {
			return false, err
		}
		if there = w.found; there {
			break
		}
	}
	if x.kept.stands == nil || len(x.kept.stands) >= keepStems {
		x.kept.stands = map[stem]bool{}
	}
	x.kept.stands[s] = there
	return there, nil
}
