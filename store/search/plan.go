package search

import (
	"context"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/search/fts"
)

// searchIndexes finds with the indexes that are left.
func (f *executor) searchIndexes(ctx context.Context) (*fts.Set, error) {
	if f.words.table == "" {
		_, ids, err := f.readAndMatch(ctx, f.query, "1", nil)
		return ids, err
	}
	ids, err := f.searchGroups(ctx)
	if err != nil {
		return nil, err
	}
	if f.words.unindexedRows != "" {
		seen, found, err := f.readAndMatch(ctx, f.query, f.words.unindexedRows, nil)
		if err != nil {
			return nil, err
		}
		ids.Subtract(seen)
		ids.Union(found)
	}
	return ids, nil
}

// searchGroups finds what the indexes hold. Each alternative with symbols is looked
// at by itself, and what none of them is sure of is read.
func (f *executor) searchGroups(ctx context.Context) (*fts.Set, error) {
	var plain, symbols []match.Group
	for _, g := range f.query.Groups {
		if len(withSymbols(g.All))+len(withSymbols(g.Not)) == 0 {
			plain = append(plain, g)
		} else {
			symbols = append(symbols, g)
		}
	}
	ids, unsure := &fts.Set{}, &fts.Set{}
	if q, ok := compileGroups(plain); ok {
		var err error
		if ids, err = f.matchTable(ctx, &f.words, q); err != nil {
			return nil, err
		}
	} else {
		for _, g := range plain {
			found, err := f.searchGroup(ctx, g)
			if err != nil {
				return nil, err
			}
			ids.Union(found)
		}
	}
	for _, g := range symbols {
		found, err := f.searchGroup(ctx, g)
		if err != nil {
			return nil, err
		}
		sure, rest, err := f.verifyGroup(ctx, g, found)
		if err != nil {
			return nil, err
		}
		ids.Union(sure)
		unsure.Union(rest)
	}
	unsure.Subtract(ids)
	_, read, err := f.readAndMatch(ctx, f.query, "", unsure)
	if err != nil {
		return nil, err
	}
	ids.Union(read)
	return ids, nil
}

// searchGroup finds the messages of one alternative, set by set.
func (f *executor) searchGroup(ctx context.Context, g match.Group) (*fts.Set, error) {
	words, substrings := splitTerms(g.All)
	without, more := splitTerms(g.Not)
	ids := &fts.Set{}
	if len(words) > 0 {
		var err error
		if ids, err = f.matchTable(ctx, &f.words, excluding(allWords(words), without)); err != nil {
			return nil, err
		}
	}
	for i, t := range substrings {
		first := i == 0 && len(words) == 0
		if !first && ids.Empty() {
			return ids, nil
		}
		found, err := f.searchSubstring(ctx, t)
		if err != nil {
			return nil, err
		}
		if !first {
			found.Intersect(ids)
		}
		ids = found
	}
	if len(words) == 0 && len(without) > 0 {
		var none []ftsQuery
		for _, t := range without {
			none = append(none, termPhrase(t))
		}
		found, err := f.matchTable(ctx, &f.words, anyOf(none...))
		if err != nil {
			return nil, err
		}
		ids.Subtract(found)
	}
	for _, t := range more {
		found, err := f.searchSubstring(ctx, t)
		if err != nil {
			return nil, err
		}
		ids.Subtract(found)
	}
	return ids, nil
}

// splitTerms parts terms into those looked for as words and the others.
func splitTerms(terms []match.Term) (words, substrings []match.Term) {
	for _, t := range terms {
		if t.Words() != nil {
			words = append(words, t)
		} else {
			substrings = append(substrings, t)
		}
	}
	return words, substrings
}

// withSymbols gives the terms that have symbols at their words.
func withSymbols(terms []match.Term) (with []match.Term) {
	for _, t := range terms {
		if t.Words() != nil && t.HasSymbols() {
			with = append(with, t)
		}
	}
	return with
}

// singleTerm is the query for one term.
func singleTerm(t match.Term) query.Query {
	return query.Query{Groups: []match.Group{{All: []match.Term{t}}}}
}
