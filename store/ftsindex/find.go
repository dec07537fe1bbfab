package ftsindex

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// Expr is a question to an index.
type Expr struct {
	op    operator
	terms []string               // of a phrase, as stored
	open  bool                   // the last of them may go on
	fits  func(term []byte) bool // of those that it may be then; nil for all
	first bool                   // nothing stands before it, see [Index.First]
	after []string               // one of these stands before it, see [Index.After]
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

// Inside asks an index of trigrams for the rows that have a text with another
// character behind it, as there always is but at the very end of a column, if
// fits, unless it is nil, says yes to the last three characters; their bytes
// are gone after the call. The text may end within a character. ok is false
// for texts and indexes that can not be asked.
func (x *Index) Inside(text string, fits func(three []byte) bool) (e Expr, ok bool) {
	if text == "" || strings.Contains(text, "\x00") || !x.tokens.trigrams || x.tokens.keepCase {
		return Expr{}, false
	}
	e = Expr{op: phrase, open: true, fits: fits}
	if !utf8.ValidString(text) {
		e.terms = []string{text}
		return e, len(text) < utf8.UTFMax
	}
	var folded []rune
	for _, r := range text {
		if r = fold(r, x.tokens.accents); r == 0 {
			return Expr{}, false // accents are not stored
		}
		folded = append(folded, r)
	}
	for i := 3; i <= len(folded); i++ {
		e.terms = append(e.terms, string(folded[i-3:i]))
	}
	e.terms = append(e.terms, string(folded[max(0, len(folded)-2):]))
	return e, true
}

// First asks an index of trigrams for the rows that begin with a text of up to
// three characters. It may give others, rows that are gone among them. ok is false
// for texts and indexes that can not be asked.
func (x *Index) First(text string) (e Expr, ok bool) {
	if utf8.RuneCountInString(text) > 3 || !utf8.ValidString(text) {
		return Expr{}, false
	}
	e, ok = x.Inside(text, nil)
	if ok {
		e.terms, e.first = e.terms[:1], true
	}
	return e, ok
}

// After asks an index of trigrams for the rows that have a text of three
// characters or more behind one of some characters. ok is false for texts and
// indexes that can not be asked.
func (x *Index) After(characters []rune, text string) (e Expr, ok bool) {
	if e, ok = x.Phrase(text, false); !ok || len(e.terms) == 0 || !x.tokens.trigrams {
		return Expr{}, false
	}
	runes := []rune(e.terms[0])
	for _, c := range characters {
		e.after = append(e.after, string(append([]rune{c}, runes[:2]...)))
	}
	return e, true
}

// And asks for the rows of all expressions.
func And(of ...Expr) Expr { return Expr{op: and, of: of} }

// Or asks for the rows of any of the expressions.
func Or(of ...Expr) Expr { return Expr{op: or, of: of} }

// Not asks for the rows of an expression that are none of others.
func Not(e Expr, none ...Expr) Expr { return Expr{op: not, of: append([]Expr{e}, none...)} }

// Find gives the rows that satisfy an expression. The set is the caller's. A
// cancelled ctx ends it within a few milliseconds, with the error of ctx.
func (x *Index) Find(ctx context.Context, e Expr) (*Set, error) { return x.FindAmong(ctx, e, nil) }

// FindAmong gives the rows of within that satisfy an expression, and maybe other
// rows; all rows that satisfy it if within is nil. The fewer rows within has, the
// less is read. The set is the caller's.
func (x *Index) FindAmong(ctx context.Context, e Expr, within *Set) (*Set, error) {
	if can, err := x.can(ctx, e); err != nil || !can {
		return &Set{}, err
	}
	switch e.op {
	case or:
		all := &Set{}
		for i, o := range e.of {
			if slices.ContainsFunc(e.of[:i], o.within) || slices.ContainsFunc(e.of[i+1:], o.beyond) {
				continue
			}
			s, err := x.FindAmong(ctx, o, within)
			if err != nil {
				return nil, err
			}
			all.Union(s)
			if within == nil {
				continue
			}
			if within = Without(within, s); within.Empty() { // what was found need not be looked for again
				break
			}
		}
		return all, nil
	case and:
		// What is quick comes first: it leaves fewer rows for the others.
		of := slices.Clone(e.of)
		slices.SortStableFunc(of, func(a, b Expr) int { return x.effort(a) - x.effort(b) })
		for i, o := range of {
			s, err := x.FindAmong(ctx, o, within)
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
		s, err := x.FindAmong(ctx, e.of[0], within)
		for _, o := range e.of[1:] {
			if err != nil || s.Empty() {
				return s, err
			}
			var none *Set
			if none, err = x.FindAmong(ctx, o, s); err == nil {
				s.Subtract(none)
			}
		}
		return s, err
	}
	if e.first {
		return x.beginning(ctx, e.terms[0])
	}
	return x.phrase(ctx, e, within)
}

// can reports whether all terms that a row must have stand anywhere: to look for
// them takes less than to read the rows of any.
func (x *Index) can(ctx context.Context, e Expr) (bool, error) {
	if e.op == phrase {
		for i, t := range e.terms {
			if there, err := x.stands(ctx, stem{t, e.open && i == len(e.terms)-1}); !there {
				return false, err
			}
		}
		return true, nil
	}
	of, can := e.of, e.op != or
	if e.op == not {
		of = of[:1]
	}
	for _, o := range of {
		var err error
		if can, err = x.can(ctx, o); err != nil || can == (e.op == or) {
			return can, err
		}
	}
	return can, nil
}

// within reports whether every row of e is one of o, as far as two single words
// tell: o is the beginning of e.
func (e Expr) within(o Expr) bool {
	return e.op == phrase && o.op == phrase && len(e.terms) == 1 && len(o.terms) == 1 && o.open && o.fits == nil && !o.first && len(o.after) == 0 &&
		strings.HasPrefix(e.terms[0], o.terms[0])
}

// beyond reports whether every row of e is one of o, but not the other way round,
// as far as two single words tell.
func (e Expr) beyond(o Expr) bool { return e.within(o) && !o.within(e) }

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
