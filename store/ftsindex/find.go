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
		// What is quick comes first: it leaves fewer rows for the others.
		of := slices.Clone(e.of)
		slices.SortStableFunc(of, func(a, b Expr) int { return x.effort(a) - x.effort(b) })
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

// effort puts expressions in order: how many pages tell about where they can
// be, a phrase's lightest word or all of several phrases.
func (x *Index) effort(e Expr) int {
	if e.op == phrase {
		least := 0
		for i, s := range e.steps() {
			if n := x.weight(s); i == 0 || n < least {
				least = n
			}
		}
		return least
	}
	n := 1
	for _, o := range e.of {
		n += x.effort(o)
	}
	return n
}
