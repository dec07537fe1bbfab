package fts

import (
	"context"
	"slices"
)

// HasTerm reports whether a term stands in the index. It may stand in deleted rows
// alone. The term is as the tokenizer gives it: folded.
func (x *Index) HasTerm(ctx context.Context, term string) (bool, error) {
	return x.findTerm(ctx, termPattern{text: term})
}

// Terms returns the terms that begin with a prefix, sorted, at most so many from
// each segment: those that sort first. Some may stand in deleted rows alone.
func (x *Index) Terms(ctx context.Context, prefix string, most int) ([]string, error) {
	var terms []string
	for i := range x.segments {
		n := 0
		sc := scan{index: x, target: storedTerm(prefix), found: func(term []byte) bool {
			terms = append(terms, string(term))
			n++
			return n < most
		}}
		if err := sc.run(ctx, &x.segments[i], nil); err != nil {
			return nil, err
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms), nil
}

// findTerm reports whether a term, or one with a prefix, stands in the index.
func (x *Index) findTerm(ctx context.Context, p termPattern) (found bool, err error) {
	for i := range x.segments { // the oldest have most terms
		sc := scan{index: x, target: storedTerm(p.text), exact: !p.prefix, found: func([]byte) bool {
			found = true
			return false
		}}
		if err := sc.run(ctx, &x.segments[i], nil); err != nil || found {
			return found, err
		}
	}
	return false, nil
}
