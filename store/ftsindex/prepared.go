package ftsindex

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// prepared is the rows of the beginnings of terms that many rows have, as the
// oldest segments of an index know them. It is never changed.
type prepared struct {
	segments []segment // what it was made of, oldest first
	limit    int64
	sets     map[string]*Set
}

// Copy gives an index for another goroutine, which shares what is known.
func (x *Index) Copy() *Index {
	y := *x
	y.kept = kept{}
	return &y
}

// Fits reports whether what was prepared is still most of the index. It is not
// once its segments were merged, or much has come since.
func (x *Index) Fits() bool {
	return x.holds() && pagesOf(x.prepared.segments)*4 > pagesOf(x.segments)*3
}

// holds reports whether what was prepared is right: its segments are still the
// oldest.
func (x *Index) holds() bool {
	p := x.prepared
	return p != nil && len(p.segments) > 0 && len(p.segments) <= len(x.segments) &&
		slices.EqualFunc(p.segments, x.segments[:len(p.segments)], segment.same)
}

func pagesOf(segments []segment) (n int64) {
	for _, s := range segments {
		n += s.last - s.first + 1
	}
	return n
}

const (
	// heavyPages is how many pages make a beginning worth preparing: they take
	// about a millisecond to read.
	heavyPages = 128
	// longestBeginning is how many characters are prepared. What has more is
	// seldom heavy.
	longestBeginning = 4
)

// Prepare reads the rows of the heaviest beginnings of terms, of up to four
// characters, and keeps as many as take at most so many bytes. It reads the
// whole index, so it is for a goroutine of its own, with a copy of the index
// and a transaction of its own.
func (x *Index) Prepare(ctx context.Context, bytes int) error {
	return x.prepare(ctx, bytes, heavyPages)
}

func (x *Index) prepare(ctx context.Context, bytes, least int) error {
	p := &prepared{segments: x.settled(), limit: x.limit, sets: map[string]*Set{}}
	g := gatherer{of: map[string]*rowReader{}}
	for _, b := range heavy(p.segments, least) {
		if bytes -= int(x.limit/8) + 1; bytes < 0 {
			break
		}
		g.of[b] = &rowReader{limit: x.limit}
	}
	for i := len(p.segments) - 1; i >= 0 && len(g.of) > 0; i-- { // newest first
		if err := x.walkSegment(ctx, &p.segments[i], key(""), false, nil, &g); err != nil {
			return err
		}
	}
	// What a longer beginning took is of the shorter ones too.
	for _, b := range slices.SortedFunc(maps.Keys(g.of), func(a, b string) int { return len(b) - len(a) }) {
		for n := len(b) - 1; n > 0; n-- {
			if r := g.of[b[:n]]; r != nil {
				r.set.Union(&g.of[b].set)
				break
			}
		}
		p.sets[b] = &g.of[b].set
	}
	x.prepared = p
	return nil
}

// settled gives the segments, oldest first, without the small new ones: those
// are merged all the time.
func (x *Index) settled() []segment {
	all, rest := pagesOf(x.segments), int64(0)
	n := len(x.segments)
	for ; n > 1; n-- {
		s := &x.segments[n-1]
		if rest += s.last - s.first + 1; rest*20 > all {
			break
		}
	}
	return slices.Clone(x.segments[:n])
}

// heavy gives the beginnings of terms that stand on so many pages or more, the
// heaviest first.
func heavy(segments []segment, least int) []string {
	pages := map[string]int{}
	for i := range segments {
		g := &segments[i].terms
		for n, page := range g.pages {
			next := int32(segments[i].last + 1)
			if n+1 < len(g.pages) {
				next = g.pages[n+1]
			}
			term := g.term(n)
			for size := 1; size <= longestBeginning && size < len(term) && plain(term[size]); size++ {
				pages[string(term[1:1+size])] += int(next - page)
			}
		}
	}
	maps.DeleteFunc(pages, func(_ string, n int) bool { return n < least })
	return slices.SortedFunc(maps.Keys(pages), func(a, b string) int {
		return cmp.Or(pages[b]-pages[a], cmp.Compare(a, b))
	})
}

// plain reports whether a byte of a folded term is a character.
func plain(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// gatherer reads the rows of many beginnings at once.
type gatherer struct {
	of map[string]*rowReader
	at *rowReader // of the term at hand
}

func (g *gatherer) term(t []byte) bool {
	g.at = nil
	for n := min(longestBeginning, len(t)); n > 0; n-- {
		if r := g.of[string(t[:n])]; r != nil {
			g.at = r
			return r.term(t)
		}
	}
	return false
}

func (g *gatherer) rows(b []byte, row int64) (int64, int, bool) { return g.at.rows(b, row) }

func (g *gatherer) more([]byte) {}
