package fts

import (
	"context"
	"hermes-sessions/store/internal/idset"
	"slices"
	"sort"
)

// phraseTerm is a term of a phrase with all its offsets.
type phraseTerm struct {
	term         string
	prefix       bool                   // any term with this prefix
	accepts      func(term []byte) bool // which of them; nil for all
	offsets      []int64                // its places in the phrase, 0 for the first term
	alternatives []string               // any of these terms instead; prefix is set too
	early        int64                  // of the term that is read first: the phrase begins before this token, 0 for anywhere
	absent       bool                   // the term must not be there

	readCost int // see [Index.leafCount]
}

// phraseTerms returns the terms of a phrase, each once. A prefix at the end is a term of
// its own, even where the phrase has the same text as a whole term.
func (e Expr) phraseTerms() []phraseTerm {
	var terms []phraseTerm
	number := map[string]int{}
	for i, t := range e.terms {
		if e.prefix && i == len(e.terms)-1 {
			return append(terms, phraseTerm{term: t, prefix: true, accepts: e.accepts, offsets: []int64{int64(i)}})
		}
		n, known := number[t]
		if !known {
			n, number[t] = len(terms), len(terms)
			terms = append(terms, phraseTerm{term: t})
		}
		terms[n].offsets = append(terms[n].offsets, int64(i))
	}
	return terms
}

// readCost estimates what reading a term costs, in leaf pages. The positions of
// a prefix come from many terms and have to be sorted, so its pages count
// four times.
func (ix *Index) readCost(t phraseTerm) int {
	pages := 0
	for i := range ix.segments {
		pages += ix.segments[i].leafCount(storedTerm(t.term), !t.prefix)
	}
	if t.prefix {
		pages *= 4
	}
	return pages
}

// searchPhrase returns the rowids in which the terms of a phrase follow one
// another, and maybe others where within is not nil. The doclists come first,
// that of the rarest term before the others, then the positions in the rows
// that have all terms.
func (ix *Index) searchPhrase(ctx context.Context, e Expr, within *idset.Set) (*idset.Set, error) {
	terms := ix.rarestFirst(e)
	if len(terms) == 0 {
		return &idset.Set{}, nil
	}
	rowids, err := ix.rowsOfTerm(ctx, terms[0], within)
	if err != nil {
		return nil, err
	}
	if within != nil {
		rowids.Intersect(within)
	}
	if len(e.terms) == 1 && len(e.precededBy) == 0 && e.early == 0 || rowids.Empty() {
		return rowids, nil
	}
	for _, t := range terms[1:] {
		others, err := ix.cheapRows(ctx, t, terms[0], rowids)
		if err != nil {
			return nil, err
		}
		if others == nil {
			continue
		}
		if rowids.Intersect(others); rowids.Empty() {
			return rowids, nil
		}
	}
	if len(e.precededBy) > 0 {
		terms = append(terms, phraseTerm{alternatives: e.precededBy, prefix: true, offsets: []int64{-1}})
	}
	terms[0].early = e.early
	if len(e.unless) > 0 {
		terms = append(terms, phraseTerm{alternatives: e.unless, prefix: true, offsets: []int64{int64(len(e.terms))}, absent: true})
	}
	return ix.matchInBatches(ctx, terms, rowids, batchRows)
}

// rarestFirst returns the terms of a phrase, the one that costs least to read first.
func (ix *Index) rarestFirst(e Expr) []phraseTerm {
	terms := e.phraseTerms()
	if len(terms) < 2 {
		return terms
	}
	for i := range terms {
		terms[i].readCost = ix.readCost(terms[i])
	}
	sort.SliceStable(terms, func(i, j int) bool { return terms[i].readCost < terms[j].readCost })
	return terms
}

// cheapRows returns the rowids of a term where reading them costs much less
// than reading positions: the term is not much more frequent than the rarest
// one, or precomputed. The answer has all rowids of within that have the term,
// and maybe others; nil means all.
func (ix *Index) cheapRows(ctx context.Context, t, rarest phraseTerm, within *idset.Set) (*idset.Set, error) {
	switch {
	case !t.prefix && t.readCost <= 2*rarest.readCost:
		return ix.rowsOfTerm(ctx, t, within) // in a tenth of the time that positions take
	case t.accepts == nil:
		rowids, _, err := ix.rowsOfPrecomputed(ctx, termPattern{t.term, t.prefix})
		return rowids, err
	}
	return nil, nil
}

// batchRows is how many rows have their positions in memory at once.
const batchRows = 1 << 18

// matchInBatches returns the rowids in which the terms are at the offsets that
// they have in the phrase. It has the positions of at most batch rows in memory at once.
func (ix *Index) matchInBatches(ctx context.Context, terms []phraseTerm, rowids *idset.Set, batch int) (*idset.Set, error) {
	all := rowids.Rowids()
	found := &idset.Set{}
	for part := range slices.Chunk(all, batch) {
		within := rowids
		if len(part) < len(all) {
			within = &idset.Set{}
			for _, rowid := range part {
				within.Add(rowid)
			}
		}
		c, err := ix.newCandidates(ctx, terms[0], within)
		if err != nil {
			return nil, err
		}
		for i, t := range terms[1:] {
			if len(c.starts) == 0 {
				break
			}
			if err := ix.narrowCandidates(ctx, c, t, i+2 == len(terms)); err != nil {
				return nil, err
			}
		}
		found.Union(&c.rowids)
	}
	return found, nil
}

// scanTerm is [Index.scanSegment] for a term of a phrase, which may have alternatives.
func (ix *Index) scanTerm(ctx context.Context, s *segment, t phraseTerm, rowids []int64, reader doclistReader) error {
	if t.alternatives == nil {
		return ix.scanSegment(ctx, s, storedTerm(t.term), !t.prefix, rowids, reader)
	}
	for _, term := range t.alternatives {
		if err := ix.scanSegment(ctx, s, storedTerm(term), true, rowids, reader); err != nil {
			return err
		}
	}
	return nil
}
