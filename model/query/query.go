package query

import (
	"slices"
	"strings"
	"unicode"

	"hermes-sessions/model/match"
)

// Query is a parsed query ([Parse]). The zero value matches everything.
type Query struct {
	Text    string        // as typed
	Groups  []match.Group // alternatives (OR); a match satisfies at least one
	Filters []Filter      // apply to all groups
	Tokens  []Token       // the elements of Text, in order
	Named   *Named        // the first named query that the text uses, nil for none
}

// FiltersOnly reports whether the query has no search terms. Such a query is a
// list, not a search.
func (q Query) FiltersOnly() bool { return len(q.Groups) == 0 }

// Terms returns the terms to highlight in a result, each once.
func (q Query) Terms() []match.Term { return match.Terms(q.Groups) }

// Hints returns the hints of all tokens, each once.
func (q Query) Hints() []string {
	var all []string
	for _, t := range q.Tokens {
		if t.Hint != "" && !slices.Contains(all, t.Hint) {
			all = append(all, t.Hint)
		}
	}
	return all
}

// Quoted returns the texts in quotes, also those of the query that the text names.
func (q Query) Quoted() (texts []string) {
	if q.Named != nil {
		texts = Parse(q.Named.Text, false).Quoted()
	}
	for _, t := range q.Tokens {
		if t.Kind == TokenPhrase {
			texts = append(texts, strings.Trim(q.Text[t.Start:t.End], `"* `))
		}
	}
	return texts
}

// WithoutQuotes returns the query with the words of its quotes as words; ok is false where it
// has none.
func (q Query) WithoutQuotes() (words Query, ok bool) {
	text := []byte(q.Text)
	for _, t := range q.Tokens {
		if t.Kind == TokenPhrase {
			ok = true
			for i := t.Start; i < t.End; i++ {
				if text[i] == '"' {
					text[i] = ' '
				}
			}
		}
	}
	if words = Parse(string(text), false); words.FiltersOnly() {
		return Query{}, false
	}
	return words, ok
}

// Mistake says what is wrong with a query of nothing but filters of which none can be read, as
// is:bogus, and is "" for any other query. Such a query finds nothing: its words were not
// meant as text.
func (q Query) Mistake() string {
	var mistakes []string
	for _, t := range q.Tokens {
		text := q.Text[t.Start:t.End]
		if _, _, ok := splitFilter(text); t.Kind != TokenWord || t.Hint == "" || !ok {
			return ""
		}
		reason, _, _ := strings.Cut(t.Hint, "; ")
		mistakes = append(mistakes, text+": "+reason)
	}
	return strings.Join(mistakes, "; ")
}

// Advice returns what to try where nothing matches, as "Try fewer words". during is the
// stretch of time that the whole query names, "" where it names something else.
func (q Query) Advice(during string) string {
	terms := len(q.Terms())
	switch {
	case q.Mistake() != "":
		return q.Mistake()
	case during != "":
		return "For what began then, try started:" + during
	case slices.ContainsFunc(q.Tokens, func(t Token) bool { return t.Kind == TokenPhrase }):
		return "Try it without quotes, which find only the exact text"
	case terms == 0:
		return "Try other filters"
	case len(q.Filters) > 0:
		return "Try fewer filters or words"
	case !slices.ContainsFunc(q.Terms(), func(t match.Term) bool { return strings.ContainsFunc(t.Text, isWordRune) }):
		return "Add a word to the symbols"
	case terms == 1:
		return "Try another word"
	}
	return "Try fewer words"
}

// String returns the query in a canonical form. Parsed again, it has the same groups
// and filters.
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
			b.WriteString(" -" + formatExcluded(t))
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

// FormatTerm returns a term in the syntax of the query language, quoted where it
// would parse differently.
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

// formatExcluded returns a term in the syntax of the query language that reads it
// behind a minus. A word that would be an option there is quoted.
func formatExcluded(t match.Term) string {
	s := FormatTerm(t)
	if optionLength(t.Text) > 0 {
		s = `"` + t.Text + `"`
		if t.Prefix {
			s += "*"
		}
	}
	return s
}

// Token is one element of a query's text: Text[Start:End].
type Token struct {
	Start, End int // bytes
	Kind       TokenKind
	Field      Field  // of TokenFilter and TokenIncomplete
	ValueStart int    // offset of a filter's value in Text
	Hint       string // why the element is read this way, where that may surprise; else ""
}

// TokenKind is the kind of an element.
type TokenKind int

// The kinds of elements.
const (
	TokenWord       TokenKind = iota
	TokenPhrase               // in quotes
	TokenExcluded             // a word or a phrase that must not occur
	TokenOperator             // AND, OR, NOT
	TokenFilter               // a filter that applies
	TokenIncomplete           // a filter whose value is still being typed; it does not apply yet
	TokenIgnored              // punctuation or an empty phrase
	TokenNamed                // the name of a query, which stands for it
)

// isWordRune reports whether a character is a letter or a digit.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
