package search

import (
	"context"
	"slices"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
	"hermes-sessions/store/search/ftsquery"
	"hermes-sessions/store/search/scriptborders"
	"hermes-sessions/store/search/unindexed"
)

// maxBorderID is the greatest message id of a file in which words beside scripts without
// spaces are looked for by the trigrams: at a million messages that takes seconds in a process
// that searches once.
const maxBorderID = 200_000

// besideScript returns what the indexes tell about a word beside a script without spaces, see
// package scriptborders: nothing where the pages of an index cannot be read. The sets are not the
// caller's.
func (ex *executor) besideScript(ctx context.Context, t match.Term) (evidence, error) {
	found := certain(&idset.Set{})
	if t.BorderWord() == "" || ex.words.table == "" {
		return found, nil
	}
	if rows, ok := ex.borders[t]; ok {
		return rows, nil
	}
	v, err := ex.behindScripts(ctx)
	if err != nil {
		return evidence{}, err
	}
	err = ex.useIndexes(ctx, func(trigrams, words *fts.Index) error {
		if v != nil {
			before, err := scriptborders.Before(ctx, words, t)
			if err == nil {
				behind := v.BehindScript(t.BorderWord(), t.Prefix)
				found = ex.withUnread(v, behind, behind.Clone())
				found.either(certain(before))
			}
			return err
		}
		before, possible, err := ex.engine.borders.Rows(ctx, trigrams, words, trigrams == nil || ex.trigrams.unindexedRows != "", t)
		if err == nil {
			found = certain(before)
			found.possible.Union(possible)
		}
		return err
	})
	if err != nil {
		return evidence{}, err
	}
	if ex.hasIDRange() {
		found.sure.Clip(ex.firstID, ex.lastID)
		found.possible.Clip(ex.firstID, ex.lastID)
	}
	if ex.borders == nil {
		ex.borders = map[match.Term]evidence{}
	}
	ex.borders[t] = found
	return found, nil
}

// behindScripts returns what Prepare has read of what the indexes lack, nil where it does not have
// the words behind scripts.
func (ex *executor) behindScripts(ctx context.Context) (*unindexed.View, error) {
	v, err := ex.unindexedTexts(ctx)
	if v != nil && !v.HasBehindScripts() {
		v = nil
	}
	return v, err
}

// prepareBorders reads what comes before words beside scripts, and the words in the texts of the
// newest messages that have some.
func (ex *executor) prepareBorders(ctx context.Context) error {
	if v, err := ex.behindScripts(ctx); err != nil || v != nil {
		return err
	}
	unread, at := &idset.Set{}, fts.Version{}
	err := ex.useIndexes(ctx, func(trigrams, words *fts.Index) (err error) {
		unread, at, err = ex.engine.borders.Prepare(ctx, trigrams, words)
		return err
	})
	if err != nil || unread.Empty() {
		return err
	}
	texts := &scriptborders.Texts{}
	from, args := fromIDs(unread.All())
	err = ex.eachText(ctx, from, args, func(t messageText) {
		texts.Add(t.id, pyjson.Unescape(t.content), t.toolName, pyjson.Unescape(t.toolCalls))
	})
	if err == nil {
		ex.engine.borders.AddRuns(at, texts)
	}
	return err
}

// useIndexes calls use with the readers of the trigram index, nil where it cannot be used, and of
// the word index. Where an index cannot be read it drops the error: a search of that index
// reports it.
func (ex *executor) useIndexes(ctx context.Context, use func(trigrams, words *fts.Index) error) error {
	first, last, err := ex.idRange(ctx)
	if err != nil || last == 0 || first < 0 {
		return ctx.Err()
	}
	if err := ex.probeTrigrams(ctx); err != nil {
		return err
	}
	ix := &ex.engine.indexes
	if err := ix.lock(ctx); err != nil {
		return err
	}
	defer ix.unlock()
	var trigrams *fts.Index
	if last <= maxBorderID && ex.trigrams.table != "" {
		if trigrams, err = ix.refreshed(ctx, ex, ex.trigrams.table, last); err != nil {
			return ctx.Err()
		}
	}
	words, err := ix.refreshed(ctx, ex, ex.words.table, last)
	if err == nil {
		err = use(trigrams, words)
	}
	if err != nil {
		delete(ix.refreshedFor, ex.trigrams.table)
		delete(ix.refreshedFor, ex.words.table)
	}
	return ctx.Err()
}

// manyRows is how many messages fill a page without those that have a word beside a script.
const manyRows = 1_000

// wordsTogether returns what the indexes tell about a group of words in a process that searches
// once. Where its rows have to come at once and very many messages have the words as such, these do.
// Where few have several words as such or inside a longer one, beside a script or not, it is cheaper
// to read these than to look for what comes before every word. ok is false where neither helps.
func (ex *executor) wordsTogether(ctx context.Context, g match.Group) (found evidence, ok bool, err error) {
	if v, err := ex.behindScripts(ctx); err != nil || v != nil {
		return evidence{}, false, err
	}
	unread := false
	err = ex.useIndexes(ctx, func(trigrams, _ *fts.Index) (err error) {
		unread, err = ex.engine.borders.Unread(ctx, trigrams)
		return err
	})
	if err != nil || !unread {
		return evidence{}, false, err
	}
	q, ok := compileGroups([]match.Group{g})
	if !ok || len(withSymbols(g.All)) > 0 {
		return evidence{}, false, nil
	}
	together, err := ex.matchTable(ctx, &ex.words, q)
	if err != nil {
		return evidence{}, false, err
	}
	if ex.mostTexts > 0 && len(g.Not) == 0 && together.Len() >= manyRows {
		ex.cut = true
		return certain(together), true, nil
	}
	if len(g.All) < 2 || len(g.Not) > 0 || ex.trigrams.unindexedRows != "" {
		return evidence{}, false, nil
	}
	byLength := slices.Clone(g.All) // long words are rare
	slices.SortStableFunc(byLength, func(a, b match.Term) int { return len(b.Text) - len(a.Text) })
	defer func() { ex.candidates = nil }()
	for _, t := range byLength {
		q := ftsquery.Term(t)
		word := t.BorderWord()
		if word != "" { // with the words that go on with a script
			q = ftsquery.Phrase(word, true)
		}
		rows, err := ex.matchTable(ctx, &ex.words, q)
		if err != nil {
			return evidence{}, false, err
		}
		if word != "" {
			substring := ftsquery.Phrase(word, false)
			if len(word) < 3 {
				substring = ftsquery.Contains(word, nil)
			}
			within, ok, err := ex.matchTrigrams(ctx, substring)
			if err != nil || !ok {
				return evidence{}, false, err
			}
			rows.Union(within)
		}
		if ex.candidates != nil {
			rows.Intersect(ex.candidates)
		}
		ex.candidates = rows
	}
	found = evidence{together, ex.candidates.Clone()}
	found.possible.Union(together)
	return found, found.possible.Len()-together.Len() <= scriptborders.FewRows, nil
}
