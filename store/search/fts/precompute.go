package fts

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
)

// precomputed is the rows of the terms and beginnings of terms that many rows have,
// as the oldest segments of an index know them. It is never changed.
type precomputed struct {
	segments []segment // what it was made of, oldest first
	maxRowid int64
	byTerm   map[termID]*Set
}

// termID is a term or, open, all that begin so.
type termID struct {
	term   string
	prefix bool
}

// Copy gives an index for another goroutine, which shares what is known.
func (x *Index) Copy() *Index {
	y := *x
	y.cache = cache{}
	return &y
}

// PrecomputedCoversMost reports whether what was prepared is still most of the index. It is not
// once its segments were merged, or much has come since.
func (x *Index) PrecomputedCoversMost() bool {
	return x.precomputedValid() && leafPages(x.precomputed.segments)*4 > leafPages(x.segments)*3
}

// precomputedValid reports whether what was prepared is right: its segments are still the
// oldest.
func (x *Index) precomputedValid() bool {
	p := x.precomputed
	return p != nil && len(p.segments) > 0 && len(p.segments) <= len(x.segments) &&
		slices.EqualFunc(p.segments, x.segments[:len(p.segments)], segment.equals)
}

func leafPages(segments []segment) (n int64) {
	for _, s := range segments {
		n += s.lastPage - s.firstPage + 1
	}
	return n
}

const (
	// heavyFromPages is how many pages make a term worth preparing: they take about
	// a millisecond to read.
	heavyFromPages = 128
	// maxPrefixBytes is how many characters of a beginning are prepared. What
	// has more is seldom heavy.
	maxPrefixBytes = 4
)

// Precompute reads the rows of the heaviest terms and beginnings of terms, these of
// up to four characters, and keeps as many as take at most so many bytes. It
// reads the whole index, so it is for a goroutine of its own, with a copy of the
// index and a transaction of its own.
func (x *Index) Precompute(ctx context.Context, bytes int) error {
	return x.precompute(ctx, bytes, heavyFromPages)
}

func (x *Index) precompute(ctx context.Context, bytes, least int) error {
	p := &precomputed{segments: x.settledSegments(), maxRowid: x.maxRowid, byTerm: map[termID]*Set{}}
	g := prefixCollector{termRows: map[string]map[string]*rowSetReader{}, prefixRows: map[string]*rowSetReader{}}
	of := map[termID]*rowSetReader{}
	stems, err := x.heavyPrefixes(ctx, p.segments, least)
	if err != nil {
		return err
	}
	for _, b := range stems {
		if bytes -= int(x.maxRowid/8) + 1; bytes < 0 {
			break
		}
		of[b] = &rowSetReader{maxRowid: x.maxRowid}
		if b.prefix {
			g.prefixRows[b.term] = of[b]
		} else {
			alike := firstBytes(b.term)
			if g.termRows[alike] == nil {
				g.termRows[alike] = map[string]*rowSetReader{}
			}
			g.termRows[alike][b.term] = of[b]
		}
	}
	for i := len(p.segments) - 1; i >= 0 && len(of) > 0; i-- { // newest first
		if err := x.scanSegment(ctx, &p.segments[i], termKey(""), false, nil, &g); err != nil {
			return err
		}
	}
	// What a longer one took is of the shorter ones too.
	for _, b := range slices.SortedFunc(maps.Keys(of), func(a, b termID) int { return b.memorySize() - a.memorySize() }) {
		for n := (b.memorySize() - 1) / 2; n > 0; n-- {
			if r := g.prefixRows[b.term[:n]]; r != nil {
				r.set.Union(&of[b].set)
				break
			}
		}
		p.byTerm[b] = &of[b].set
	}
	x.precomputed = p
	return nil
}

// settledSegments gives the segments, oldest first, without the small new ones: those
// are merged all the time.
func (x *Index) settledSegments() []segment {
	all, rest := leafPages(x.segments), int64(0)
	n := len(x.segments)
	for ; n > 1; n-- {
		s := &x.segments[n-1]
		if rest += s.lastPage - s.firstPage + 1; rest*20 > all {
			break
		}
	}
	return slices.Clone(x.segments[:n])
}

