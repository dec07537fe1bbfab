// Package idset is a set of rowids as a bitmap, which the readers of indexes, the search engine and the snapshot
// of all sessions share.
package idset

import (
	"iter"
	"math/bits"
	"slices"
)

// MaxRowid is the greatest rowid that a page holds and that an index is read for. SQLite counts rowids
// from 1, so only a database whose ids were chosen by hand has greater ones.
const MaxRowid = 1<<32 - 1

// Set is a set of rowids: a bitmap in pages of 65,536 bits (8 KB) that exist
// only where there are rowids. Rowids below 0 and above [MaxRowid] take eight bytes
// each. The zero value is the empty set, and a nil *Set can be read as one. It may be
// read by several goroutines, but not while one of them changes it.
type Set struct {
	pages  []*Page
	sparse []int64 // rowids that no page holds, ascending
}

// A rowid is bit rowid&PageMask of page rowid>>PageBits.
const (
	PageBits = 16 // rowids of a page, as a power of two
	PageMask = 1<<PageBits - 1
)

// Page has a bit for each of its rowids, 64 to a word.
type Page [1 << (PageBits - 6)]uint64

// Bytes returns about how much memory the set takes.
func (s *Set) Bytes() int {
	if s == nil {
		return 0
	}
	n := 8 * (len(s.pages) + len(s.sparse))
	for _, p := range s.pages {
		if p != nil {
			n += 8 * len(p)
		}
	}
	return n
}

// Page returns the page of a rowid, which it adds where there is none.
func (s *Set) Page(rowid int64) *Page {
	n := int(rowid >> PageBits)
	if n >= len(s.pages) {
		pages := make([]*Page, n+1, n+1+n/2)
		copy(pages, s.pages)
		s.pages = pages
	}
	if s.pages[n] == nil {
		s.pages[n] = new(Page)
	}
	return s.pages[n]
}

// Pages returns the pages of the set, nil where there are no rowids, for loops that read
// bit by bit. Callers must not change them.
func (s *Set) Pages() []*Page { return s.pages }

// inPages reports whether a rowid is held by a page.
func inPages(rowid int64) bool { return 0 <= rowid && rowid <= MaxRowid }

// Add adds a rowid.
func (s *Set) Add(rowid int64) {
	if !inPages(rowid) {
		if i, found := slices.BinarySearch(s.sparse, rowid); !found {
			s.sparse = slices.Insert(s.sparse, i, rowid)
		}
		return
	}
	s.Page(rowid)[rowid&PageMask>>6] |= 1 << (rowid & 63)
}

// Remove removes a rowid.
func (s *Set) Remove(rowid int64) {
	if !inPages(rowid) {
		s.sparse = slices.DeleteFunc(s.sparse, func(r int64) bool { return r == rowid })
		return
	}
	if n := int(rowid >> PageBits); n < len(s.pages) && s.pages[n] != nil {
		s.pages[n][rowid&PageMask>>6] &^= 1 << (rowid & 63)
	}
}

// Has reports whether a rowid is in the set.
func (s *Set) Has(rowid int64) bool {
	if s == nil {
		return false
	}
	if !inPages(rowid) {
		_, found := slices.BinarySearch(s.sparse, rowid)
		return found
	}
	n := rowid >> PageBits
	return n < int64(len(s.pages)) && s.pages[n] != nil && s.pages[n][rowid&PageMask>>6]>>(rowid&63)&1 != 0
}

// Len counts the rowids.
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

// Empty reports whether there is no rowid.
func (s *Set) Empty() bool {
	for range s.All() {
		return false
	}
	return true
}

// All iterates over the rowids, ascending.
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
				for base := int64(n)<<PageBits | int64(i)<<6; w != 0; w &= w - 1 {
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

// Words iterates over the rowids from 0 to [MaxRowid], 64 at a time: bit n of a
// word is the rowid first+n.
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
				if w != 0 && !yield(int64(n)<<PageBits|int64(i)<<6, w) {
					return
				}
			}
		}
	}
}

// Word returns the bits of the 64 rowids from first on, a multiple of 64, as
// [Set.Words] gives them.
func (s *Set) Word(first int64) uint64 {
	if n := first >> PageBits; s != nil && n < int64(len(s.pages)) && s.pages[n] != nil {
		return s.pages[n][first&PageMask>>6]
	}
	return 0
}

// Before returns the greatest rowid of the set that is below rowid, among those from 0
// to [MaxRowid]. ok is false where there is none.
func (s *Set) Before(rowid int64) (before int64, ok bool) {
	if s == nil {
		return 0, false
	}
	rowid = min(rowid, int64(len(s.pages))<<PageBits) - 1
	for rowid >= 0 {
		p := s.pages[rowid>>PageBits]
		if p == nil {
			rowid = rowid>>PageBits<<PageBits - 1
			continue
		}
		if w := p[rowid&PageMask>>6] << (63 - rowid&63); w != 0 {
			return rowid - int64(bits.LeadingZeros64(w)), true
		}
		rowid = rowid>>6<<6 - 1
	}
	return 0, false
}

// KeepLast keeps the greatest rowids, at most as many as most, and removes the others. No
// rowid may be above [MaxRowid].
func (s *Set) KeepLast(most int) {
	if most <= 0 {
		*s = Set{}
		return
	}
	skip := s.Len() - most
	for id := range s.All() {
		if skip--; skip < 0 {
			s.Clip(id, MaxRowid)
			return
		}
	}
}

// Clip removes the rowids below from and above to.
func (s *Set) Clip(from, to int64) {
	s.sparse = slices.DeleteFunc(s.sparse, func(r int64) bool { return r < from || r > to })
	for n, p := range s.pages {
		first := int64(n) << PageBits
		last := first + PageMask
		switch {
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

// Rowids returns the rowids in a slice, ascending; nil for none.
func (s *Set) Rowids() []int64 {
	n := s.Len()
	if n == 0 {
		return nil
	}
	rowids := make([]int64, 0, n)
	for r := range s.All() {
		rowids = append(rowids, r)
	}
	return rowids
}

// Clone returns a copy, an empty set for nil.
func (s *Set) Clone() *Set {
	c := &Set{}
	if s == nil {
		return c
	}
	c.sparse = slices.Clone(s.sparse)
	c.pages = make([]*Page, len(s.pages))
	for n, p := range s.pages {
		if p != nil {
			q := *p
			c.pages[n] = &q
		}
	}
	return c
}

// Union adds the rowids of t.
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
		q := s.Page(int64(n) << PageBits)
		for i, w := range p {
			q[i] |= w
		}
	}
}

// Intersection returns a new set of the rowids that are in both sets.
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
				out.Page(int64(n) << PageBits)[i] = w
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

// Difference returns a new set of the rowids of s that are not in t.
func Difference(s, t *Set) *Set {
	out := &Set{}
	if s == nil {
		return out
	}
	for n, p := range s.pages {
		if p == nil {
			continue
		}
		var q *Page
		if t != nil && n < len(t.pages) {
			q = t.pages[n]
		}
		for i, w := range p {
			if q != nil {
				w &^= q[i]
			}
			if w != 0 {
				out.Page(int64(n) << PageBits)[i] = w
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

// Intersect removes the rowids that are not in t.
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

// Subtract removes the rowids of t.
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
