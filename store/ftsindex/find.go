package ftsindex

import (
	"context"
	"slices"
	"strings"
)

// Expr is a question to an index.
type Expr struct {
	op    operator
	terms []string // of a phrase, as stored
	open  bool     // the last of them may go on
	of    []Expr
}

type operator int

const (
	phrase operator = iota
	and
	or
	not // the first, none of the others
)

// Phrase asks for the words of a text, one after the other in one column, as
// FTS5 does for a text in double quotes; the last of them may go on where
// prefix is set. A text without words is in no row. ok is false for text that
// only FTS5 can read.
func (x *Index) Phrase(text string, prefix bool) (e Expr, ok bool) {
	terms, ok := x.tokens.tokens(text)
	return Expr{op: phrase, terms: terms, open: prefix}, ok
}

// Inside asks an index of trigrams for one or two characters: for the rows
// that have a trigram which begins with them. It does not find what stands at
// the very end of a column. ok is false for other texts and other indexes.
func (x *Index) Inside(text string) (e Expr, ok bool) {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if !x.tokens.keepCase {
			r = fold(r, x.tokens.accents)
		}
		if r == 0 || r == '\uFFFD' {
			return Expr{}, false
		}
		b.WriteRune(r)
		n++
	}
	return Expr{op: phrase, terms: []string{b.String()}, open: true}, x.tokens.trigrams && 0 < n && n < 3
}

// And asks for the rows of all expressions.
func And(of ...Expr) Expr { return Expr{op: and, of: of} }

// Or asks for the rows of any of the expressions.
func Or(of ...Expr) Expr { return Expr{op: or, of: of} }

// Not asks for the rows of an expression that are none of others.
func Not(e Expr, none ...Expr) Expr { return Expr{op: not, of: append([]Expr{e}, none...)} }

// Find gives the rows that satisfy an expression. The set is the caller's. A
// cancelled ctx ends it within a few milliseconds, with the error of ctx.
func (x *Index) Find(ctx context.Context, e Expr) (*Set, error) { return x.find(ctx, e, nil) }

// find does so among some rows only, unless within is nil.
func (x *Index) find(ctx context.Context, e Expr, within *Set) (*Set, error) {
	switch e.op {
	case or:
		all := &Set{}
		for _, o := range e.of {
			s, err := x.find(ctx, o, within)
			if err != nil {
				return nil, err
			}
			all.Union(s)
		}
		return all, nil
	case and:
		// What is quick comes first; the order of phrases by their words.
		of := slices.Clone(e.of)
		slices.SortStableFunc(of, func(a, b Expr) int { return a.effort() - b.effort() })
		for i, o := range of {
			s, err := x.find(ctx, o, within)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				s.Intersect(within)
			}
			if within = s; s.Empty() {
				return s, nil
			}
		}
		if within == nil {
			within = &Set{}
		}
		return within, nil
	case not:
		s, err := x.find(ctx, e.of[0], within)
		for _, o := range e.of[1:] {
			if err != nil || s.Empty() {
				return s, err
			}
			var none *Set
			if none, err = x.find(ctx, o, s); err == nil {
				s.Subtract(none)
			}
		}
		return s, err
	}
	return x.phrase(ctx, e, within)
}

// effort puts expressions in order.
func (e Expr) effort() int {
	if e.op == phrase {
		return len(e.terms)
	}
	n := 1
	for _, o := range e.of {
		n += o.effort()
	}
	return n
}

// phrase finds terms that follow one another.
func (x *Index) phrase(ctx context.Context, e Expr, within *Set) (*Set, error) {
	if len(e.terms) == 0 {
		return &Set{}, nil
	}
	var rows *Set
	done := map[string]bool{}
	for i, t := range e.terms {
		open := e.open && i == len(e.terms)-1
		if done[t] && !open {
			continue
		}
		done[t] = true
		s, err := x.termRows(ctx, t, !open)
		if err != nil {
			return nil, err
		}
		if rows == nil {
			rows = s
		} else {
			rows.Intersect(s)
		}
		if rows.Empty() {
			return rows, nil
		}
	}
	if len(e.terms) == 1 {
		return rows, nil
	}
	if within != nil {
		rows.Intersect(within)
	}
	return x.inOrder(ctx, e, rows)
}

// window is how many rows have their positions in memory at once.
const window = 1 << 17

// inOrder keeps the rows in which the terms of a phrase follow one another.
func (x *Index) inOrder(ctx context.Context, e Expr, rows *Set) (*Set, error) {
	all := rows.Rows()
	found := &Set{}
	for part := range slices.Chunk(all, window) {
		among := rows
		if len(part) < len(all) {
			among = &Set{}
			for _, r := range part {
				among.Add(r)
			}
		}
		var ends []place // where the terms so far end
		for i, t := range e.terms {
			open := e.open && i == len(e.terms)-1
			places, err := x.places(ctx, t, !open, among)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				places = following(ends, places)
			}
			if ends = places; len(ends) == 0 {
				break
			}
			if i < len(e.terms)-1 { // the next term is wanted where this one stood
				among = &Set{}
				for _, p := range ends {
					among.Add(int64(p.row))
				}
			}
		}
		for _, p := range ends {
			found.Add(int64(p.row))
		}
	}
	return found, nil
}

// following keeps the places of b that come right after one of a. Both are in
// order; so is what is left, which stands in b.
func following(a, b []place) []place {
	out := b[:0]
	for _, p := range b {
		for len(a) > 0 && (a[0].row < p.row || a[0].row == p.row && a[0].at+1 < p.at) {
			a = a[1:]
		}
		if len(a) > 0 && a[0].row == p.row && a[0].at+1 == p.at {
			out = append(out, p)
		}
	}
	return out
}
