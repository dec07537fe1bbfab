package search

import (
	"slices"

	"hermes-sessions/model/match"
	"hermes-sessions/store/search/ftsquery"
)

// wholeQuery returns the query as one FTS query for messages_fts. ok is false when a
// term of it is searched as a substring.
func (ex *executor) wholeQuery() (q ftsquery.Query, ok bool) { return compileGroups(ex.query.Groups) }

// compileGroups returns alternatives of words alone as one FTS query. ok is false
// when a term of them is searched as a substring.
func compileGroups(alternatives []match.Group) (q ftsquery.Query, ok bool) {
	substring := func(t match.Term) bool { return t.Words() == nil }
	var groups []ftsquery.Query
	for _, g := range alternatives {
		if slices.ContainsFunc(g.All, substring) || slices.ContainsFunc(g.Not, substring) {
			return ftsquery.Query{}, false
		}
		groups = append(groups, ftsquery.Terms(g.All, g.Not))
	}
	return ftsquery.AnyOf(groups...), len(groups) > 0
}
