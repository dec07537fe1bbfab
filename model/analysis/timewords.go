package analysis

import (
	"slices"
	"strings"
)

// TimeWords tells for each word of a query whether it says when a conversation was, and not
// what it was about: yesterday, last week, 3 days ago. The words are in lower case.
func TimeWords(words []string) []bool {
	when := make([]bool, len(words))
	for i, w := range words {
		switch {
		case slices.Contains(days, w):
			when[i] = true
		case !slices.Contains(periods, w):
		case i > 0 && slices.Contains(beforePeriods, words[i-1]):
			when[i-1], when[i] = true, true
		case i+1 < len(words) && words[i+1] == "ago":
			when[i] = true
			if i > 0 && strings.Trim(words[i-1], "0123456789") == "" {
				when[i-1] = true
			}
		}
	}
	return when
}

var (
	days = strings.Fields(`ago yesterday today tonight recently lately gestern heute vorgestern neulich hier ayer hoy ontem hoje
ieri oggi вчера сегодня недавно 어제 오늘 그저께 지난주 지난달 최근 昨天 今天 前天 上周 上次 最近 昨日 今日 先週 先月`)
	periods = strings.Fields(`day days week weeks weekend month months hour hours minutes night morning afternoon
evening monday tuesday wednesday thursday friday saturday sunday`)
	beforePeriods = strings.Fields("last past previous few couple")
)
