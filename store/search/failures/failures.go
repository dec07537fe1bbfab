// Package failures reads which results of tools report a failure.
//
// The beginning and the end of a result say whether it reports a failure, see [model.StoredFailure].
// The word index has these words with their positions, so that few of a million results
// have to be read.
//
// A [Cache] holds the results that report a failure, with the version of the word index that
// they were read at. It never changes an answer.
package failures

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
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
	ToolName   string // the SQL expression for the tool of a message m
	Tx         db.Querier
	ParallelTx db.Querier  // for another goroutine, in a transaction of the same version; nil for none
	Changes    fts.Changes // of the word index
	// Words returns the messages that satisfy a query to the word index, Trigrams those
	// that satisfy one to the trigram index. ok is false when the index cannot answer for
	// all messages. The set is the caller's.
	Words, Trigrams func(ctx context.Context, q ftsquery.Query) (ids *idset.Set, ok bool, err error)
}

// Cache holds the results that were read from one database. The zero value is empty. It
// may be used by several goroutines.
type Cache struct {
	mu           sync.Mutex
	indexVersion fts.Version      // version of the word index that failed was read at
	known        bool             // failed was read
	failed       map[int64]Result // by message; never changed, a new map replaces it
}

const (
	readBatch  = 2_000   // messages that one statement reads; ctx is checked between two
	maxChanged = 5_000   // with more changed messages the index is searched again
	maxFailed  = 500_000 // failed results that are cached; with more, each call reads them
)

// All returns the results that report a failure, by message. The map must not be changed. ok
// is false when the index cannot tell: then all results must be read.
func (c *Cache) All(ctx context.Context, src Source) (all map[int64]Result, ok bool, err error) {
	c.mu.Lock()
	earlier := c.indexVersion
	known := c.known
	all = c.failed
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
		c.indexVersion = now
		c.known = true
		c.failed = failed
		c.mu.Unlock()
	}
	return failed, true, nil
}

// headWords is more than the number of words in the first [model.MaxFailure] bytes: each
// takes a byte, and one that separates it from the next.
const headWords = model.MaxFailure/2 + 1

// candidates returns the messages that may report a failure, see [model.StoredFailure]. Most
// results of a program that succeeded have the key "error" too, after its output: trigrams
// distinguish the key from the word, and show where it is.
func (s Source) candidates(ctx context.Context) (ids *idset.Set, ok bool, err error) {
	first := func(text string, prefix bool) ftsquery.Query { return ftsquery.Early(text, prefix, 1) }
	words := []ftsquery.Query{
		first("json", false), // content with media, of which the text is decoded
		first("error", true), first("exception", true), first("failed", true), first("fatal", false),
		first("traceback most recent", true), first("tool error", true), first("tool use error", false),
		ftsquery.Early("exit code", false, math.MaxInt32, "0"), // it may be at the end
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

// readAll reads which messages of ids are results that report a failure. Where ids are
// many, two goroutines read half of them each.
func (s Source) readAll(ctx context.Context, ids []int64) (map[int64]Result, error) {
	if s.ParallelTx == nil || len(ids) < 10*readBatch {
		return s.read(ctx, s.Tx, ids)
	}
	var some, others map[int64]Result
	err := db.Parallel(
		func() (err error) { some, err = s.read(ctx, s.Tx, ids[:len(ids)/2]); return err },
		func() (err error) { others, err = s.read(ctx, s.ParallelTx, ids[len(ids)/2:]); return err })
	if err != nil {
		return nil, err
	}
	maps.Copy(some, others)
	return some, nil
}

// read reads, in the transaction tx, which messages of ids are results that report a
// failure.
func (s Source) read(ctx context.Context, tx db.Querier, ids []int64) (map[int64]Result, error) {
	failed, names := map[int64]Result{}, map[string]string{}
	intern := func(name string) string { // each name in memory once
		if _, ok := names[name]; !ok {
			names[name] = name
		}
		return names[name]
	}
	for batch := range slices.Chunk(ids, readBatch) {
		err := db.EachRow(ctx, tx, `SELECT m.id, m.session_id, `+s.ToolName+`
			FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value WHERE `+db.ResultFailure+` IS NOT NULL`, []any{db.JSONList(slices.Values(batch))}, func(r db.Row) {
			failed[r.Int(0)] = Result{intern(r.Text(1)), intern(r.Text(2))}
		})
		if err != nil {
			return nil, err
		}
	}
	return failed, nil
}
