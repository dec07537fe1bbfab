// Package match tells whether and where a text matches a query or a pattern, by
// the same rules as the full-text index of the database.
//
// A [Term] is a word or a phrase as it was typed. A query is a list of [Group]s,
// alternatives of terms that must and must not match; package query makes them.
//
//	Term          "docker-compose*", ".env", "部署": split into folded words and the
//	              symbols around them, or a substring (term.go)
//	Matcher       finds terms in texts (matcher.go): it jumps to places where a
//	              first word may start (candidates.go), reads words from there
//	              (unicode61.go) and follows all phrases at once
//	Snippet       one line around the densest matches (snippet.go)
//	TextIndex     thousands of short texts, searched at every keystroke (textindex.go)
//	Pattern       find in one conversation: literal text or a regular expression
//	              (pattern.go)
//
// Nothing here knows of an index on disk; how one narrows a search is the business
// of package search.
package match
