package closest

import "context"

// Part is a part of the ranking that can be left out, to measure what it earns.
type Part string

// The parts that can be left out.
const (
	Forms  Part = "forms"  // inflections
	Typos  Part = "typos"  // corrected spellings
	Rarity Part = "rarity" // every word weighs the same
	Titles Part = "titles" // and sources
	Dates  Part = "dates"  // what conversations of the time get that the query names
)

// Parts are all parts that can be left out.
var Parts = []Part{Forms, Typos, Rarity, Titles, Dates}

type leftOutKey struct{}

// Without returns a context in which a ranking leaves out a part. A [Cache] must not be used
// with and without it.
func Without(ctx context.Context, part Part) context.Context {
	return context.WithValue(ctx, leftOutKey{}, part)
}

// leavesOut reports whether a context leaves out a part.
func leavesOut(ctx context.Context, part Part) bool {
	return ctx.Value(leftOutKey{}) == part
}
