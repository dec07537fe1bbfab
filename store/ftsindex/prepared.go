package ftsindex

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
)

// prepared is the rows of the terms and beginnings of terms that many rows have,
// as the oldest segments of an index know them. It is never changed.
type prepared struct {
	segments []segment // what it was made of, oldest first
	limit    int64
	sets     map[stem]*Set
}

// stem is a term or, open, all that begin so.
type stem struct {
	text string
	open bool
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
	// heavyPages is how many pages make a term worth preparing: they take about
	// a millisecond to read.
	heavyPages = 128
	// longestBeginning is how many characters of a beginning are prepared. What
	// has more is seldom heavy.
	longestBeginning = 4
)

// Prepare reads the rows of the heaviest terms and beginnings of terms, these of
// up to four characters, and keeps as many as take at most so many bytes. It
// reads the whole index, so it is for a goroutine of its own, with a copy of the
// index and a transaction of its own.
func (x *Index) Prepare(ctx context.Context, bytes int) error {
	return x.prepare(ctx, bytes, heavyPages)
}

func (x *Index) prepare(ctx context.Context, bytes, least int) error {
	p := &prepared{segments: x.settled(), limit: x.limit, sets: map[stem]*Set{}}
	g := gatherer{words: map[string]map[string]*rowReader{}, begins: map[string]*rowReader{}}
	of := map[stem]*rowReader{}
	stems, err := x.heavy(ctx, p.segments, least)
	if err != nil {
		return err
	}
	for _, b := range stems {
		if bytes -= int(x.limit/8) + 1; bytes < 0 {
			break
		}
		of[b] = &rowReader{limit: x.limit}
		if b.open {
			g.begins[b.text] = of[b]
		} else {
			alike := beginning(b.text)
			if g.words[alike] == nil {
				g.words[alike] = map[string]*rowReader{}
			}
			g.words[alike][b.text] = of[b]
		}
	}
	for i := len(p.segments) - 1; i >= 0 && len(of) > 0; i-- { // newest first
		if err := x.walkSegment(ctx, &p.segments[i], key(""), false, nil, &g); err != nil {
			return err
		}
	}
	// What a longer one took is of the shorter ones too.
	for _, b := range slices.SortedFunc(maps.Keys(of), func(a, b stem) int { return b.size() - a.size() }) {
		for n := (b.size() - 1) / 2; n > 0; n-- {
			if r := g.begins[b.text[:n]]; r != nil {
				r.set.Union(&of[b].set)
				break
			}
		}
		p.sets[b] = &of[b].set
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

// parts gives the rows of the terms that begin so, as far as they are there.
func (p *prepared) parts(beginning string) map[string]*Set {
	var parts map[string]*Set
	for b, rows := range p.sets {
		if !b.open && strings.HasPrefix(b.text, beginning) {
			if parts == nil {
				parts = map[string]*Set{}
			}
			parts[b.text] = rows
		}
	}
	return parts
}

// size puts a term between its beginning that is as long and longer ones.
func (b stem) size() int {
	if b.open {
		return 2 * len(b.text)
	}
	return 2*len(b.text) + 1
}

// heavy gives the terms that stand on so many pages or more, and the beginnings
// the other terms of which do, the heaviest first.
func (x *Index) heavy(ctx context.Context, segments []segment, least int) ([]stem, error) {
	pages := map[stem]int{}
	for i := range segments {
		s := &segments[i]
		g := &s.terms
		for n, page := range g.pages {
			next := int32(s.last + 1)
			if n+1 < len(g.pages) {
				next = g.pages[n+1]
			}
			if int(next-page) >= least {
				// One term fills these pages: the last that begins on the first of them.
				last, err := x.lastTerm(ctx, s, int64(page))
				if err != nil {
					return nil, err
				}
				if last != "" {
					pages[stem{last, false}] += int(next - page)
					continue
				}
			}
			term := string(bytes.TrimPrefix(g.term(n), key("")))
			for size := 1; size <= min(longestBeginning, len(term)) && plain(term[size-1]); size++ {
				pages[stem{term[:size], true}] += int(next - page)
			}
		}
	}
	maps.DeleteFunc(pages, func(_ stem, n int) bool { return n < least })
	return slices.SortedFunc(maps.Keys(pages), func(a, b stem) int {
		return cmp.Or(pages[b]-pages[a], cmp.Compare(a.text, b.text), cmp.Compare(a.size(), b.size()))
	}), nil
}

// lastTerm gives the last term that begins on a page, "" for none.
func (x *Index) lastTerm(ctx context.Context, s *segment, page int64) (string, error) {
	b, err := x.block(ctx, s.id<<leafBits|page)
	if err != nil {
		return "", err
	}
	var last namer
	w := walk{x: x, into: &last, want: key("")}
	if err := w.page(b); err != nil && err != errStop {
		return "", err
	}
	return string(last), nil
}

// namer remembers the last term that it comes to.
type namer []byte

func (n *namer) term(t []byte) bool {
	*n = append((*n)[:0], t...)
	return false
}

func (n *namer) rows(_ []byte, row int64) (int64, int, bool) { return row, 0, true }

func (n *namer) more([]byte) {}

// plain reports whether a byte of a folded term is a character.
func plain(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// gatherer reads the rows of many terms and beginnings at once. It is asked of
// every term of the index, and terms come in order: what is wanted of those that
// begin alike is looked up once.
type gatherer struct {
	words  map[string]map[string]*rowReader // by what they begin with
	begins map[string]*rowReader

	alike []byte                // what the term at hand begins with
	whole map[string]*rowReader // that begin so
	begun *rowReader            // of the longest beginning that is wanted
	at    *rowReader            // of the term at hand
}

func (g *gatherer) term(t []byte) bool {
	if alike := beginning(t); !bytes.Equal(alike, g.alike) {
		g.alike = append(g.alike[:0], alike...)
		g.whole, g.begun = g.words[string(alike)], nil
		for n := len(alike); g.begun == nil && n > 0; n-- {
			g.begun = g.begins[string(alike[:n])]
		}
	}
	g.at = g.begun
	if r := g.whole[string(t)]; r != nil {
		g.at = r
	}
	return g.at != nil && g.at.term(t)
}

// beginning gives the longest beginning of a term that is prepared.
func beginning[T string | []byte](term T) T { return term[:min(longestBeginning, len(term))] }

func (g *gatherer) rows(b []byte, row int64) (int64, int, bool) { return g.at.rows(b, row) }

func (g *gatherer) more([]byte) {}
