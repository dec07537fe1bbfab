package search

import (
	"context"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/ftsquery"
)

// searchIndexes returns the messages that match, by the indexes that can be used and
// by reading those that they do not hold.
func (ex *executor) searchIndexes(ctx context.Context) (*idset.Set, error) {
	if ex.words.table == "" {
		_, ids, err := ex.readAndMatch(ctx, ex.query, "1", nil)
		return ids, err
	}
	ids, err := ex.searchGroups(ctx)
	if err != nil {
		return nil, err
	}
	if ex.words.unindexedRows != "" {
		read, found, err := ex.readAndMatch(ctx, ex.query, ex.words.unindexedRows, nil)
		if err != nil {
			return nil, err
		}
		ids.Subtract(read)
		ids.Union(found)
	}
	return ids, nil
}

// searchGroups returns the messages that match as far as the indexes hold them.
// Alternatives of words alone are one FTS query. One with symbols, such as C++, is
// searched as words and then verified; the messages that remain unsure are read.
func (ex *executor) searchGroups(ctx context.Context) (*idset.Set, error) {
	var plain, symbols []match.Group
	for _, g := range ex.query.Groups {
		if len(withSymbols(g.All))+len(withSymbols(g.Not)) > 0 {
			symbols = append(symbols, g)
		} else if none, err := ex.lacksContent(ctx, g); err != nil {
			return nil, err
		} else if !none {
			plain = append(plain, g)
		}
	}
	ids, unsure := &idset.Set{}, &idset.Set{}
	borders, err := ex.anyBorderRows(ctx, plain)
	if err != nil {
		return nil, err
	}
	if q, ok := compileGroups(plain); ok && !borders {
		if ids, err = ex.matchTable(ctx, &ex.words, q); err != nil {
			return nil, err
		}
	} else {
		symbols = append(symbols, plain...)
	}
	for _, g := range symbols {
		found, err := ex.searchGroup(ctx, g)
		if err != nil {
			return nil, err
		}
		sure, rest, err := ex.verifyGroup(ctx, g, found)
		if err != nil {
			return nil, err
		}
		ids.Union(sure)
		unsure.Union(rest)
	}
	unsure.Subtract(ids)
	_, read, err := ex.readAndMatch(ctx, ex.query, "", unsure)
	if err != nil {
		return nil, err
	}
	ids.Union(read)
	return ids, nil
}

// searchGroup returns the messages of one alternative: those of its words by one FTS
// query, intersected with those of each substring, less those that it excludes.
// Symbols next to words are ignored.
func (ex *executor) searchGroup(ctx context.Context, g match.Group) (*idset.Set, error) {
	words, substrings := splitTerms(g.All)
	excludedWords, excludedSubstrings := splitTerms(g.Not)
	words, bordered, err := ex.splitBordered(ctx, words)
	if err != nil {
		return nil, err
	}
	excludedWords, excludedBordered, err := ex.splitBordered(ctx, excludedWords)
	if err != nil {
		return nil, err
	}
	ids, started := &idset.Set{}, false
	if len(words) > 0 {
		if ids, err = ex.matchTable(ctx, &ex.words, ftsquery.Terms(words, excludedWords)); err != nil {
			return nil, err
		}
		started = true
	}
	substrings = append(bordered, substrings...)
	excludedSubstrings = append(excludedBordered, excludedSubstrings...)
	for i, t := range substrings {
		first := i == 0 && !started
		if !first && ids.Empty() {
			return ids, nil
		}
		found, err := ex.searchAnywhere(ctx, t)
		if err != nil {
			return nil, err
		}
		if !first {
			found.Intersect(ids)
		}
		ids = found
	}
	if len(words) == 0 && len(excludedWords) > 0 {
		var excluded []ftsquery.Query
		for _, t := range excludedWords {
			excluded = append(excluded, ftsquery.Term(t))
		}
		found, err := ex.matchTable(ctx, &ex.words, ftsquery.AnyOf(excluded...))
		if err != nil {
			return nil, err
		}
		ids.Subtract(found)
	}
	for _, t := range excludedSubstrings {
		found, err := ex.searchAnywhere(ctx, t)
		if err != nil {
			return nil, err
		}
		ids.Subtract(found)
	}
	return ids, nil
}

// searchAnywhere returns the messages with a term that one query of the word index
// does not find: a substring, or a word that some message has beside a script
// without spaces.
func (ex *executor) searchAnywhere(ctx context.Context, t match.Term) (*idset.Set, error) {
	if t.Words() == nil {
		return ex.searchSubstring(ctx, t)
	}
	found, err := ex.matchTable(ctx, &ex.words, ftsquery.Term(t))
	if err != nil {
		return nil, err
	}
	rows, err := ex.borderRows(ctx, t)
	if err == nil {
		found.Union(rows)
	}
	return found, err
}

// splitTerms splits terms into those that are searched as words and those that are
// searched as substrings: text in scripts without spaces, and symbols alone.
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

// withSymbols returns the terms that are words with symbols beside them, such as C++
// or .env.
func withSymbols(terms []match.Term) (some []match.Term) {
	for _, t := range terms {
		if t.Words() != nil && t.HasSymbols() {
			some = append(some, t)
		}
	}
	return some
}

func singleTerm(t match.Term) query.Query {
	return query.Query{Groups: []match.Group{{All: []match.Term{t}}}}
}
