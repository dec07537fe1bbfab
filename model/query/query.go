package query

import (
	"slices"
	"strings"
	"unicode"

	"hermes-sessions/model/match"
)

// Query is what a person typed into the search line, understood. There are no
// errors: whatever was typed means something. The zero value matches all.
type Query struct {
	Text    string        // as typed
	Groups  []match.Group // alternatives (OR); a match satisfies at least one
	Filters []Filter      // hold for all groups
	Tokens  []Token       // of Text, in their order; what is not in one means nothing
}

// FiltersOnly reports whether there is nothing to look for. Filters alone list.
func (q Query) FiltersOnly() bool { return len(q.Groups) == 0 }

// Terms gives the terms to mark in what was found, each once.
func (q Query) Terms() []match.Term { return match.Terms(q.Groups) }

// Hints gives what a person should know about how the query is understood.
func (q Query) Hints() []string {
	var all []string
	for _, p := range q.Tokens {
		if p.Hint != "" && !slices.Contains(all, p.Hint) {
			all = append(all, p.Hint)
		}
	}
	return all
}

// String prints how the query was understood, in the query language: parsed
// again, it gives the same groups and filters.
func (q Query) String() string {
	var b strings.Builder
	for i, g := range q.Groups {
		if i > 0 {
			b.WriteString(" OR ")
		}
		for j, t := range g.All {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(FormatTerm(t))
		}
		for _, t := range g.Not {
			b.WriteString(" -" + FormatTerm(t))
		}
	}
	for i, f := range q.Filters {
		if i > 0 || len(q.Groups) > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(f.String())
	}
	return b.String()
}

// FormatTerm gives a term as the query language has it.
func FormatTerm(t match.Term) string {
	s := t.Text
	_, _, filter := splitFilter(s)
	plain := !filter && trimPunctuation(s) == s && operatorOf(s) == noOperator && (s[0] != '-' || strings.HasPrefix(s, "--")) && !strings.ContainsFunc(s, unicode.IsSpace)
	if !plain {
		s = `"` + s + `"`
	}
	if t.Prefix {
		s += "*"
	}
	return s
}

// Token is a stretch of a query's text: Text[Start:End].
type Token struct {
	Start, End int // bytes
	Kind       TokenKind
	Field      Field  // of a filter, also of one that is not understood (yet)
	ValueStart int    // where the value of a filter begins
	Hint       string // what a person should know about how it is understood, "" for nothing
}

// TokenKind says what a piece of a query is.
type TokenKind int

// The kinds of pieces.
const (
	TokenWord       TokenKind = iota
	TokenPhrase               // in quotes
	TokenExcluded             // a word or a phrase that may not occur
	TokenOperator             // AND, OR, NOT
	TokenFilter               // a filter in force
	TokenIncomplete           // a filter without a value that says anything yet: it is passed over
	TokenIgnored              // punctuation, passed over
)
