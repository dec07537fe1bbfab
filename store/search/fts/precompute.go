package fts

import (
	"bytes"
	"cmp"
	"context"
	"hermes-sessions/store/internal/idset"
	"slices"
	"sort"
	"strings"
)

// precomputed holds the rowids of the most frequent terms and prefixes, as the
// oldest segments of an index have them. It is never changed.
type precomputed struct {
	segments []segment // what it was read from, oldest first
	maxRowid int64
	byTerm   map[termPattern]*idset.Set
}

const (
	// frequentLeaves is how many leaf pages make a term worth precomputing: they
	// take about a millisecond to read.
	frequentLeaves = 128
	// maxPrefixBytes is the length of the longest prefix that is precomputed.
	// Longer ones are seldom frequent.
	maxPrefixBytes = 4
)

// Precompute reads the rowids of the most frequent terms and of prefixes of up
// to four characters, as many as fit in maxBytes of memory. It reads the whole
// index, so call it on an [Index.Copy], in a goroutine and a transaction of its own;
// copies that are later made of that copy share the result.
func (ix *Index) Precompute(ctx context.Context, maxBytes int) error {
	return ix.precompute(ctx, maxBytes, frequentLeaves)
}

// PrecomputedCoversMost reports whether the precomputed rowids still cover
// most of the index. It does not once its segments were merged, or when a
// quarter of the index is newer.
func (ix *Index) PrecomputedCoversMost() bool {
	return ix.precomputedValid() && totalLeaves(ix.precomputed.segments)*4 > totalLeaves(ix.segments)*3
}

// precomputedValid reports whether the precomputed rowids are right: their segments
// are still the oldest.
func (ix *Index) precomputedValid() bool {
	p := ix.precomputed
	return p != nil && len(p.segments) > 0 && len(p.segments) <= len(ix.segments) &&
		slices.EqualFunc(p.segments, ix.segments[:len(p.segments)], segment.same)
}

// termsWithPrefix returns the rowids of the precomputed single terms with a prefix, by
// term; nil for none.
func (p *precomputed) termsWithPrefix(prefix string) map[string]*idset.Set {
	var terms map[string]*idset.Set
	for t, rowids := range p.byTerm {
		if !t.prefix && strings.HasPrefix(t.text, prefix) {
			if terms == nil {
				terms = map[string]*idset.Set{}
			}
			terms[t.text] = rowids
		}
	}
	return terms
}

// specificity orders patterns: a term comes between the prefix of its own length
// and the next longer one.
func (t termPattern) specificity() int {
	if t.prefix {
		return 2 * len(t.text)
	}
	return 2*len(t.text) + 1
}

// precompute is [Index.Precompute] for terms that take at least minLeaves leaf pages.
func (ix *Index) precompute(ctx context.Context, maxBytes, minLeaves int) error {
	p := &precomputed{segments: ix.settledSegments(), maxRowid: ix.maxRowid, byTerm: map[termPattern]*idset.Set{}}
	patterns, err := ix.frequentPatterns(ctx, p.segments, minLeaves)
	if err != nil {
		return err
	}
	readers := map[termPattern]*rowidReader{}
	router := patternRouter{terms: map[string]map[string]*rowidReader{}, prefixes: map[string]*rowidReader{}}
	for i, t := range patterns {
		if maxBytes -= int(ix.maxRowid/8) + 1; maxBytes < 0 { // a bitmap takes at most this
			patterns = patterns[:i]
			break
		}
		readers[t] = &rowidReader{maxRowid: ix.maxRowid}
		router.add(t, readers[t])
	}
	for i := len(p.segments) - 1; i >= 0 && len(readers) > 0; i-- { // newest first
		if err := ix.scanSegment(ctx, &p.segments[i], storedTerm(""), false, nil, &router); err != nil {
			return err
		}
	}
	// The rowids of a term went to its most specific pattern only; the prefixes
	// of that have them too.
	sort.Slice(patterns, func(i, j int) bool { return patterns[i].specificity() > patterns[j].specificity() })
	for _, t := range patterns {
		for n := (t.specificity() - 1) / 2; n > 0; n-- {
			if r := router.prefixes[t.text[:n]]; r != nil {
				r.set.Union(&readers[t].set)
				break
			}
		}
		p.byTerm[t] = &readers[t].set
	}
	ix.precomputed = p
	return nil
}

// settledSegments returns the segments, oldest first, without the newest ones, which are
// soon merged: those that together have up to a twentieth of all pages.
func (ix *Index) settledSegments() []segment {
	all, newest := totalLeaves(ix.segments), int64(0)
	n := len(ix.segments)
	for ; n > 1; n-- {
		s := &ix.segments[n-1]
		if newest += s.lastPage - s.firstPage + 1; newest*20 > all {
			break
		}
	}
	return slices.Clone(ix.segments[:n])
}

