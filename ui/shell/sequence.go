package shell

import (
	"slices"
	"strings"
)

// A key of the key map may be two, one pressed after the other: "d d". The
// first of them does nothing by itself, and any other key than the second
// forgets it.

// parts returns the keys of which a key of the key map is made.
func parts(k string) []string {
	if k == " " {
		return []string{k}
	}
	return strings.Split(k, " ")
}

// BeginsPair reports whether a key is the first of two in a context.
func (k Keys) BeginsPair(c Context, name string) bool {
	return slices.ContainsFunc(k.rows, func(b Binding) bool {
		return b.Context == c && slices.ContainsFunc(b.Keys, func(key string) bool {
			return strings.HasPrefix(key, name+" ") && len(parts(key)) == 2
		})
	})
}

// MatchPair returns the action of two keys in a context.
func (k Keys) MatchPair(c Context, first, second string) (Action, bool) {
	for _, b := range k.rows {
		if b.Context == c && slices.Contains(b.Keys, first+" "+second) {
			return b.Action, true
		}
	}
	return "", false
}
