package fts

import (
	"context"
	"slices"
)

// HasTerm reports whether the index has a term, folded as by the tokenizer. All rows with
// the term may have been deleted. The answer is not cached: corrections of a misspelled
// word ask for hundreds of terms once.
func (ix *Index) HasTerm(ctx context.Context, term string) (bool, error) {
	return ix.termExists(ctx, termPattern{text: term})
}

// Terms returns the terms that begin with a prefix, sorted. Of each segment it reads at
// most as many as most, those that sort first. All rows with a term may have been deleted.
func (ix *Index) Terms(ctx context.Context, prefix string, most int) ([]string, error) {
	var terms []string
	for i := range ix.segments {
		n := 0
		sc := scan{index: ix, target: storedTerm(prefix), found: func(term []byte) bool {
			terms = append(terms, string(term))
			n++
			return n < most
		}}
		if err := sc.run(ctx, &ix.segments[i], nil); err != nil {
			return nil, err
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms), nil
}

// termExists reports whether any segment has a term that matches a pattern.
func (ix *Index) termExists(ctx context.Context, p termPattern) (found bool, err error) {
	for i := range ix.segments { // the oldest have most terms
		sc := scan{index: ix, target: storedTerm(p.text), exact: !p.prefix, found: func([]byte) bool {
			found = true
			return false
		}}
		if err := sc.run(ctx, &ix.segments[i], nil); err != nil || found {
			return found, err
		}
	}
	return false, nil
}
