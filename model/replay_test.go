package model

import (
	"strings"
	"testing"
)

func prints(words string) []MessageDigest {
	var out []MessageDigest
	for _, w := range strings.Fields(words) {
		p := MessageDigest{Role: "user", Content: w, Size: int64(len(w))}
		switch w[0] {
		case 't':
			id, _, _ := strings.Cut(w, "=")
			p.Role, p.CallID = "tool", id
		case 'S':
			p.Content = "[CONTEXT SUMMARY]: " + w
		}
		out = append(out, p)
	}
	return out
}

func TestReplaysAreFound(t *testing.T) {
	for _, c := range []struct {
		name, before, next string
		first, from, last  int
	}{
		{"nothing", "a b c", "d e", 0, 0, 0},
		{"the beginning, a summary, the end", "a b c d e f", "a b S e f g", 2, 3, 2},
		{"the end alone", "a b c", "S b c d", 0, 1, 2},
		{"the end without a summary", "a b c", "c d", 0, 0, 1},
		{"the beginning alone", "a b c d", "a b S e", 2, 3, 0},
		{"all of it", "a b", "a b S c", 2, 3, 0},
		{"results that were shortened", "a t1=long b t2=long", "a t1=x S t2=y c", 2, 3, 1},
		{"words from the middle are said again", "a b c d", "b e", 0, 0, 0},
		{"nothing before", "", "S a", 0, 1, 0},
		{"nothing after", "a b", "", 0, 0, 0},
		{"as much of the end as can be", "a x x x", "S x x y", 0, 1, 2},
	} {
		before, next := prints(c.before), prints(c.next)
		first, from, last := FindReplays(before, before, next)
		if first != c.first || from != c.from || last != c.last {
			t.Errorf("%s: %d copy the beginning, from %d on %d the end; want %d, %d, %d", c.name, first, from, last, c.first, c.from, c.last)
		}
	}
}
