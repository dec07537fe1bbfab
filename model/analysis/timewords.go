package analysis

import (
	"slices"
	"strings"
)

// TimeWords tells for each word of a query whether it is one of several that say when a
// conversation was, and not what it was about: last week, 3 days ago. Words such as yesterday are
// function words. The words are in lower case.
func TimeWords(words []string) []bool {
	when := make([]bool, len(words))
	for i, w := range words {
		switch {
		case !slices.Contains(periods, w):
		case i > 0 && slices.Contains(beforePeriods, words[i-1]):
			when[i-1], when[i] = true, true
		case i+1 < len(words) && words[i+1] == "ago":
			when[i] = true
			if i > 0 && strings.Trim(words[i-1], digits) == "" {
				when[i-1] = true
			}
		}
	}
	return when
}

var (
	periods = strings.Fields(`day days week weeks weekend month months hour hours minutes night morning afternoon
evening monday tuesday wednesday thursday friday saturday sunday`)
	beforePeriods = strings.Fields("last past previous few couple")
)
