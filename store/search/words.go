package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/search/ftsquery"
)

// wholeQuery returns the query as one FTS query for messages_fts. ok is false when a
// term of it is searched as a substring.
func (ex *executor) wholeQuery() (q ftsquery.Query, ok bool) { return compileGroups(ex.query.Groups) }

// compileGroups returns alternatives of words alone as one FTS query. ok is false
// when a term of them is searched as a substring.
func compileGroups(alternatives []match.Group) (q ftsquery.Query, ok bool) {
	var groups []ftsquery.Query
	for _, g := range alternatives {
		words, substrings := splitTerms(g.All)
		excludedWords, excludedSubstrings := splitTerms(g.Not)
		if len(substrings)+len(excludedSubstrings) > 0 {
			return ftsquery.Query{}, false
		}
		groups = append(groups, excluding(allWords(words), excludedWords))
	}
	return ftsquery.AnyOf(groups...), len(groups) > 0
}

// allWords finds the messages that have all of some terms.
func allWords(words []match.Term) ftsquery.Query {
	all := make([]ftsquery.Query, len(words))
	for i, t := range words {
		all[i] = termPhrase(t)
	}
	return ftsquery.AllOf(all...)
}

// excluding finds the messages of q that have none of some terms. Terms with
// symbols are left to verifyGroup: -C# must not exclude every message with a c.
func excluding(q ftsquery.Query, terms []match.Term) ftsquery.Query {
	var excluded []ftsquery.Query
	for _, t := range terms {
		if !t.HasSymbols() {
			excluded = append(excluded, termPhrase(t))
		}
	}
	return ftsquery.Not(q, excluded...)
}

// termPhrase finds a term of words as it is typed, or as JSON escapes it
// (store/README.md#q2).
func termPhrase(t match.Term) ftsquery.Query {
	forms := []ftsquery.Query{ftsquery.Phrase(t.Text, t.Prefix)}
	if lower := strings.ToLower(t.Text); pyjson.Escape(lower) != lower {
		// FTS5 folds the case of letters, but not of their escapes.
		r, size := utf8.DecodeRuneInString(lower)
		title := string(unicode.ToTitle(r)) + lower[size:]
		for _, s := range []string{t.Text, lower, title, strings.ToUpper(lower)} {
			form := ftsquery.Phrase(pyjson.Escape(s), t.Prefix)
			if !slices.ContainsFunc(forms, func(f ftsquery.Query) bool { return f.Text == form.Text }) {
				forms = append(forms, form)
			}
		}
	}
	return ftsquery.AnyOf(forms...)
}
