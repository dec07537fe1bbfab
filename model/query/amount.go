package query

import (
	"math"
	"strconv"
	"strings"

	"hermes-sessions/model"
)

// amount is what a filter on a number asks for: a range, ends included or not,
// or what nobody knows.
type amount struct {
	from, to               float64
	excludeFrom, excludeTo bool // the end itself is not in it
	unknown                bool
	typed                  string
}

// parseAmount reads >100, >=100, <10, <=10, =10, 10..50, 10.., ..50 and 100,
// which means at least so many. Numbers may have a fraction and k or m behind
// them, costs a dollar sign before.
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
		times := 1.0
		switch {
		case strings.HasSuffix(s, "k"), strings.HasSuffix(s, "K"):
			s, times = s[:len(s)-1], 1e3
		case strings.HasSuffix(s, "m"), strings.HasSuffix(s, "M"):
			s, times = s[:len(s)-1], 1e6
		}
		if len(s) > 20 || strings.Trim(s, "0123456789.") != "" {
			return 0, false // such as 0x10, 1e5, inf
		}
		n, err := strconv.ParseFloat(s, 64)
		return n * times, err == nil
	}
	if low, high, ok := strings.Cut(s, ".."); ok {
		some := false
		if low != "" {
			if a.from, ok = number(low); !ok {
				return a, false
			}
			some = true
		}
		if high != "" {
			if a.to, ok = number(high); !ok {
				return a, false
			}
			some = true
		}
		return a, some
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

// containsCost reports whether a cost surely is in the range: what nobody knows is
// not, and of what is known only in part, the least it can be is known.
func (a amount) containsCost(c model.Cost) bool {
	switch {
	case a.unknown:
		return !c.Known
	case !c.Known, c.Partial && !math.IsInf(a.to, 1):
		return false
	}
	return a.contains(c.USD)
}

// describe says what is asked for.
func (a amount) describe(f Field) string {
	unit := map[Field]string{FieldMsgs: " messages", FieldTokens: " tokens"}[f]
	dollar := ""
	if f == FieldCost {
		dollar = "$"
	}
	bare := strings.TrimLeft(a.typed, "<>=")
	show := func(s string) string { return dollar + strings.TrimPrefix(s, "$") }
	switch sign := a.typed[:len(a.typed)-len(bare)]; {
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
