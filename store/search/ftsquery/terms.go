package ftsquery

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
)

// Terms finds the messages that have all of some terms of words and none of others.
// Excluded terms with symbols are left out: -C# must not exclude every message with a c.
func Terms(all, none []match.Term) Query {
	var words, excluded []Query
	for _, t := range all {
		words = append(words, Term(t))
	}
	for _, t := range none {
		if !t.HasSymbols() {
			excluded = append(excluded, Term(t))
		}
	}
	return Not(AllOf(words...), excluded...)
}

// SideBySide finds the messages that have the words of a query one after the other, as they
// were typed; a short one that is still being typed, as it is. ok is false where the query has
// alternatives, one word only, or text that is not words.
func SideBySide(alternatives []match.Group) (q Query, ok bool) {
	if len(alternatives) != 1 {
		return Query{}, false
	}
	var words []string
	var phrase match.Term
	for _, t := range alternatives[0].All {
		if t.Words() == nil {
			return Query{}, false
		}
		words, phrase.Prefix = append(words, t.Text), t.Prefix && len(t.Text) >= minPrefix
	}
	phrase.Text = strings.Join(words, " ")
	return Term(phrase), len(words) > 1
}

// minPrefix is how many bytes a prefix of SideBySide has at least: to read the places of the
// words that begin with fewer takes up to 20 ms of CPU at 100,000 messages.
const minPrefix = 4

// Term finds a term of words as it is typed, or as JSON escapes it
// (store/README.md#q2).
func Term(t match.Term) Query {
	forms := []Query{Phrase(t.Text, t.Prefix)}
	if lower := strings.ToLower(t.Text); pyjson.Escape(lower) != lower {
		// FTS5 folds the case of letters, but not of their escapes.
		r, size := utf8.DecodeRuneInString(lower)
		title := string(unicode.ToTitle(r)) + lower[size:]
		for _, s := range []string{t.Text, lower, title, strings.ToUpper(lower)} {
			form := Phrase(pyjson.Escape(s), t.Prefix)
			if !slices.ContainsFunc(forms, func(f Query) bool { return f.Text == form.Text }) {
				forms = append(forms, form)
			}
		}
	}
	return AnyOf(forms...)
}