// frequentPatterns returns the terms that take at least minLeaves pages, and the
// prefixes whose other terms do, the most frequent first.
func (ix *Index) frequentPatterns(ctx context.Context, segments []segment, minLeaves int) ([]termPattern, error) {
	leaves := map[termPattern]int{}
	for i := range segments {
		s := &segments[i]
		ti := &s.termIndex
		for n, page := range ti.pages {
			next := int32(s.lastPage + 1)
			if n+1 < len(ti.pages) {
				next = ti.pages[n+1]
			}
			if int(next-page) >= minLeaves {
				// One term fills these pages: the last that begins on the first of them.
				last, err := ix.lastTermOfPage(ctx, s, int64(page))
				if err != nil {
					return nil, err
				}
				if last != "" {
					leaves[termPattern{last, false}] += int(next - page)
					continue
				}
			}
			term := string(bytes.TrimPrefix(ti.key(n), storedTerm("")))
			for size := 1; size <= min(maxPrefixBytes, len(term)) && isASCIIAlnum(term[size-1]); size++ {
				leaves[termPattern{term[:size], true}] += int(next - page)
			}
		}
	}
	var patterns []termPattern
	for t, n := range leaves {
		if n >= minLeaves {
			patterns = append(patterns, t)
		}
	}
	sort.Slice(patterns, func(i, j int) bool {
		a, b := patterns[i], patterns[j]
		return cmp.Or(leaves[b]-leaves[a], cmp.Compare(a.text, b.text), cmp.Compare(a.specificity(), b.specificity())) < 0
	})
	return patterns, nil
}

// isASCIIAlnum reports whether a byte of a folded term is a letter or a digit of ASCII.
func isASCIIAlnum(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// lastTermOfPage returns the last term that begins on a page, "" for none.
func (ix *Index) lastTermOfPage(ctx context.Context, s *segment, page int64) (string, error) {
	b, err := ix.readBlock(ctx, s.leafID(page))
	if err != nil {
		return "", err
	}
	var last lastTermReader
	sc := scan{index: ix, reader: &last, target: storedTerm("")}
	if err := sc.page(b); err != nil && err != errStop { //nolint:errorlint // it never leaves the package
		return "", err
	}
	return string(last), nil
}

// lastTermReader is a [doclistReader] that remembers the last term.
type lastTermReader []byte

func (r *lastTermReader) term(t []byte) bool {
	*r = append((*r)[:0], t...)
	return false
}

func (r *lastTermReader) doclist(_ []byte, rowid int64) (int64, int, bool) { return rowid, 0, true }

func (r *lastTermReader) restOfPoslist([]byte) {}

// patternRouter is a [doclistReader] that hands each term of the index to the
// reader of the most specific pattern that it matches. Terms come in order, so
// the patterns of those with the same first bytes are looked up once.
type patternRouter struct {
	terms    map[string]map[string]*rowidReader // by first bytes, then by term
	prefixes map[string]*rowidReader

	first         []byte                  // first bytes of the last term
	termsOfFirst  map[string]*rowidReader // terms[first]
	prefixOfFirst *rowidReader            // of the longest prefix of first
	target        *rowidReader            // of the last term, nil for none
}

func (r *patternRouter) add(t termPattern, reader *rowidReader) {
	if t.prefix {
		r.prefixes[t.text] = reader
		return
	}
	first := firstBytes(t.text)
	if r.terms[first] == nil {
		r.terms[first] = map[string]*rowidReader{}
	}
	r.terms[first][t.text] = reader
}

func (r *patternRouter) term(t []byte) bool {
	if first := firstBytes(t); !bytes.Equal(first, r.first) {
		r.first = append(r.first[:0], first...)
		r.termsOfFirst, r.prefixOfFirst = r.terms[string(first)], nil
		for n := len(first); r.prefixOfFirst == nil && n > 0; n-- {
			r.prefixOfFirst = r.prefixes[string(first[:n])]
		}
	}
	r.target = r.prefixOfFirst
	if reader := r.termsOfFirst[string(t)]; reader != nil {
		r.target = reader
	}
	return r.target != nil && r.target.term(t)
}

func (r *patternRouter) doclist(b []byte, rowid int64) (int64, int, bool) {
	return r.target.doclist(b, rowid)
}

func (r *patternRouter) restOfPoslist([]byte) {}

// firstBytes returns the longest prefix of a term that may be precomputed.
func firstBytes[T string | []byte](term T) T { return term[:min(maxPrefixBytes, len(term))] }
