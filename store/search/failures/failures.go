// Package failures reads which results of tools report a failure.
//
// A result fails by its first bytes, see [model.StoredFailure]. The words that it then
// begins with are in the word index, with their places, so that of a million results few
// have to be read.
//
// A [Cache] has the results that failed, with the version of the word index that they were
// read at. It never changes an answer.
package failures

import (
	"context"
	"maps"
	"slices"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/search/fts"
	"hermes-sessions/store/search/ftsquery"
)

// Result is a result that reports a failure.
type Result struct {
	Session string
	Tool    string // as the result names it, "" where it does not
}

// Source is a database in a read transaction.
type Source struct {
	ToolName string // the expression for a message's tool
	Tx       db.Querier
	Beside   db.Querier  // for another goroutine, in a transaction of the same version; nil for none
	Changes  fts.Changes // of the word index
	// Words gives the messages that satisfy a query to the word index, Trigrams one to the
	// trigram index. ok is false when the index cannot answer for all messages.
	Words, Trigrams func(ctx context.Context, q ftsquery.Query) (ids *fts.Set, ok bool, err error)
}

// Cache caches what was read of one database.
type Cache struct {
	mu           sync.Mutex
	indexVersion fts.Version      // version of the word index that failed was read at
	known        bool             // failed was read
	failed       map[int64]Result // by message; replaced when it changes
}

const (
	readBatch  = 2_000 // messages that one statement reads; ctx is checked between two
	maxChanged = 5_000 // with more changed messages the index is asked again
	maxFailed  = 500_000
)

// All gives the results that failed, by message. The map is not to be changed. ok is false
// when the index cannot tell: then all results must be read.
func (c *Cache) All(ctx context.Context, src Source) (all map[int64]Result, ok bool, err error) {
	c.mu.Lock()
	earlier, known, all := c.indexVersion, c.known, c.failed
	c.mu.Unlock()
	now, changed, ok, err := src.Changes(ctx, earlier)
	if err != nil || !ok {
		return nil, false, err
	}
	if known && earlier.Equal(now) {
		return all, true, nil
	}
	if !known || changed == nil || changed.Len() > maxChanged {
		all = nil
		if changed, ok, err = src.candidates(ctx); err != nil || !ok {
			return nil, false, err
		}
	}
	failed := make(map[int64]Result, len(all))
	maps.Copy(failed, all)
	for id := range changed.All() {
		delete(failed, id)
	}
	read, err := src.readAll(ctx, changed.Rowids())
	if err != nil {
		return nil, false, err
	}
	maps.Copy(failed, read)
	if len(failed) <= maxFailed {
		c.mu.Lock()
		c.indexVersion, c.known, c.failed = now, true, failed
		c.mu.Unlock()
	}
	return failed, true, nil
}

// headWords is more than the words that the first [model.MaxFailure] bytes have: each takes
// a byte, and one that separates it from the next.
const headWords = model.MaxFailure/2 + 1

// candidates gives the messages that may report a failure, see [model.StoredFailure]. Most
// successes of a program have the key "error" too, behind its output: trigrams tell it from
// the word, and where it stands.
func (s Source) candidates(ctx context.Context) (ids *fts.Set, ok bool, err error) {
	first := func(text string, prefix bool) ftsquery.Query { return ftsquery.Early(text, prefix, 1) }
	words := []ftsquery.Query{
		first("json", false), // content with media, of which the text is decoded
		first("error", true), first("exception", true), first("failed", true), first("fatal", false),
		first("traceback most recent", true), first("tool error", true), first("tool use error", false),
		ftsquery.Early("exit code", false, headWords, "0"),
		ftsquery.Early("exited with code", false, headWords, "0"),
		ftsquery.Early("success false", true, headWords),
	}
	withKey, byTrigrams, err := s.Trigrams(ctx, ftsquery.Early(`"error"`, false, model.MaxFailure))
	if err != nil {
		return nil, false, err
	}
	if !byTrigrams {
		words = append(words, ftsquery.Early("error", false, headWords))
	}
	if ids, ok, err = s.Words(ctx, ftsquery.AnyOf(words...)); ok && err == nil {
		ids.Union(withKey)
	}
	return ids, ok, err
}

// readAll reads which of some messages are results that failed. Where they are many, two
// goroutines read half of them each.
func (s Source) readAll(ctx context.Context, ids []int64) (map[int64]Result, error) {
	if s.Beside == nil || len(ids) < 10*readBatch {
		return s.read(ctx, s.Tx, ids)
	}
	var some, others map[int64]Result
	err := db.Parallel(
		func() (err error) { some, err = s.read(ctx, s.Tx, ids[:len(ids)/2]); return err },
		func() (err error) { others, err = s.read(ctx, s.Beside, ids[len(ids)/2:]); return err })
	if err != nil {
		return nil, err
	}
	maps.Copy(some, others)
	return some, nil
}

// read reads which of some messages are results that failed.
func (s Source) read(ctx context.Context, tx db.Querier, ids []int64) (map[int64]Result, error) {
	failed, names := map[int64]Result{}, map[string]string{}
	intern := func(name string) string { // each name in memory once
		if _, ok := names[name]; !ok {
			names[name] = name
		}
		return names[name]
	}
	for batch := range slices.Chunk(ids, readBatch) {
		err := db.EachRow(ctx, tx, `SELECT m.id, m.session_id, `+db.ResultHead+`, `+s.ToolName+`
			FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE m.role = 'tool'`, []any{db.JSONList(slices.Values(batch))}, func(r db.Row) {
			if model.StoredFailure(r.Text(2)) != "" {
				failed[r.Int(0)] = Result{intern(r.Text(1)), intern(r.Text(3))}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return failed, nil
}