// termsWithPrefix gives the rows of the terms that begin so, as far as they are there.
func (p *precomputed) termsWithPrefix(beginning string) map[string]*Set {
	var parts map[string]*Set
	for b, rows := range p.byTerm {
		if !b.prefix && strings.HasPrefix(b.term, beginning) {
			if parts == nil {
				parts = map[string]*Set{}
			}
			parts[b.term] = rows
		}
	}
	return parts
}

// memorySize puts a term between its beginning that is as long and longer ones.
func (b termID) memorySize() int {
	if b.prefix {
		return 2 * len(b.term)
	}
	return 2*len(b.term) + 1
}

// heavyPrefixes gives the terms that stand on so many pages or more, and the beginnings
// the other terms of which do, the heaviest first.
func (x *Index) heavyPrefixes(ctx context.Context, segments []segment, least int) ([]termID, error) {
	pages := map[termID]int{}
	for i := range segments {
		s := &segments[i]
		g := &s.termIndex
		for n, page := range g.pages {
			next := int32(s.lastPage + 1)
			if n+1 < len(g.pages) {
				next = g.pages[n+1]
			}
			if int(next-page) >= least {
				// One term fills these pages: the last that begins on the first of them.
				last, err := x.lastTermOfPage(ctx, s, int64(page))
				if err != nil {
					return nil, err
				}
				if last != "" {
					pages[termID{last, false}] += int(next - page)
					continue
				}
			}
			term := string(bytes.TrimPrefix(g.key(n), termKey("")))
			for size := 1; size <= min(maxPrefixBytes, len(term)) && isPlainASCII(term[size-1]); size++ {
				pages[termID{term[:size], true}] += int(next - page)
			}
		}
	}
	maps.DeleteFunc(pages, func(_ termID, n int) bool { return n < least })
	return slices.SortedFunc(maps.Keys(pages), func(a, b termID) int {
		return cmp.Or(pages[b]-pages[a], cmp.Compare(a.term, b.term), cmp.Compare(a.memorySize(), b.memorySize()))
	}), nil
}

// lastTermOfPage gives the last term that begins on a page, "" for none.
func (x *Index) lastTermOfPage(ctx context.Context, s *segment, page int64) (string, error) {
	b, err := x.readBlock(ctx, s.id<<pageNumberBits|page)
	if err != nil {
		return "", err
	}
	var last termNameReader
	w := scan{index: x, reader: &last, target: termKey("")}
	if err := w.scanPage(b); err != nil && err != errDone {
		return "", err
	}
	return string(last), nil
}

// termNameReader remembers the last term that it comes to.
type termNameReader []byte

func (n *termNameReader) term(t []byte) bool {
	*n = append((*n)[:0], t...)
	return false
}

func (n *termNameReader) doclist(_ []byte, row int64) (int64, int, bool) { return row, 0, true }

func (n *termNameReader) restOfPoslist([]byte) {}

// isPlainASCII reports whether a byte of a folded term is a character.
func isPlainASCII(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// prefixCollector reads the rows of many terms and beginnings at once. It is asked of
// every term of the index, and terms come in order: what is wanted of those that
// begin alike is looked up once.
type prefixCollector struct {
	termRows   map[string]map[string]*rowSetReader // by what they begin with
	prefixRows map[string]*rowSetReader

	commonPrefix []byte                   // what the term at hand begins with
	termTargets  map[string]*rowSetReader // that begin so
	prefixTarget *rowSetReader            // of the longest beginning that is wanted
	termTarget   *rowSetReader            // of the term at hand
}

func (g *prefixCollector) term(t []byte) bool {
	if alike := firstBytes(t); !bytes.Equal(alike, g.commonPrefix) {
		g.commonPrefix = append(g.commonPrefix[:0], alike...)
		g.termTargets, g.prefixTarget = g.termRows[string(alike)], nil
		for n := len(alike); g.prefixTarget == nil && n > 0; n-- {
			g.prefixTarget = g.prefixRows[string(alike[:n])]
		}
	}
	g.termTarget = g.prefixTarget
	if r := g.termTargets[string(t)]; r != nil {
		g.termTarget = r
	}
	return g.termTarget != nil && g.termTarget.term(t)
}

// firstBytes gives the longest beginning of a term that is prepared.
func firstBytes[T string | []byte](term T) T { return term[:min(maxPrefixBytes, len(term))] }

func (g *prefixCollector) doclist(b []byte, row int64) (int64, int, bool) {
	return g.termTarget.doclist(b, row)
}

func (g *prefixCollector) restOfPoslist([]byte) {}
