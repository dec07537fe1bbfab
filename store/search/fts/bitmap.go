package fts

import (
	"iter"
	"math/bits"
	"slices"
)

// MaxRowid is the greatest row that an index is read for. Rows are counted from
// 1, so a database comes near it only when somebody chose its ids by hand.
const MaxRowid = 1<<32 - 1

// Set is a set of rows: one bit each, in pages that exist only where there are
// rows. Rows below 0 and beyond [MaxRowid] take eight bytes each. The zero value
// is the empty set. A nil *Set is empty too.
type Set struct {
	pages  []*bitmapPage
	sparse []int64 // ascending
}

const (
	pageBits = 16 // rows of a page, as a power of two
	pageMask = 1<<pageBits - 1
)

type bitmapPage [1 << (pageBits - 6)]uint64

// page gives the page that holds a row, making it if need be.
func (s *Set) page(row int64) *bitmapPage {
	n := int(row >> pageBits)
	if n >= len(s.pages) {
		pages := make([]*bitmapPage, n+1, n+1+n/2)
		copy(pages, s.pages)
		s.pages = pages
	}
	if s.pages[n] == nil {
		s.pages[n] = new(bitmapPage)
	}
	return s.pages[n]
}

func inPages(row int64) bool { return 0 <= row && row <= MaxRowid }

// Add puts a row into the set.
func (s *Set) Add(row int64) {
	if !inPages(row) {
		if i, there := slices.BinarySearch(s.sparse, row); !there {
			s.sparse = slices.Insert(s.sparse, i, row)
		}
		return
	}
	s.page(row)[row&pageMask>>6] |= 1 << (row & 63)
}

// Remove takes a row out of the set.
func (s *Set) Remove(row int64) {
	if !inPages(row) {
		s.sparse = slices.DeleteFunc(s.sparse, func(r int64) bool { return r == row })
		return
	}
	if n := int(row >> pageBits); n < len(s.pages) && s.pages[n] != nil {
		s.pages[n][row&pageMask>>6] &^= 1 << (row & 63)
	}
}

// Has reports whether a row is in the set.
func (s *Set) Has(row int64) bool {
	if s == nil {
		return false
	}
	if !inPages(row) {
		_, there := slices.BinarySearch(s.sparse, row)
		return there
	}
	n := row >> pageBits
	return n < int64(len(s.pages)) && s.pages[n] != nil && s.pages[n][row&pageMask>>6]>>(row&63)&1 != 0
}

// Len counts the rows.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	n := len(s.sparse)
	for _, p := range s.pages {
		if p != nil {
			for _, w := range p {
				n += bits.OnesCount64(w)
			}
		}
	}
	return n
}

// Empty reports whether there are no rows.
func (s *Set) Empty() bool {
	for range s.All() {
		return false
	}
	return true
}

// All gives the rows, ascending.
func (s *Set) All() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if s == nil {
			return
		}
		for _, r := range s.sparse {
			if r < 0 && !yield(r) {
				return
			}
		}
		for n, p := range s.pages {
			if p == nil {
				continue
			}
			for i, w := range p {
				for base := int64(n)<<pageBits | int64(i)<<6; w != 0; w &= w - 1 {
					if !yield(base | int64(bits.TrailingZeros64(w))) {
						return
					}
				}
			}
		}
		for _, r := range s.sparse {
			if r > MaxRowid && !yield(r) {
				return
			}
		}
	}
}

// Words gives the rows that are near, 64 at a time: the bits of a word are the
// rows from first on.
func (s *Set) Words() iter.Seq2[int64, uint64] {
	return func(yield func(first int64, word uint64) bool) {
		if s == nil {
			return
		}
		for n, p := range s.pages {
			if p == nil {
				continue
			}
			for i, w := range p {
				if w != 0 && !yield(int64(n)<<pageBits|int64(i)<<6, w) {
					return
				}
			}
		}
	}
}

// Word gives the bits of 64 rows that are near, of which the first is given.
func (s *Set) Word(first int64) uint64 {
	if n := first >> pageBits; s != nil && n < int64(len(s.pages)) && s.pages[n] != nil {
		return s.pages[n][first&pageMask>>6]
	}
	return 0
}

