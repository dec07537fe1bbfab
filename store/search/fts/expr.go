package fts

import (
	"strings"
	"unicode/utf8"
)

// Expr is a query expression. Phrases and substrings are made by the methods of
// the index that they are for.
type Expr struct {
	op exprOp

	// of opPhrase
	terms      []string               // as the tokenizer gives them
	prefix     bool                   // the last term is a prefix
	accepts    func(term []byte) bool // which terms with the prefix match; nil for all
	atStart    bool                   // the row begins with it, see [Index.AtStart]
	precededBy []string               // one of these terms comes directly before it, see [Index.FollowedBy]
	early      int64                  // it begins before this token, 0 for anywhere, see [Expr.Early]
	unless     []string               // none of these terms comes directly after it, see [Expr.Early]

	operands []Expr // of the other operators
}

type exprOp int

const (
	opPhrase exprOp = iota
	opAnd
	opOr
	opNot // the first operand and none of the others
)

// Phrase is the expression for the tokens of a text, one after the other in one
// column, like a string in double quotes in MATCH. With prefix the last token is a
// prefix. A text without tokens matches no row. ok is false for text that only
// FTS5 can tokenize.
func (ix *Index) Phrase(text string, prefix bool) (e Expr, ok bool) {
	terms, ok := ix.tokenizer.tokens(text)
	return Expr{op: opPhrase, terms: terms, prefix: prefix}, ok
}

// Substring is the expression for the rows of a trigram index that have a text
// with another character after it, as all have but those whose column ends
// there. accepts, unless nil, receives the last two characters of the text and
// the next one, or three that begin with a shorter text, and says whether they
// count; their bytes are valid during the call only. The text may end within a
// character. ok is false for texts and indexes that cannot answer.
func (ix *Index) Substring(text string, accepts func(three []byte) bool) (e Expr, ok bool) {
	if text == "" || strings.Contains(text, "\x00") || !ix.tokenizer.trigram || ix.tokenizer.caseSensitive {
		return Expr{}, false
	}
	e = Expr{op: opPhrase, prefix: true, accepts: accepts}
	if !utf8.ValidString(text) {
		e.terms = []string{text}
		return e, len(text) < utf8.UTFMax
	}
	var folded []rune
	for _, r := range text {
		if r = fold(r, ix.tokenizer.removeDiacritics); r == 0 {
			return Expr{}, false // diacritics are not stored
		}
		folded = append(folded, r)
	}
	for i := 3; i <= len(folded); i++ {
		e.terms = append(e.terms, string(folded[i-3:i]))
	}
	e.terms = append(e.terms, string(folded[max(0, len(folded)-2):]))
	return e, true
}

// AtStart is the expression for the rows of a trigram index that begin with a
// text of up to three characters. The answer may have other rows, deleted ones
// among them. ok is false for texts and indexes that cannot answer.
func (ix *Index) AtStart(text string) (e Expr, ok bool) {
	if utf8.RuneCountInString(text) > 3 || !utf8.ValidString(text) {
		return Expr{}, false
	}
	e, ok = ix.Substring(text, nil)
	if ok {
		e.terms, e.atStart = e.terms[:1], true
	}
	return e, ok
}

// FollowedBy is the expression for the rows of a trigram index in which one of
// some characters is followed by a text of three characters or more. ok is false
// for texts and indexes that cannot answer.
func (ix *Index) FollowedBy(characters []rune, text string) (e Expr, ok bool) {
	if e, ok = ix.Phrase(text, false); !ok || len(e.terms) == 0 || !ix.tokenizer.trigram {
		return Expr{}, false
	}
	runes := []rune(e.terms[0])
	for _, c := range characters {
		e.precededBy = append(e.precededBy, string(append([]rune{c}, runes[:2]...)))
	}
	return e, true
}

// Early is the expression for those rows of a phrase in which it begins among the first
// tokens of a column, at least once there without one of the terms of unless directly
// after it.
func (e Expr) Early(tokens int, unless []string) Expr {
	e.early, e.unless = int64(tokens), unless
	return e
}

// Continued is the expression for the rows with a word that begins with a text and goes
// on with characters that accepts accepts. first has the bytes that these may begin with.
// accepts receives all of the word after the text; the bytes are valid during the call
// only. The text is a folded word or the beginning of one.
func (ix *Index) Continued(text string, first []byte, accepts func(rest []byte) bool) Expr {
	var operands []Expr
	for _, b := range first {
		operands = append(operands, Expr{
			op: opPhrase, terms: []string{text + string([]byte{b})}, prefix: true,
			accepts: func(term []byte) bool { return accepts(term[len(text):]) },
		})
	}
	return Or(operands...)
}

// And is the expression for the rows that match all operands.
func And(operands ...Expr) Expr { return Expr{op: opAnd, operands: operands} }

// Or is the expression for the rows that match any operand.
func Or(operands ...Expr) Expr { return Expr{op: opOr, operands: operands} }

// Not is the expression for the rows that match e and none of the others.
func Not(e Expr, none ...Expr) Expr { return Expr{op: opNot, operands: append([]Expr{e}, none...)} }

// impliedBy reports whether every row of e is known to be one of o: both are single
// terms, and o is a prefix of e.
func (e Expr) impliedBy(o Expr) bool {
	return e.op == opPhrase && o.op == opPhrase && len(e.terms) == 1 && len(o.terms) == 1 && o.prefix && o.accepts == nil && !o.atStart && len(o.precededBy) == 0 && o.early == 0 &&
		strings.HasPrefix(e.terms[0], o.terms[0])
}

// narrowerThan reports whether every row of e is known to be one of o, and the reverse
// is not.
func (e Expr) narrowerThan(o Expr) bool { return e.impliedBy(o) && !o.impliedBy(e) }
