package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-sessions/store/search/fts"
)

// ftsQuery is a query to a full-text table: a phrase, or an operator with
// operands. It is written either as a MATCH expression for FTS5 or as an
// expression for the reader of the index.
type ftsQuery struct {
	operator ftsOperator
	text     string
	prefix   bool                    // the last word of the phrase may go on
	accepts  func(three []byte) bool // of opContains, nil for any
	symbols  []rune                  // of opFollowedBy
	operands []ftsQuery
}

// ftsOperator says how the operands of a query belong together.
type ftsOperator string

// The operators. FTS5 knows the first four; the others are for the reader of a
// trigram index only.
const (
	opPhrase ftsOperator = "" // the words of text, one after the other
	opAnd    ftsOperator = "AND"
	opOr     ftsOperator = "OR"
	opNot    ftsOperator = "NOT" // the first operand and none of the others

	opContains   ftsOperator = "CONTAINS"
	opAtStart    ftsOperator = "AT START"
	opFollowedBy ftsOperator = "FOLLOWED BY"
)

// phrase finds the words of a text, one after the other. With prefix the last
// one may be longer.
func phrase(text string, prefix bool) ftsQuery { return ftsQuery{text: text, prefix: prefix} }

// contains finds in a trigram index a text with another character behind it. With
// accepts, the last two characters of the text and the one behind them must pass
// it. It misses a text at the very end of a row, which is the end of a tool's name
// or of its JSON arguments.
func contains(text string, accepts func(three []byte) bool) ftsQuery {
	return ftsQuery{operator: opContains, text: text, accepts: accepts}
}

// atStart finds in a trigram index the rows that begin with a text of up to three
// characters. It may give others too, deleted messages among them.
func atStart(text string) ftsQuery { return ftsQuery{operator: opAtStart, text: text} }

// followedBy finds in a trigram index one of some characters with a text of two
// characters or more behind it.
func followedBy(characters []rune, text string) ftsQuery {
	if utf8.RuneCountInString(text) > 2 {
		return ftsQuery{operator: opFollowedBy, text: text, symbols: characters}
	}
	var operands []ftsQuery
	for _, c := range characters {
		operands = append(operands, phrase(string(c)+text, false))
	}
	return anyOf(operands...)
}

// combine joins queries by an operator. One operand needs none.
func combine(operator ftsOperator, operands []ftsQuery) ftsQuery {
	if operator != opNot {
		operands = dedupe(operands)
	}
	if len(operands) == 1 {
		return operands[0]
	}
	return ftsQuery{operator: operator, operands: operands}
}

// dedupe leaves out phrases that are among the queries already.
func dedupe(queries []ftsQuery) []ftsQuery {
	type key struct {
		text   string
		prefix bool
	}
	seen := make(map[key]bool, len(queries))
	return slices.DeleteFunc(slices.Clone(queries), func(q ftsQuery) bool {
		if q.operator != opPhrase {
			return false
		}
		duplicate := seen[key{q.text, q.prefix}]
		seen[key{q.text, q.prefix}] = true
		return duplicate
	})
}

// allOf finds the rows that all of some queries find.
func allOf(operands ...ftsQuery) ftsQuery { return combine(opAnd, operands) }

// anyOf finds the rows that any of some queries finds.
func anyOf(operands ...ftsQuery) ftsQuery { return combine(opOr, operands) }

// matchExpression writes the query for MATCH. Every text is quoted, so that nothing in
// it is syntax.
func (q ftsQuery) matchExpression() string {
	if q.operator == opPhrase {
		s := `"` + strings.ReplaceAll(q.text, `"`, `""`) + `"`
		if q.prefix {
			s += " *"
		}
		return s
	}
	parts := make([]string, len(q.operands))
	for i, o := range q.operands {
		parts[i] = o.matchExpression()
		if o.operator != opPhrase {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	if q.operator == opNot && len(parts) > 2 {
		return parts[0] + " NOT (" + strings.Join(parts[1:], " OR ") + ")"
	}
	return strings.Join(parts, " "+string(q.operator)+" ")
}

// indexExpression writes the query for the reader of an index. ok is false when
// only FTS5 can split a text of it into words.
func (q ftsQuery) indexExpression(x *fts.Index) (e fts.Expr, ok bool) {
	switch q.operator {
	case opPhrase:
		return x.Phrase(q.text, q.prefix)
	case opContains:
		return x.Substring(q.text, q.accepts)
	case opAtStart:
		return x.AtStart(q.text)
	case opFollowedBy:
		return x.FollowedBy(q.symbols, q.text)
	}
	operands := make([]fts.Expr, len(q.operands))
	for i, o := range q.operands {
		if operands[i], ok = o.indexExpression(x); !ok {
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
