package search

import (
	"strings"

	"hermes-sessions/model/query"
)

// toolNameSymbols asks the index of trigrams for what may name a tool without any
// word in its name: it stands behind what is said, or in quotes in JSON, which
// may spell any character of it with a backslash. The JSON may be a text
// itself. ok is false for names that may be stored in other ways too.
func toolNameSymbols(filter query.Filter) (of []ftsQuery, ok bool) {
	value := filter.Value
	if !matchesVerbatim(value) || strings.ContainsAny(value, "\"\ufffd") {
		return nil, false
	}
	ends := func(three []byte) bool {
		last := three[len(three)-1]
		return filter.Prefix || last == ' ' || last == '"' || last == '\\'
	}
	of = []ftsQuery{contains(" "+value, ends), contains(`"`+value, ends)}
	for i := range value {
		of = append(of, contains(`"`+value[:i]+`\`, func(three []byte) bool {
			last := three[len(three)-1]
			return last == 'u' || last == '/' || last == '\\'
		}))
	}
	return of, true
}
