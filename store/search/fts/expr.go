package fts

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// Expr is a question to an index.
type Expr struct {
	op         exprOp
	terms      []string               // of a phrase, as stored
	prefix     bool                   // the last of them may go on
	accepts    func(term []byte) bool // of those that it may be then; nil for all
	atStart    bool                   // nothing stands before it, see [Index.First]
	precededBy []string               // one of these stands before it, see [Index.After]
	operands   []Expr
}

type exprOp int

const (
	opPhrase exprOp = iota
	opAnd
	opOr
	opNot // the first, none of the others
)

// Phrase asks for the words of a text, one after the other in one column, as
// FTS5 does for a text in double quotes; the last of them may go on where
// prefix is set. A text without words is in no row. ok is false for text that
// only FTS5 can read.
func (x *Index) Phrase(text string, prefix bool) (e Expr, ok bool) {
	terms, ok := x.tokenizer.tokens(text)
	return Expr{op: opPhrase, terms: terms, prefix: prefix}, ok
}

// Substring asks an index of trigrams for the rows that have a text with another
// character behind it, as there always is but at the very end of a column, if
// fits, unless it is nil, says yes to the last three characters; their bytes
// are gone after the call. The text may end within a character. ok is false
// for texts and indexes that can not be asked.
func (x *Index) Substring(text string, fits func(three []byte) bool) (e Expr, ok bool) {
	if text == "" || strings.Contains(text, "\x00") || !x.tokenizer.trigram || x.tokenizer.caseSensitive {
		return Expr{}, false
	}
	e = Expr{op: opPhrase, prefix: true, accepts: fits}
	if !utf8.ValidString(text) {
		e.terms = []string{text}
		return e, len(text) < utf8.UTFMax
	}
	var folded []rune
	for _, r := range text {
		if r = fold(r, x.tokenizer.removeDiacritics); r == 0 {
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

// AtStart asks an index of trigrams for the rows that begin with a text of up to
// three characters. It may give others, rows that are gone among them. ok is false
// for texts and indexes that can not be asked.
func (x *Index) AtStart(text string) (e Expr, ok bool) {
	if utf8.RuneCountInString(text) > 3 || !utf8.ValidString(text) {
		return Expr{}, false
	}
	e, ok = x.Substring(text, nil)
	if ok {
		e.terms, e.atStart = e.terms[:1], true
	}
	return e, ok
}

// FollowedBy asks an index of trigrams for the rows that have a text of three
// characters or more behind one of some characters. ok is false for texts and
// indexes that can not be asked.
func (x *Index) FollowedBy(characters []rune, text string) (e Expr, ok bool) {
	if e, ok = x.Phrase(text, false); !ok || len(e.terms) == 0 || !x.tokenizer.trigram {
		return Expr{}, false
	}
	runes := []rune(e.terms[0])
	for _, c := range characters {
		e.precededBy = append(e.precededBy, string(append([]rune{c}, runes[:2]...)))
	}
	return e, true
}

// And asks for the rows of all expressions.
func And(of ...Expr) Expr { return Expr{op: opAnd, operands: of} }

// Or asks for the rows of any of the expressions.
func Or(of ...Expr) Expr { return Expr{op: opOr, operands: of} }

// Not asks for the rows of an expression that are none of others.
func Not(e Expr, none ...Expr) Expr { return Expr{op: opNot, operands: append([]Expr{e}, none...)} }

// Search gives the rows that satisfy an expression. The set is the caller's. A
// cancelled ctx ends it within a few milliseconds, with the error of ctx.
func (x *Index) Search(ctx context.Context, e Expr) (*Set, error) { return x.SearchAmong(ctx, e, nil) }

// SearchAmong gives the rows of within that satisfy an expression, and maybe other
// rows; all rows that satisfy it if within is nil. The fewer rows within has, the
// less is read. The set is the caller's.
func (x *Index) SearchAmong(ctx context.Context, e Expr, within *Set) (*Set, error) {
	if can, err := x.mayMatch(ctx, e); err != nil || !can {
		return &Set{}, err
	}
	switch e.op {
	case opOr:
		all := &Set{}
		for i, o := range e.operands {
			if slices.ContainsFunc(e.operands[:i], o.impliedBy) || slices.ContainsFunc(e.operands[i+1:], o.narrowerThan) {
				continue
			}
			s, err := x.SearchAmong(ctx, o, within)
			if err != nil {
				return nil, err
			}
			all.Union(s)
			if within == nil {
				continue
			}
			if within = Difference(within, s); within.Empty() { // what was found need not be looked for again
				break
			}
		}
		return all, nil
	case opAnd:
		// What is quick comes first: it leaves fewer rows for the others.
		of := slices.Clone(e.operands)
		slices.SortStableFunc(of, func(a, b Expr) int { return x.cost(a) - x.cost(b) })
		for i, o := range of {
			s, err := x.SearchAmong(ctx, o, within)
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
	case opNot:
		s, err := x.SearchAmong(ctx, e.operands[0], within)
		for _, o := range e.operands[1:] {
			if err != nil || s.Empty() {
				return s, err
			}
			var none *Set
			if none, err = x.SearchAmong(ctx, o, s); err == nil {
				s.Subtract(none)
			}
		}
		return s, err
	}
	if e.atStart {
		return x.rowsStartingWith(ctx, e.terms[0])
	}
	return x.searchPhrase(ctx, e, within)
}

// mayMatch reports whether all terms that a row must have stand anywhere: to look for
// them takes less than to read the rows of any.
func (x *Index) mayMatch(ctx context.Context, e Expr) (bool, error) {
	if e.op == opPhrase {
		for i, t := range e.terms {
			if there, err := x.hasTerm(ctx, termID{t, e.prefix && i == len(e.terms)-1}); !there {
				return false, err
			}
		}
		return true, nil
	}
	of, can := e.operands, e.op != opOr
	if e.op == opNot {
		of = of[:1]
	}
	for _, o := range of {
		var err error
		if can, err = x.mayMatch(ctx, o); err != nil || can == (e.op == opOr) {
			return can, err
		}
	}
	return can, nil
}

// impliedBy reports whether every row of e is one of o, as far as two single words
// tell: o is the beginning of e.
func (e Expr) impliedBy(o Expr) bool {
	return e.op == opPhrase && o.op == opPhrase && len(e.terms) == 1 && len(o.terms) == 1 && o.prefix && o.accepts == nil && !o.atStart && len(o.precededBy) == 0 &&
		strings.HasPrefix(e.terms[0], o.terms[0])
}

// narrowerThan reports whether every row of e is one of o, but not the other way round,
// as far as two single words tell.
func (e Expr) narrowerThan(o Expr) bool { return e.impliedBy(o) && !o.impliedBy(e) }

// cost puts expressions in order: how many pages tell about where they can
// be, a phrase's lightest word or all of several phrases.
func (x *Index) cost(e Expr) int {
	if e.op == opPhrase {
		least := 0
		for i, s := range e.phraseTerms() {
			if n := x.leafCount(s); i == 0 || n < least {
				least = n
			}
		}
		return least
	}
	n := 1
	for _, o := range e.operands {
		n += x.cost(o)
	}
	return n
}
