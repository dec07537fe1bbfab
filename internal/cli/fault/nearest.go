package fault

import (
	"strings"

	"hermes-sessions/model/analysis"
)

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
		d := analysis.Distance(word, c)
		if len(word) >= 3 && strings.HasPrefix(c, word) {
			d = min(d, most)
		}
		if d < least {
			best, least = c, d
		}
	}
	return best
}
