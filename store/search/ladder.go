package search

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/ftsquery"
)

// evidence is what the indexes tell about a query, a term of it, or an alternative: every
// message that matches is possible, and every sure one matches. Whether one matches that is
// possible only, its text tells.
type evidence struct{ sure, possible *idset.Set }

// certain is the evidence of an index that tells of each message whether it matches.
func certain(ids *idset.Set) evidence { return evidence{ids, ids.Clone()} }

// either adds the messages that match something else.
func (e evidence) either(other evidence) {
	e.sure.Union(other.sure)
	e.possible.Union(other.possible)
}

// both keeps the messages that match something else too.
func (e evidence) both(other evidence) {
	e.sure.Intersect(other.sure)
	e.possible.Intersect(other.possible)
}

// without removes the messages that match something else.
func (e evidence) without(other evidence) {
	e.sure.Subtract(other.possible)
	e.possible.Subtract(other.sure)
}

// searchIndexes returns the messages that match, by the indexes that can be used and
// by reading those that they do not hold.
func (ex *executor) searchIndexes(ctx context.Context) (*idset.Set, error) {
	if ex.words.table == "" {
		_, ids, err := ex.readAndMatch(ctx, ex.query, "1", nil)
		return ids, err
	}
	found, err := ex.alternatives(ctx, ex.query.Groups)
	if err != nil {
		return nil, err
	}
	ids, err := ex.verify(ctx, found)
	if err != nil || ex.words.isWhole() {
		return ids, err
	}
	if ex.words.cutRows != "" && !ex.onlyNewestTexts {
		if ok, err := ex.inCut(ctx, ids); ok || err != nil {
			return ids, err
		}
	}
	where, err := ex.rowsToRead(ctx)
	if err != nil {
		return nil, err
	}
	read, others, err := ex.readLast(ctx, where)
	if err != nil {
		return nil, err
	}
	ids.Subtract(read)
	ids.Union(others)
	return ids, nil
}

// lastRead is what the last search found in the messages that the word index does not hold whole:
// the browser asks for the closest conversations after it has asked for the matches.
type lastRead struct {
	mu          sync.Mutex
	asked       string // the query and the condition
	dataVersion int64
	read, found *idset.Set
}

// readLast is readAndMatch for the query, with the answer of the last search if that had the same.
// The sets are not the caller's.
func (ex *executor) readLast(ctx context.Context, where string) (read, found *idset.Set, err error) {
	last, asked := &ex.engine.lastRead, fmt.Sprintf("%#v %d %d %s", ex.query.Groups, ex.firstID, ex.lastID, where)
	last.mu.Lock()
	if ex.dataVersion != 0 && last.dataVersion == ex.dataVersion && last.asked == asked {
		defer last.mu.Unlock()
		return last.read, last.found, nil
	}
	last.mu.Unlock()
	if read, found, err = ex.readAndMatch(ctx, ex.query, where, nil); err != nil {
		return nil, nil, err
	}
	last.mu.Lock()
	defer last.mu.Unlock()
	last.asked, last.dataVersion, last.read, last.found = asked, ex.dataVersion, read, found
	return read, found, nil
}

// rowsToRead returns the condition on m for the messages that the word index does not hold whole.
// Of those of which it holds the beginning these are the newest while a key waits for its rows, and
// for the closest conversations: a question would read all long results of tools for each of its
// words, so what stands only at the end of an older one brings no conversation close.
func (ex *executor) rowsToRead(ctx context.Context) (where string, err error) {
	if ex.words.cutRows == "" {
		return ex.words.unindexedRows, nil
	}
	where = ex.words.cutRows
	excludes := slices.ContainsFunc(ex.query.Groups, func(g match.Group) bool { return len(g.Not) > 0 })
	if ex.onlyNewestTexts || ex.mostTexts > 0 && !excludes {
		newest, err := ex.amongNewest(ctx)
		if err != nil {
			return "", err
		}
		where += newest
	}
	if ex.words.unindexedRows != "" {
		where = "(" + where + ") OR " + ex.words.unindexedRows
	}
	return where, nil
}

// newestRead is how many ids, the newest, are read where no index tells of their messages and not
// all can be read.
const newestRead = 2_000

// amongNewest returns a condition on m, after another one, for the newest messages, and notes
// that others are left out.
func (ex *executor) amongNewest(ctx context.Context) (condition string, err error) {
	first, last, err := ex.idRange(ctx)
	if err != nil || last-newestRead < first {
		return "", err
	}
	ex.cut = ex.cut || !ex.onlyNewestTexts
	return ` AND m.id > ` + strconv.FormatInt(last-newestRead, 10), nil
}

