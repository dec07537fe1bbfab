package model

import (
	"strconv"
	"strings"
)

// CompactNumber formats a number in at most five characters, rounded down: 950,
// 9.5k, 34k, 1.2M, 120M, 3.4G.
func CompactNumber(n int64) string {
	if n < 0 {
		return "-" + CompactNumber(-max(n, -1<<62))
	}
	unit, size := "", int64(1)
	for _, u := range []string{"k", "M", "G", "T", "P"} {
		if n/size < 1000 {
			break
		}
		unit, size = u, size*1000
	}
	whole, tenth := n/size, n%size*10/max(size, 1)
	if unit == "" || whole >= 10 {
		return strconv.FormatInt(whole, 10) + unit
	}
	return strings.TrimSuffix(strconv.FormatInt(whole, 10)+"."+strconv.FormatInt(tenth, 10), ".0") + unit
}

// Quantity returns a number with a noun, which takes a plural s unless n is 1:
// "1 message", "3 messages".
func Quantity(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
