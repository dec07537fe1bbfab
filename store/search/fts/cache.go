package fts

import (
	"context"
	"hermes-sessions/store/internal/idset"
	"slices"
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
	// maxCachedRowids is how many sets of rowids are cached: the words of a question. With
	// half as many, its keys take a quarter more CPU at a million messages.
	maxCachedRowids = 10
	// maxCachedTerms is the number of terms for which the cache knows whether they exist.
	maxCachedTerms = 512
)

// termPattern matches the term text or, with prefix, all terms that begin with text.
type termPattern struct {
	text   string
	prefix bool
}

// cache holds parts of the segments of one version of the index: leaf pages,
// whether terms exist, and the rowids of a few terms.
type cache struct {
	recent, older map[int64][]byte // two generations, by id in %_data
	exists        map[termPattern]bool
	rowidSets     []cachedRowids // the last used last
}

// cachedRowids are the rowids of a term or a prefix. While a second word is
// typed, each key searches for the first one again. And where all terms with a
// prefix have a longer prefix in common, that one has the same rowids.
type cachedRowids struct {
	pattern      termPattern
	commonPrefix string // of all terms that match the pattern
	maxRowid     int64
	rowids       *idset.Set
}

// rowids returns a copy of the rowids of a term or a prefix, nil where they are
// not cached.
func (c *cache) rowids(p termPattern, maxRowid int64) *idset.Set {
	for i, r := range c.rowidSets {
		if r.maxRowid == maxRowid && (r.pattern == p || r.pattern.prefix && p.prefix && strings.HasPrefix(p.text, r.pattern.text) && strings.HasPrefix(r.commonPrefix, p.text)) {
			c.rowidSets = append(slices.Delete(c.rowidSets, i, i+1), r)
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

// page returns a page, nil where it is not cached. It moves the page to the recent
// generation.
func (c *cache) page(id int64) []byte {
	b := c.recent[id]
	if b == nil {
		if b = c.older[id]; b != nil {
			c.addPage(id, b)
		}
	}
	return b
}

// addPage adds a page to the recent generation. Where that is full it becomes the older
// one, and the pages of the older one are dropped.
func (c *cache) addPage(id int64, b []byte) {
	if len(c.recent) >= maxCachedPages {
		c.older, c.recent = c.recent, nil
	}
	if c.recent == nil {
		c.recent = map[int64][]byte{}
	}
	c.recent[id] = b
}

// cachedTermExists is [Index.termExists] with a cache, for the terms of queries, which
// the next keystroke mostly has again.
func (ix *Index) cachedTermExists(ctx context.Context, p termPattern) (bool, error) {
	exists, known := ix.cache.exists[p]
	if known {
		return exists, nil
	}
	exists, err := ix.termExists(ctx, p)
	if err != nil {
		return false, err
	}
	if ix.cache.exists == nil || len(ix.cache.exists) >= maxCachedTerms {
		ix.cache.exists = map[termPattern]bool{}
	}
	ix.cache.exists[p] = exists
	return exists, nil
}