// verify returns the messages that match, by reading those that are possible only. While a
// key waits for its rows these are the newest, up to a number.
func (ex *executor) verify(ctx context.Context, found evidence) (*idset.Set, error) {
	unsure := idset.Difference(found.possible, found.sure)
	if ex.mostTexts > 0 && unsure.Len() > ex.mostTexts {
		unsure.KeepLast(ex.mostTexts)
		ex.cut = true
	}
	_, read, err := ex.readAndMatch(ctx, ex.query, "", unsure)
	if err != nil {
		return nil, err
	}
	found.sure.Union(read)
	return found.sure, nil
}

// alternatives returns what the indexes tell about groups, of which one must match. Those of
// words alone are one query.
func (ex *executor) alternatives(ctx context.Context, groups []match.Group) (evidence, error) {
	found := certain(&idset.Set{})
	var plain []match.Group
	for _, g := range groups {
		together, ok, err := ex.wordsTogether(ctx, g)
		if err != nil {
			return found, err
		}
		if ok {
			found.either(together)
			continue
		}
		if ok, err = ex.ofWordsAlone(ctx, g); err != nil {
			return found, err
		}
		if ok {
			plain = append(plain, g)
			continue
		}
		one, err := ex.group(ctx, g)
		if err != nil {
			return found, err
		}
		found.either(one)
	}
	if q, ok := compileGroups(plain); ok {
		ids, err := ex.matchTable(ctx, &ex.words, q)
		if err != nil {
			return found, err
		}
		found.either(certain(ids))
	}
	return found, nil
}

// group returns what the indexes tell about one alternative. Its words are one query of the
// word index, which ignores symbols next to them; every other term costs a query of its own.
func (ex *executor) group(ctx context.Context, g match.Group) (evidence, error) {
	words, others, err := ex.splitTerms(ctx, g.All)
	if err != nil {
		return evidence{}, err
	}
	excludedWords, excludedOthers, err := ex.splitTerms(ctx, g.Not)
	if err != nil {
		return evidence{}, err
	}
	var found evidence
	started := len(words) > 0
	if started {
		ids, err := ex.matchTable(ctx, &ex.words, ftsquery.Terms(words, excludedWords))
		if err != nil {
			return evidence{}, err
		}
		found = certain(ids)
	}
	if !started && len(others) == 0 { // the list answers a query that only excludes
		return certain(&idset.Set{}), nil
	}
	for _, t := range withSymbols(words) {
		one, err := ex.besideSymbols(ctx, t, found.possible.Clone())
		if err != nil {
			return evidence{}, err
		}
		found.both(one)
	}
	for _, t := range others { // a message needs all of them
		if started && found.possible.Empty() {
			return found, nil
		}
		one, err := ex.term(ctx, t)
		if err != nil {
			return evidence{}, err
		}
		if started {
			found.both(one)
		} else {
			found, started = one, true
		}
	}
	if len(words) > 0 {
		excludedWords = withSymbols(excludedWords) // the query of the words excludes the others
	}
	defer func(most int) { ex.mostTexts = most }(ex.mostTexts)
	ex.mostTexts = 0 // what is excluded must be known whole
	for _, t := range append(excludedWords, excludedOthers...) {
		if found.possible.Empty() {
			return found, nil
		}
		one, err := ex.term(ctx, t)
		if err != nil {
			return evidence{}, err
		}
		found.without(one)
	}
	return found, nil
}

// term returns what the indexes tell about a term.
func (ex *executor) term(ctx context.Context, t match.Term) (evidence, error) {
	if t.Words() == nil {
		return ex.substring(ctx, t)
	}
	ids, err := ex.matchTable(ctx, &ex.words, ftsquery.Term(t))
	if err != nil {
		return evidence{}, err
	}
	if t.HasSymbols() {
		return ex.besideSymbols(ctx, t, ids)
	}
	found := certain(ids)
	beside, err := ex.besideScript(ctx, t)
	if err == nil {
		found.either(beside)
	}
	return found, err
}

// splitTerms splits off the terms that one query of the word index does not find: text in
// scripts without spaces, symbols alone, and words that some message has beside such a script.
func (ex *executor) splitTerms(ctx context.Context, terms []match.Term) (words, others []match.Term, err error) {
	for _, t := range terms {
		if t.Words() == nil {
			others = append(others, t)
			continue
		}
		beside, err := ex.besideScript(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if beside.possible.Empty() {
			words = append(words, t)
		} else {
			others = append(others, t)
		}
	}
	return words, others, nil
}

// ofWordsAlone reports whether one query of the word index finds a group.
func (ex *executor) ofWordsAlone(ctx context.Context, g match.Group) (bool, error) {
	for _, terms := range [][]match.Term{g.All, g.Not} {
		_, others, err := ex.splitTerms(ctx, terms)
		if err != nil || len(others)+len(withSymbols(terms)) > 0 {
			return false, err
		}
	}
	return true, nil
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
