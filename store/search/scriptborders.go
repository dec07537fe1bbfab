package search

import (
	"context"

	"hermes-sessions/model/match"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
)

// maxBorderID is the greatest message id of a file in which words beside scripts without
// spaces are looked for by the trigrams: at a million messages those before a word take seconds
// in a process that searches once, and 20 MB of memory in the browser.
const maxBorderID = 200_000

// borderRows returns the messages that have a word beside a script without spaces, see
// package scriptborders. Without the reader of the pages of the index there are none. The set is
// not the caller's.
func (ex *executor) borderRows(ctx context.Context, t match.Term) (*idset.Set, error) {
	if t.BorderWord() == "" || ex.words.table == "" {
		return &idset.Set{}, nil
	}
	if rows := ex.borders[t]; rows != nil {
		return rows, nil
	}
	var others []match.Term // of a query without OR: messages that lack one are not wanted
	if len(ex.query.Groups) == 1 {
		others = ex.query.Groups[0].All
	}
	rows, err := ex.engine.borders.Rows(ctx, borderSource{ex}, t, others)
	if err != nil {
		return nil, err
	}
	if ex.hasIDRange() {
		rows.Clip(ex.firstID, ex.lastID)
	}
	if ex.borders == nil {
		ex.borders = map[match.Term]*idset.Set{}
	}
	ex.borders[t] = rows
	return rows, nil
}

// borderSource is what package scriptborders asks of a database.
type borderSource struct{ f *executor }

// UseIndexes implements scriptborders.Source.
func (s borderSource) UseIndexes(ctx context.Context, use func(trigrams, words *fts.Index) error) error {
	ex := s.f
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
	return ctx.Err() // a search of the index reports what is wrong with it
}

// EachText implements scriptborders.Source.
func (s borderSource) EachText(ctx context.Context, ids *idset.Set, each func(id int64, texts ...string)) error {
	s.f.addStep("words beside scripts without spaces, by reading the messages")
	from, args := fromIDs(ids.All())
	return s.f.eachText(ctx, from, args, func(t messageText) {
		each(t.id, pyjson.Unescape(t.content), t.toolName, pyjson.Unescape(t.toolCalls))
	})
}
