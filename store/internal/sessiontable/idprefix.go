package sessiontable

import (
	"iter"
	"sort"
	"strings"
)

// WithPrefix returns the positions of the sessions whose ids begin with a text, whatever the
// case of its ASCII letters. Removed ones are among them.
func (t *Table) WithPrefix(text string) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if !t.narrowPrefix(text, 0, 0, len(t.byID), yield) {
			return
		}
		for i := len(t.byID); i < t.Len(); i++ { // those added since the rows were read
			if id := t.ID(i); len(id) >= len(text) && lowerASCII(id[:len(text)]) == lowerASCII(text) && !yield(int32(i)) {
				return
			}
		}
	}
}

// narrowPrefix searches the ids from one to before another, which all have the bytes of
// the text before a position.
func (t *Table) narrowPrefix(text string, at, from, to int, yield func(int32) bool) bool {
	if from == to {
		return true
	}
	if at == len(text) {
		for _, i := range t.byID[from:to] {
			if !yield(i) {
				return false
			}
		}
		return true
	}
	// reach gives the first of the ids that has the byte c or a greater one there.
	reach := func(c int) int {
		return from + sort.Search(to-from, func(n int) bool {
			id := t.ID(int(t.byID[from+n]))
			return len(id) > at && int(id[at]) >= c
		})
	}
	for _, c := range []byte(caseVariants(text[at])) {
		if !t.narrowPrefix(text, at+1, reach(int(c)), reach(int(c)+1), yield) {
			return false
		}
	}
	return true
}

// caseVariants returns both cases of an ASCII letter, in order, and anything else alone.
func caseVariants(c byte) string {
	switch {
	case 'a' <= c && c <= 'z':
		return string([]byte{c - 'a' + 'A', c})
	case 'A' <= c && c <= 'Z':
		return string([]byte{c, c - 'A' + 'a'})
	}
	return string([]byte{c})
}

// lowerASCII folds as SQLite's LIKE does.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
