package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
)

// wholeQuery gives the query as one FTS query for messages_fts. ok is false when a
// term of it is searched as a substring.
func (f *executor) wholeQuery() (q ftsQuery, ok bool) { return compileGroups(f.query.Groups) }

// compileGroups gives alternatives of words alone as one FTS query. ok is false
// when a term of them is searched as a substring.
func compileGroups(alternatives []match.Group) (q ftsQuery, ok bool) {
	var groups []ftsQuery
	for _, g := range alternatives {
		words, substrings := splitTerms(g.All)
		excludedWords, excludedSubstrings := splitTerms(g.Not)
		if len(substrings)+len(excludedSubstrings) > 0 {
			return ftsQuery{}, false
		}
		groups = append(groups, excluding(allWords(words), excludedWords))
	}
	return anyOf(groups...), len(groups) > 0
}

// allWords finds the messages that have all of some terms.
func allWords(words []match.Term) ftsQuery {
	all := make([]ftsQuery, len(words))
	for i, t := range words {
		all[i] = termPhrase(t)
	}
	return allOf(all...)
}

// excluding finds the messages of q that have none of some terms. Terms with
// symbols are left to verifyGroup: -C# must not exclude every message with a c.
func excluding(q ftsQuery, terms []match.Term) ftsQuery {
	operands := []ftsQuery{q}
	for _, t := range terms {
		if !t.HasSymbols() {
			operands = append(operands, termPhrase(t))
		}
	}
	return combine(opNot, operands)
}

// termPhrase finds a term of words as it is typed, or as JSON escapes it
// (store/README.md#q2).
func termPhrase(t match.Term) ftsQuery {
	forms := []ftsQuery{phrase(t.Text, t.Prefix)}
	if lower := strings.ToLower(t.Text); pyjson.Escape(lower) != lower {
		// FTS5 folds the case of letters, but not of their escapes.
		r, size := utf8.DecodeRuneInString(lower)
		title := string(unicode.ToTitle(r)) + lower[size:]
		for _, s := range []string{t.Text, lower, title, strings.ToUpper(lower)} {
			form := phrase(pyjson.Escape(s), t.Prefix)
			if !slices.ContainsFunc(forms, func(f ftsQuery) bool { return f.text == form.text }) {
				forms = append(forms, form)
			}
		}
	}
	return anyOf(forms...)
}
