// Package suggest finds the word that was probably meant by a mistyped one.
package suggest

import "strings"

// Nearest returns the candidate that differs least from word, "" if none is near: one
// typo in up to six letters, two in a longer word, or a beginning of at least three.
// Two letters in the wrong order are one typo.
func Nearest(word string, candidates []string) string {
	most := 1
	if len(word) > 6 {
		most = 2
	}
	best, least := "", most+1
	for _, c := range candidates {
		if len(word) > len(c)+most {
			continue // a long text takes long to compare
		}
		d := distance(word, c)
		if len(word) >= 3 && strings.HasPrefix(c, word) {
			d = min(d, most)
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}

// distance counts the edits that make b of a: letters added, removed, replaced, or
// two neighbors exchanged.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
