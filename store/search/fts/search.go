package fts

import (
	"context"
	"hermes-sessions/store/internal/idset"
	"slices"
	"sort"
)

// Search returns the rowids that match an expression. The set is the caller's. A
// canceled ctx ends the search within a few milliseconds with the error of ctx.
func (ix *Index) Search(ctx context.Context, e Expr) (*idset.Set, error) {
	return ix.SearchAmong(ctx, e, nil)
}

// SearchAmong returns the rowids of within that match an expression, and maybe
// others; with nil, all that match. The fewer rowids within has, the less is
// read. The set is the caller's.
func (ix *Index) SearchAmong(ctx context.Context, e Expr, within *idset.Set) (*idset.Set, error) {
	if may, err := ix.mayMatch(ctx, e); err != nil || !may {
		return &idset.Set{}, err
	}
	switch e.op {
	case opOr:
		return ix.searchOr(ctx, e.operands, within)
	case opAnd:
		return ix.searchAnd(ctx, e.operands, within)
	case opNot:
		return ix.searchNot(ctx, e.operands, within)
	}
	if e.atStart {
		return ix.rowsAtStart(ctx, e.terms[0])
	}
	return ix.searchPhrase(ctx, e, within)
}

// searchOr skips operands whose rows another operand finds, and searches only the rows
// that the operands before did not find.
func (ix *Index) searchOr(ctx context.Context, operands []Expr, within *idset.Set) (*idset.Set, error) {
	found := &idset.Set{}
	for i, o := range operands {
		if slices.ContainsFunc(operands[:i], o.impliedBy) || slices.ContainsFunc(operands[i+1:], o.narrowerThan) {
			continue
		}
		s, err := ix.SearchAmong(ctx, o, within)
		if err != nil {
			return nil, err
		}
		found.Union(s)
		if within == nil {
			continue
		}
		if within = idset.Difference(within, s); within.Empty() { // rows found once are not searched again
			break
		}
	}
	return found, nil
}

// searchAnd starts with the operand that costs least: it leaves fewer rows for
// the others.
func (ix *Index) searchAnd(ctx context.Context, operands []Expr, within *idset.Set) (*idset.Set, error) {
	byCost := slices.Clone(operands)
	sort.SliceStable(byCost, func(i, j int) bool { return byCost[i].costInPages(ix) < byCost[j].costInPages(ix) })
	for i, o := range byCost {
		s, err := ix.SearchAmong(ctx, o, within)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			s.Intersect(within)
		}
		if within = s; s.Empty() {
			return s, nil
		}
	}
	if within == nil {
		within = &idset.Set{}
	}
	return within, nil
}

// searchNot searches for the operands to exclude only in the rows that are left.
func (ix *Index) searchNot(ctx context.Context, operands []Expr, within *idset.Set) (*idset.Set, error) {
	s, err := ix.SearchAmong(ctx, operands[0], within)
	for _, o := range operands[1:] {
		if err != nil || s.Empty() {
			return s, err
		}
		var none *idset.Set
		if none, err = ix.SearchAmong(ctx, o, s); err == nil {
			s.Subtract(none)
		}
	}
	return s, err
}

// mayMatch reports whether all terms exist that a matching row must have. That
// takes less than reading a doclist.
func (ix *Index) mayMatch(ctx context.Context, e Expr) (bool, error) {
	if e.op == opPhrase {
		for i, t := range e.terms {
			if exists, err := ix.cachedTermExists(ctx, termPattern{t, e.prefix && i == len(e.terms)-1}); !exists {
				return false, err
			}
		}
		return true, nil
	}
	operands, may := e.operands, e.op != opOr
	if e.op == opNot {
		operands = operands[:1]
	}
	for _, o := range operands {
		var err error
		if may, err = ix.mayMatch(ctx, o); err != nil || may == (e.op == opOr) {
			return may, err
		}
	}
	return may, nil
}

// costInPages estimates what an expression costs to evaluate, in leaf pages: the cost of
// the rarest term of a phrase, or of all operands together. See [Index.readCost].
func (e Expr) costInPages(ix *Index) int {
	if e.op == opPhrase {
		least := 0
		for i, t := range e.phraseTerms() {
			if n := ix.readCost(t); i == 0 || n < least {
				least = n
			}
		}
		return least
	}
	n := 1
	for _, o := range e.operands {
		n += o.costInPages(ix)
	}
	return n
}

// rowsPerPage is about how many rows a leaf page has of a frequent word, and maxCountedPages
// the number of pages whose rows EstimateRows counts: that takes a few milliseconds.
const (
	rowsPerPage     = 700
	maxCountedPages = 200
)

// EstimateRows returns about how many rows match an expression. A rare word is on a page of
// each segment, whose size says little, and a word that is nowhere may belong where those of a
// frequent one are: where the pages may hold more than most, the words are looked up, and the
// rows of a few pages are counted. What cannot be read is estimated.
func (ix *Index) EstimateRows(ctx context.Context, e Expr, most int) int {
	pages := e.costInPages(ix)
	if pages*rowsPerPage > most {
		if may, err := ix.mayMatch(ctx, e); err == nil && !may {
			return 0
		}
		if pages <= maxCountedPages {
			if rows, err := ix.Search(ctx, e); err == nil {
				return rows.Len()
			}
		}
	}
	return pages * rowsPerPage
}
