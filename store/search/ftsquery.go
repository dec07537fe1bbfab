package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-sessions/store/search/fts"
)

// ftsQuery is what a full-text table is asked, whoever answers it: FTS5 in its
// own language, or the reader of its pages.
type ftsQuery struct {
	operator string // "" for text, else AND, OR, NOT (the first, none of the others) INSIDE, FIRST or AFTER
	text     string
	prefix   bool // the last word may go on
	accepts  func(three []byte) bool
	symbols  []rune // one of these stands next to the text
	operands []ftsQuery
}

func phrase(text string, prefix bool) ftsQuery { return ftsQuery{text: text, prefix: prefix} }

// contains asks an index of trigrams for a text with another character behind it,
// if the last three together fit, which only the reader of its pages can
// answer. It misses what stands at the very end of a row: of a tool's name or
// its arguments, which end in JSON's brackets.
func contains(text string, fits func(three []byte) bool) ftsQuery {
	return ftsQuery{operator: "INSIDE", text: text, accepts: fits}
}

// atStart asks an index of trigrams for the rows that begin with a text of up to
// three characters, which only the reader of its pages can answer. It may find
// others, messages that are gone among them.
func atStart(text string) ftsQuery { return ftsQuery{operator: "FIRST", text: text} }

// followedBy asks an index of trigrams for a text of two characters or more behind one
// of some, which only the reader of its pages can answer quickly.
func followedBy(characters []rune, text string) ftsQuery {
	if utf8.RuneCountInString(text) > 2 {
		return ftsQuery{operator: "AFTER", text: text, symbols: characters}
	}
	var of []ftsQuery
	for _, c := range characters {
		of = append(of, phrase(string(c)+text, false))
	}
	return anyOf(of...)
}

func combine(op string, of []ftsQuery) ftsQuery {
	if op != "NOT" {
		of = dedupe(of)
	}
	if len(of) == 1 {
		return of[0]
	}
	return ftsQuery{operator: op, operands: of}
}

// dedupe leaves out texts that are asked for already.
func dedupe(of []ftsQuery) []ftsQuery {
	type asked struct {
		text   string
		prefix bool
	}
	seen := make(map[asked]bool, len(of))
	return slices.DeleteFunc(slices.Clone(of), func(q ftsQuery) bool {
		if q.operator != "" {
			return false
		}
		was := seen[asked{q.text, q.prefix}]
		seen[asked{q.text, q.prefix}] = true
		return was
	})
}

func allOf(of ...ftsQuery) ftsQuery { return combine("AND", of) }

func anyOf(of ...ftsQuery) ftsQuery { return combine("OR", of) }

// matchExpression spells the question for MATCH, every text in quotes so that nothing in
// it is syntax.
func (q ftsQuery) matchExpression() string {
	if q.operator == "" {
		s := `"` + strings.ReplaceAll(q.text, `"`, `""`) + `"`
		if q.prefix {
			s += " *"
		}
		return s
	}
	parts := make([]string, len(q.operands))
	for i, o := range q.operands {
		parts[i] = o.matchExpression()
		if o.operator != "" {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	if q.operator == "NOT" && len(parts) > 2 {
		return parts[0] + " NOT (" + strings.Join(parts[1:], " OR ") + ")"
	}
	return strings.Join(parts, " "+q.operator+" ")
}

// indexExpression spells the question for the reader of an index; ok is false where only
// FTS5 can read a text of it.
func (q ftsQuery) indexExpression(x *fts.Index) (e fts.Expr, ok bool) {
	switch q.operator {
	case "":
		return x.Phrase(q.text, q.prefix)
	case "INSIDE":
		return x.Substring(q.text, q.accepts)
	case "FIRST":
		return x.AtStart(q.text)
	case "AFTER":
		return x.FollowedBy(q.symbols, q.text)
	}
	of := make([]fts.Expr, len(q.operands))
	for i, o := range q.operands {
		if of[i], ok = o.indexExpression(x); !ok {
			return e, false
		}
	}
	switch q.operator {
	case "AND":
		return fts.And(of...), true
	case "OR":
		return fts.Or(of...), true
	}
	return fts.Not(of[0], of[1:]...), true
}
