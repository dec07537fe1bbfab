package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
)

// wholeQuery gives the query as one question to messages_fts; ok is false where
// a term of it needs another route.
func (f *executor) wholeQuery() (q ftsQuery, ok bool) { return compileGroups(f.query.Groups) }

// compileGroups makes the question that the full-text indexes are asked for some
// alternatives of the query.
func compileGroups(alternatives []match.Group) (q ftsQuery, ok bool) {
	var groups []ftsQuery
	for _, g := range alternatives {
		words, substrings := splitTerms(g.All)
		without, more := splitTerms(g.Not)
		if len(substrings)+len(more) > 0 {
			return ftsQuery{}, false
		}
		groups = append(groups, excluding(allWords(words), without))
	}
	return anyOf(groups...), len(groups) > 0
}

func allWords(words []match.Term) ftsQuery {
	all := make([]ftsQuery, len(words))
	for i, t := range words {
		all[i] = termPhrase(t)
	}
	return allOf(all...)
}

// excluding excludes terms. Those with symbols are looked at later: excluding
// every c for the sake of C# would be too much.
func excluding(q ftsQuery, without []match.Term) ftsQuery {
	of := []ftsQuery{q}
	for _, t := range without {
		if !t.HasSymbols() {
			of = append(of, termPhrase(t))
		}
	}
	return combine("NOT", of)
}

// termPhrase asks for a term of words, with the form that JSON gives it.
func termPhrase(t match.Term) ftsQuery {
	forms := []ftsQuery{phrase(t.Text, t.Prefix)}
	if lower := strings.ToLower(t.Text); toEscaped(lower) != lower {
		// FTS5 folds letters, not their escapes.
		r, size := utf8.DecodeRuneInString(lower)
		title := string(unicode.ToTitle(r)) + lower[size:]
		for _, s := range []string{t.Text, lower, title, strings.ToUpper(lower)} {
			form := phrase(toEscaped(s), t.Prefix)
			if !slices.ContainsFunc(forms, func(f ftsQuery) bool { return f.text == form.text }) {
				forms = append(forms, form)
			}
		}
	}
	return anyOf(forms...)
}
