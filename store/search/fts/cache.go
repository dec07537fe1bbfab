package fts

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"strings"
)

const (
	// maxCachedPerScan is how many pages of a walk are kept in memory. Most terms
	// stand on one, and whoever types comes by again.
	maxCachedPerScan = 2
	// maxCachedPages bounds how many are kept, twice.
	maxCachedPages = 256
	// maxCachedBytes is how large a page may be that is kept. FTS5 makes them of four
	// kilobytes unless it is told otherwise.
	maxCachedBytes = 8 << 10
	// maxCachedRowSets is of how many terms and beginnings the rows are kept.
	maxCachedRowSets = 4
	// maxCachedTerms bounds of how many terms and beginnings it is kept whether there
	// are any.
	maxCachedTerms = 512
)

// cache is what was read a short while ago: pages, and whether there is a term,
// or any that begins so.
type cache struct {
	young, old map[int64]*cachedPage
	termExists map[termID]bool
	rowSets    []cachedRowSet // the last ones last
}

// cachedRowSet are the rows of a term or a beginning. Who types a second word asks
// for the first one again at every key; and a beginning that all terms share
// that begin like a shorter one has the same rows.
type cachedRowSet struct {
	key          termID
	doclistState string // what all terms begin with
	maxRowid     int64
	rows         *Set
}

// rowSet gives those of a term or a beginning, which are the caller's; nil where
// they are not kept.
func (k *cache) rowSet(of termID, limit int64) *Set {
	for _, f := range k.rowSets {
		if f.maxRowid == limit && (f.key == of || f.key.prefix && of.prefix && strings.HasPrefix(of.term, f.key.term) && strings.HasPrefix(f.doclistState, of.term)) {
			return f.rows.Clone()
		}
	}
	return nil
}

// putRowSet keeps what was read of one.
func (k *cache) putRowSet(of termID, r *rowSetReader) {
	if len(k.rowSets) == maxCachedRowSets {
		k.rowSets = slices.Delete(k.rowSets, 0, 1)
	}
	k.rowSets = append(k.rowSets, cachedRowSet{of, string(r.commonPrefix), r.maxRowid, r.set.Clone()})
}

type cachedPage struct {
	content     []byte
	uses        int // how often for marks
	termOffsets []termOffset
}

func (k *cache) pageFor(id int64) *cachedPage {
	p := k.young[id]
	if p == nil {
		if p = k.old[id]; p != nil {
			k.add(id, p)
		}
	}
	return p
}

func (k *cache) get(id int64) []byte {
	if p := k.pageFor(id); p != nil {
		return p.content
	}
	return nil
}

func (k *cache) put(id int64, b []byte) { k.add(id, &cachedPage{content: bytes.Clone(b)}) }

func (k *cache) add(id int64, p *cachedPage) {
	if len(k.young) >= maxCachedPages {
		k.old, k.young = k.young, nil
	}
	if k.young == nil {
		k.young = map[int64]*cachedPage{}
	}
	k.young[id] = p
}

// termOffset is a term of a page from which reading may begin: those between two
// marks need what stands before them.
type termOffset struct {
	term         []byte
	pos          int // where it stands
	pageIndexPos int // where the offset of the term behind it stands
}

// termOffsets gives some of the terms of a page that is kept and was asked for before:
// to find them takes longer than to look for one term.
func (k *cache) termOffsets(id int64) []termOffset {
	p := k.pageFor(id)
	if p == nil {
		return nil
	}
	if p.uses++; p.uses == 3 {
		p.termOffsets = readTermOffsets(p.content)
	}
	return p.termOffsets
}

// readTermOffsets gives every so manieth term of a page, none of one that is damaged.
func readTermOffsets(b []byte) []termOffset {
	const terms = 12 // from mark to mark
	l, ok := parseLeaf(b)
	if !ok {
		return nil
	}
	at, more, ok := l.nextTermPos(0)
	var marks []termOffset
	var term []byte
	for n := 0; ok && more; n++ {
		shared, size, pos, whole := l.parseTerm(at, n == 0)
		if !whole || shared > len(term) {
			return nil
		}
		term = append(term[:shared], b[pos:pos+size]...)
		if n > 0 && n%terms == 0 {
			marks = append(marks, termOffset{bytes.Clone(term), at, len(b) - len(l.pageIndex)})
		}
		if at, more, ok = l.nextTermPos(at); at < pos+size {
			return nil
		}
	}
	if !ok {
		return nil
	}
	return marks
}

// lastTermBefore gives the last mark that comes before a term, nil for none.
func lastTermBefore(marks []termOffset, term []byte) *termOffset {
	n := sort.Search(len(marks), func(n int) bool { return bytes.Compare(marks[n].term, term) >= 0 })
	if n == 0 {
		return nil
	}
	return &marks[n-1]
}

// hasTerm reports whether a term stands anywhere in the index, or any that begins
// so.
func (x *Index) hasTerm(ctx context.Context, s termID) (bool, error) {
	there, known := x.cache.termExists[s]
	if known {
		return there, nil
	}
	for i := range x.segments { // the oldest have most
		w := scan{index: x, target: termKey(s.term), exact: !s.prefix}
		if err := w.scanSegment(ctx, &x.segments[i], nil); err != nil {
			return false, err
		}
		if there = w.found; there {
			break
		}
	}
	if x.cache.termExists == nil || len(x.cache.termExists) >= maxCachedTerms {
		x.cache.termExists = map[termID]bool{}
	}
	x.cache.termExists[s] = there
	return there, nil
}
