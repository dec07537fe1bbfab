package query

import (
	"math"
	"strconv"
	"strings"

	"hermes-sessions/model"
)

// amount is the value of a filter on a number: a range, or "unknown".
type amount struct {
	from, to               float64
	excludeFrom, excludeTo bool // the range does not include its end
	unknown                bool // cost:unknown
	typed                  string
}

// parseAmount parses >100, >=100, <10, <=10, =10, 10..50, 10.., ..50, and 100,
// which means at least 100. A number may have a fraction and a suffix k or m; a
// cost may have a dollar sign in front.
func parseAmount(f Field, s string) (amount, bool) {
	a := amount{from: math.Inf(-1), to: math.Inf(1), typed: s}
	if f == FieldCost && (s == "unknown" || s == "?") {
		a.unknown = true
		return a, true
	}
	number := func(s string) (float64, bool) {
		if f == FieldCost {
			s = strings.TrimPrefix(s, "$")
		}
		factor := 1.0
		switch {
		case strings.HasSuffix(s, "k"), strings.HasSuffix(s, "K"):
			s, factor = s[:len(s)-1], 1e3
		case strings.HasSuffix(s, "m"), strings.HasSuffix(s, "M"):
			s, factor = s[:len(s)-1], 1e6
		}
		if len(s) > 20 || strings.Trim(s, "0123456789.") != "" {
			return 0, false // such as 0x10, 1e5, inf
		}
		n, err := strconv.ParseFloat(s, 64)
		return n * factor, err == nil
	}
	if low, high, ok := strings.Cut(s, ".."); ok {
		bounded := false
		if low != "" {
			if a.from, ok = number(low); !ok {
				return a, false
			}
			bounded = true
		}
		if high != "" {
			if a.to, ok = number(high); !ok {
				return a, false
			}
			bounded = true
		}
		return a, bounded
	}
	rest := strings.TrimLeft(s, "<>=")
	n, ok := number(rest)
	switch s[:len(s)-len(rest)] {
	case "", ">=":
		a.from = n
	case ">":
		a.from, a.excludeFrom = n, true
	case "<=":
		a.to = n
	case "<":
		a.to, a.excludeTo = n, true
	case "=":
		a.from, a.to = n, n
	default:
		ok = false
	}
	return a, ok
}

// contains reports whether a number is in the range.
func (a amount) contains(n float64) bool {
	return !a.unknown && (n > a.from || n == a.from && !a.excludeFrom) && (n < a.to || n == a.to && !a.excludeTo)
}

// containsCost reports whether a cost is certain to be in the range. An unknown
// cost is not. A partly known cost is a lower bound: it is in a range only if the
// range has no upper end.
func (a amount) containsCost(c model.Cost) bool {
	switch {
	case a.unknown:
		return !c.Known
	case !c.Known, c.Partial && !math.IsInf(a.to, 1):
		return false
	}
	return a.contains(c.USD)
}

// describe returns the condition in words: "at least 50 messages".
func (a amount) describe(f Field) string {
	unit := map[Field]string{FieldMsgs: " messages", FieldTokens: " tokens"}[f]
	dollar := ""
	if f == FieldCost {
		dollar = "$"
	}
	bare := strings.TrimLeft(a.typed, "<>=")
	if bare == "1" {
		unit = strings.TrimSuffix(unit, "s")
	}
	show := func(s string) string { return dollar + strings.TrimPrefix(s, "$") }
	sign := a.typed[:len(a.typed)-len(bare)]
	switch {
	case a.unknown:
		return "cost unknown"
	case strings.Contains(bare, ".."):
		low, high, _ := strings.Cut(bare, "..")
		switch {
		case low == "":
			return "at most " + show(high) + unit
		case high == "":
			return "at least " + show(low) + unit
		}
		return show(low) + " to " + show(high) + unit
	case sign == "" || sign == ">=":
		return "at least " + show(bare) + unit
	case sign == ">":
		return "over " + show(bare) + unit
	case sign == "<=":
		return "at most " + show(bare) + unit
	case sign == "<":
		return "under " + show(bare) + unit
	default:
		return "exactly " + show(bare) + unit
	}
}
