// Package ftsquery writes queries to a full-text table, for FTS5 and for the reader of
// its index.
package ftsquery

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-sessions/store/search/fts"
)

// Query is a query to a full-text table: a phrase, or an operator with
// operands. It is written either as a MATCH expression for FTS5 or as an
// expression for the reader of the index, package fts.
type Query struct {
	operator operator
	Text     string                  // of a query without operands
	prefix   bool                    // the last word of the phrase may be longer
	accepts  func(three []byte) bool // of opContains, nil for any
	symbols  []rune                  // of opFollowedBy
	early    int                     // of opEarly: among this many first words
	unless   []string                // of opEarly: without one of these after it
	operands []Query
}

// operator says how the operands of a query are combined, or how its text is searched for.
type operator string

// The operators. MATCH has the first four; the others are for the reader of an
// index only, all but opEarly for that of a trigram index.
const (
	opPhrase operator = "" // the words of Text, one after the other
	opAnd    operator = "AND"
	opOr     operator = "OR"
	opNot    operator = "NOT" // the first operand and none of the others

	opContains   operator = "CONTAINS"
	opAtStart    operator = "AT START"
	opFollowedBy operator = "FOLLOWED BY"
	opEarly      operator = "EARLY"
)

// Phrase finds the words of a text, one after the other. With prefix the last
// one may be longer.
func Phrase(text string, prefix bool) Query { return Query{Text: text, prefix: prefix} }

// Early finds a phrase that begins among the first words of a message, as many as words,
// at least once there without one of the words of unless after it.
func Early(text string, prefix bool, words int, unless ...string) Query {
	return Query{operator: opEarly, Text: text, prefix: prefix, early: words, unless: unless}
}

// Contains finds in a trigram index a text with another character after it. With
// accepts, the last two characters of the text and the one after them must pass
// it. It misses a text at the very end of a row, which is the end of a tool's name
// or of its JSON arguments.
func Contains(text string, accepts func(three []byte) bool) Query {
	return Query{operator: opContains, Text: text, accepts: accepts}
}

// AtStart finds in a trigram index the rows that begin with a text of up to three
// characters. It may find others too, deleted messages among them.
func AtStart(text string) Query { return Query{operator: opAtStart, Text: text} }

// FollowedBy finds in a trigram index any of the characters with a text of two
// characters or more after it.
func FollowedBy(characters []rune, text string) Query {
	if utf8.RuneCountInString(text) > 2 {
		return Query{operator: opFollowedBy, Text: text, symbols: characters}
	}
	var operands []Query
	for _, c := range characters {
		operands = append(operands, Phrase(string(c)+text, false))
	}
	return AnyOf(operands...)
}

// combine joins queries by an operator. One operand needs none.
func combine(op operator, operands []Query) Query {
	if len(operands) == 1 {
		return operands[0]
	}
	return Query{operator: op, operands: operands}
}

// dedupe returns the queries with each phrase once.
func dedupe(queries []Query) []Query {
	type key struct {
		Text   string
		prefix bool
	}
	seen := make(map[key]bool, len(queries))
	return slices.DeleteFunc(slices.Clone(queries), func(q Query) bool {
		if q.operator != opPhrase {
			return false
		}
		duplicate := seen[key{q.Text, q.prefix}]
		seen[key{q.Text, q.prefix}] = true
		return duplicate
	})
}

// AllOf finds the rows that all operands find.
func AllOf(operands ...Query) Query { return combine(opAnd, dedupe(operands)) }

// AnyOf finds the rows that any operand finds.
func AnyOf(operands ...Query) Query { return combine(opOr, dedupe(operands)) }

// Not finds the rows that q finds and none of the others.
func Not(q Query, none ...Query) Query { return combine(opNot, append([]Query{q}, none...)) }

// MatchExpression writes the query for MATCH. Every text is quoted, so that nothing in
// it is syntax. The query is of phrases, [AllOf], [AnyOf] and [Not] only: FTS5 has no
// other operators.
func (q Query) MatchExpression() string {
	if q.operator == opPhrase {
		s := `"` + strings.ReplaceAll(q.Text, `"`, `""`) + `"`
		if q.prefix {
			s += " *"
		}
		return s
	}
	parts := make([]string, len(q.operands))
	for i, o := range q.operands {
		parts[i] = o.MatchExpression()
		if o.operator != opPhrase {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	if q.operator == opNot && len(parts) > 2 {
		return parts[0] + " NOT (" + strings.Join(parts[1:], " OR ") + ")"
	}
	return strings.Join(parts, " "+string(q.operator)+" ")
}

// IndexExpression writes the query for the reader of an index. ok is false when
// that index cannot answer: only FTS5 can split a text of the query into words, or the
// operator needs a trigram index.
func (q Query) IndexExpression(ix *fts.Index) (e fts.Expr, ok bool) {
	switch q.operator {
	case opPhrase:
		return ix.Phrase(q.Text, q.prefix)
	case opEarly:
		e, ok = ix.Phrase(q.Text, q.prefix)
		return e.Early(q.early, q.unless), ok
	case opContains:
		return ix.Substring(q.Text, q.accepts)
	case opAtStart:
		return ix.AtStart(q.Text)
	case opFollowedBy:
		return ix.FollowedBy(q.symbols, q.Text)
	}
	operands := make([]fts.Expr, len(q.operands))
	for i, o := range q.operands {
		if operands[i], ok = o.IndexExpression(ix); !ok {
			return e, false
		}
	}
	switch q.operator {
	case opAnd:
		return fts.And(operands...), true
	case opOr:
		return fts.Or(operands...), true
	}
	return fts.Not(operands[0], operands[1:]...), true
}
