package fts

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"strings"
)

const (
	// maxCachedPerScan is how many pages of one scan are cached. Most terms are
	// on one page, and the next keystroke reads it again.
	maxCachedPerScan = 2
	// maxCachedPages bounds each of the two generations of pages.
	maxCachedPages = 256
	// maxCachedBytes is the size of the largest page that is cached. FTS5 writes
	// pages of about 4 KB unless it is configured otherwise.
	maxCachedBytes = 8 << 10
	// maxCachedRowids is how many sets of rowids are cached.
	maxCachedRowids = 4
	// maxCachedTerms is of how many terms it is cached whether they exist.
	maxCachedTerms = 512
	// usesBeforeOffsets is how often a page is used before its term offsets
	// are collected: collecting takes longer than one search.
	usesBeforeOffsets = 3
)

// termPattern matches the term text or, with prefix, all terms that begin with text.
type termPattern struct {
	text   string
	prefix bool
}

// cache holds what was read of the segments of one version of the index: leaf
// pages, whether terms exist, and the rowids of a few terms.
type cache struct {
	recent, older map[int64]*cachedPage // two generations, by id in %_data
	exists        map[termPattern]bool
	rowidSets     []cachedRowids // the newest last
}

// cachedRowids are the rowids of a term or a prefix. While a second word is
// typed, each key searches for the first one again. And where all terms with a
// prefix have a longer prefix in common, that one has the same rowids.
type cachedRowids struct {
	pattern      termPattern
	commonPrefix string // of all terms that match the pattern
	maxRowid     int64
	rowids       *Set
}

// rowids returns a copy of the rowids of a term or a prefix, nil where they are
// not cached.
func (c *cache) rowids(p termPattern, maxRowid int64) *Set {
	for _, r := range c.rowidSets {
		if r.maxRowid == maxRowid && (r.pattern == p || r.pattern.prefix && p.prefix && strings.HasPrefix(p.text, r.pattern.text) && strings.HasPrefix(r.commonPrefix, p.text)) {
			return r.rowids.Clone()
		}
	}
	return nil
}

// putRowids caches a copy of what a reader collected for a term or a prefix.
func (c *cache) putRowids(p termPattern, r *rowidReader) {
	if len(c.rowidSets) == maxCachedRowids {
		c.rowidSets = slices.Delete(c.rowidSets, 0, 1)
	}
	c.rowidSets = append(c.rowidSets, cachedRowids{p, string(r.commonPrefix), r.maxRowid, r.set.Clone()})
}

type cachedPage struct {
	content     []byte
	uses        int // how often its term offsets were needed
	termOffsets []termOffset
}

// page returns a page, nil where it is not cached. It moves the page to the recent
// generation.
func (c *cache) page(id int64) *cachedPage {
	p := c.recent[id]
	if p == nil {
		if p = c.older[id]; p != nil {
			c.add(id, p)
		}
	}
	return p
}

// get returns the content of a page, nil where it is not cached.
func (c *cache) get(id int64) []byte {
	if p := c.page(id); p != nil {
		return p.content
	}
	return nil
}

// put caches a copy of a page.
func (c *cache) put(id int64, b []byte) { c.add(id, &cachedPage{content: bytes.Clone(b)}) }

// add adds a page to the recent generation. Where that is full it becomes the older
// one, and the pages of the older one are dropped.
func (c *cache) add(id int64, p *cachedPage) {
	if len(c.recent) >= maxCachedPages {
		c.older, c.recent = c.recent, nil
	}
	if c.recent == nil {
		c.recent = map[int64]*cachedPage{}
	}
	c.recent[id] = p
}

// termOffset is a term of a page at which a search may start. Other terms can be
// read only after those before them, with which they share bytes.
type termOffset struct {
	term         []byte // as stored
	pos          int    // where it is on the page
	pageIndexPos int    // where the page index has the distance to the next term
}

// termOffsets returns some of the terms of a page, none for a page that is not
// cached or was seldom used.
func (c *cache) termOffsets(id int64) []termOffset {
	p := c.page(id)
	if p == nil {
		return nil
	}
	if p.uses++; p.uses == usesBeforeOffsets {
		p.termOffsets = collectTermOffsets(p.content)
	}
	return p.termOffsets
}

// collectTermOffsets returns every twelfth term of a page, none for a damaged one.
func collectTermOffsets(b []byte) []termOffset {
	const step = 12
	l, ok := parseLeaf(b)
	if !ok {
		return nil
	}
	at, more, ok := l.nextTermPos(0)
	var offsets []termOffset
	var term []byte
	for n := 0; ok && more; n++ {
		shared, size, pos, whole := l.parseTerm(at, n == 0)
		if !whole || shared > len(term) {
			return nil
		}
		term = append(term[:shared], b[pos:pos+size]...)
		if n > 0 && n%step == 0 {
			offsets = append(offsets, termOffset{bytes.Clone(term), at, len(b) - len(l.pageIndex)})
		}
		if at, more, ok = l.nextTermPos(at); at < pos+size {
			return nil
		}
	}
	if !ok {
		return nil
	}
	return offsets
}

// lastTermBefore returns the last of offsets whose term sorts before another term,
// nil for none.
func lastTermBefore(offsets []termOffset, term []byte) *termOffset {
	n := sort.Search(len(offsets), func(n int) bool { return bytes.Compare(offsets[n].term, term) >= 0 })
	if n == 0 {
		return nil
	}
	return &offsets[n-1]
}

// cachedTermExists is [Index.termExists] with a cache, for the terms of queries, which
// the next keystroke mostly has again.
func (x *Index) cachedTermExists(ctx context.Context, p termPattern) (bool, error) {
	exists, known := x.cache.exists[p]
	if known {
		return exists, nil
	}
	exists, err := x.termExists(ctx, p)
	if err != nil {
		return false, err
	}
	if x.cache.exists == nil || len(x.cache.exists) >= maxCachedTerms {
		x.cache.exists = map[termPattern]bool{}
	}
	x.cache.exists[p] = exists
	return exists, nil
}
