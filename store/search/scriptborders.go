package search

import (
	"context"

	"hermes-sessions/model/match"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

// besideScript returns what the indexes tell about a word beside a script without spaces, see
// package scriptborders. Without the reader of the pages of the index there is found. The sets are
// not the caller's.
func (ex *executor) besideScript(ctx context.Context, t match.Term) (evidence, error) {
	found := certain(&idset.Set{})
	if t.BorderWord() == "" || ex.words.table == "" {
		return found, nil
	}
	if rows, ok := ex.borders[t]; ok {
		return rows, nil
	}
	err := ex.useIndexes(ctx, func(trigrams, words *fts.Index) error {
		before, possible, all, err := ex.engine.borders.Rows(ctx, trigrams, words, t, ex.mostTexts > 0)
		if err == nil {
			ex.cut = ex.cut || !all
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
	if ex.trigrams.table != "" {
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