// Before gives the greatest row below another that is near, from 0 to
// [MaxRowid]; ok is false where there is none.
func (s *Set) Before(row int64) (before int64, ok bool) {
	if s == nil {
		return 0, false
	}
	row = min(row, int64(len(s.pages))<<pageBits) - 1
	for row >= 0 {
		p := s.pages[row>>pageBits]
		if p == nil {
			row = row>>pageBits<<pageBits - 1
			continue
		}
		if w := p[row&pageMask>>6] << (63 - row&63); w != 0 {
			return row - int64(bits.LeadingZeros64(w)), true
		}
		row = row>>6<<6 - 1
	}
	return 0, false
}

// Clip keeps the rows from one to another, both included.
func (s *Set) Clip(from, to int64) {
	s.sparse = slices.DeleteFunc(s.sparse, func(r int64) bool { return r < from || r > to })
	for n, p := range s.pages {
		first := int64(n) << pageBits
		switch last := first + pageMask; {
		case p == nil || from <= first && last <= to:
		case last < from || to < first:
			s.pages[n] = nil
		default:
			for i := range p {
				for base, w := first+int64(i)<<6, p[i]; w != 0; w &= w - 1 {
					if r := base + int64(bits.TrailingZeros64(w)); r < from || r > to {
						p[i] &^= 1 << (r & 63)
					}
				}
			}
		}
	}
}

// Rowids gives the rows in a slice, ascending.
func (s *Set) Rowids() []int64 {
	n := s.Len()
	if n == 0 {
		return nil
	}
	rows := make([]int64, 0, n)
	for r := range s.All() {
		rows = append(rows, r)
	}
	return rows
}

// Clone gives a copy.
func (s *Set) Clone() *Set {
	c := &Set{}
	if s == nil {
		return c
	}
	c.sparse = slices.Clone(s.sparse)
	c.pages = make([]*bitmapPage, len(s.pages))
	for n, p := range s.pages {
		if p != nil {
			q := *p
			c.pages[n] = &q
		}
	}
	return c
}

// Union puts the rows of t into s.
func (s *Set) Union(t *Set) {
	if t == nil {
		return
	}
	for _, r := range t.sparse {
		s.Add(r)
	}
	for n, p := range t.pages {
		if p == nil {
			continue
		}
		q := s.page(int64(n) << pageBits)
		for i, w := range p {
			q[i] |= w
		}
	}
}

// Intersection gives the rows that both sets have.
func Intersection(s, t *Set) *Set {
	out := &Set{}
	if s == nil || t == nil {
		return out
	}
	for n, p := range s.pages {
		if p == nil || n >= len(t.pages) || t.pages[n] == nil {
			continue
		}
		q := t.pages[n]
		for i, w := range p {
			if w &= q[i]; w != 0 {
				out.page(int64(n) << pageBits)[i] = w
			}
		}
	}
	for _, r := range s.sparse {
		if t.Has(r) {
			out.sparse = append(out.sparse, r)
		}
	}
	return out
}

// Difference gives the rows of s that t has not.
func Difference(s, t *Set) *Set {
	out := &Set{}
	if s == nil {
		return out
	}
	for n, p := range s.pages {
		if p == nil {
			continue
		}
		var q *bitmapPage
		if t != nil && n < len(t.pages) {
			q = t.pages[n]
		}
		for i, w := range p {
			if q != nil {
				w &^= q[i]
			}
			if w != 0 {
				out.page(int64(n) << pageBits)[i] = w
			}
		}
	}
	for _, r := range s.sparse {
		if !t.Has(r) {
			out.sparse = append(out.sparse, r)
		}
	}
	return out
}

// Intersect keeps the rows that t has too.
func (s *Set) Intersect(t *Set) {
	s.sparse = slices.DeleteFunc(s.sparse, func(r int64) bool { return !t.Has(r) })
	for n, p := range s.pages {
		switch {
		case p == nil:
		case t == nil || n >= len(t.pages) || t.pages[n] == nil:
			s.pages[n] = nil
		default:
			for i, w := range t.pages[n] {
				p[i] &= w
			}
		}
	}
}

// Subtract takes the rows of t out of s.
func (s *Set) Subtract(t *Set) {
	if t == nil {
		return
	}
	s.sparse = slices.DeleteFunc(s.sparse, t.Has)
	for n, p := range s.pages {
		if p != nil && n < len(t.pages) && t.pages[n] != nil {
			for i, w := range t.pages[n] {
				p[i] &^= w
			}
		}
	}
}

// Bytes tells how much memory the set takes.
func (s *Set) Bytes() int {
	n := 0
	for _, p := range s.pages {
		if p != nil {
			n += len(p) * 8
		}
	}
	return n + 8*len(s.pages) + 8*len(s.sparse)
}
