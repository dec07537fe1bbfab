package search

import (
	"context"

	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
)

// Prepare reads what searches need before the first key: the sessions, the roles of
// messages, in a small file the roles in each session, the rows of the most frequent
// words and prefixes, and the facts that the indexes do not store. Without it a
// search gives the same answer later: words at 100,000 messages take 14 ms of CPU
// (p95) instead of 4. A later call reads the sessions, and else only what has changed
// since. It takes two to three seconds at a million messages and belongs in a
// goroutine of its own. The error is context.Canceled soon after ctx is.
func (e *Engine) Prepare(ctx context.Context) error {
	select {
	case e.prepareLock <- struct{}{}: // one at a time: each takes three connections
		defer func() { <-e.prepareLock }()
	case <-ctx.Done():
		return e.db.WrapError("prepare the search in", ctx.Err())
	}
	// Both take about as long, and neither needs the other: each cache records the
	// version of the index that it was read at.
	return e.db.WrapError("prepare the search in", db.Parallel(
		func() error { return e.prepareSnapshot(ctx) },
		func() error { return e.prepareIndexes(ctx) }))
}

// prepareSnapshot reads the sessions, and the session and the role of each message.
func (e *Engine) prepareSnapshot(ctx context.Context) error {
	e.sessions.ReadsMessageSessions.Store(true)
	// A search may have read only new sessions; Prepare has time to read all of them.
	if _, err := e.sessions.CurrentSnapshot(ctx); err != nil {
		return err
	}
	return e.sessions.ReadSnapshotTx(ctx, func(conn db.Querier, snap *snapshot.Snapshot) error {
		snap.Conversations.Sorted(query.ByActivity)
		snap.Conversations.NamesAndSources()
		if err := e.sessions.ReadMessageSessions(ctx, conn, snap); err != nil {
			return err
		}
		messages := snap.MessageSessions.Load()
		if err := e.sessions.ReadRoleSets(ctx, conn, e.sessions.RoleSets.NotRead(messages), true, nil); err != nil || messages == nil || messages.AllIDs().Len() > rolePrepareBatch {
			return err
		}
		var ids []string
		for _, m := range snap.All() {
			ids = append(ids, m.ID)
		}
		_, err := e.sessionRolesOf(ctx, snap, ids)
		return err
	})
}

// rolePrepareBatch is the number of messages up to which the roles and tools of each session
// are read before a filter needs them. With more messages that takes seconds.
const rolePrepareBatch = 150_000

// maxPreparedBytes bounds the memory of the rows of frequent words in an index whose last
// row is given: 100 bitmaps of its size, from 20 to 64 MB. Most of these words are in more
// than one message of 16, so lists of rows would take no less than bitmaps. At a million
// messages one key in twenty takes 7 ms of the thread that searches, with 12 MB 13 ms. The
// last row says little of the messages where most were pruned: more than five million get
// fewer bitmaps.
func maxPreparedBytes(last int64) int { return int(min(max(20<<20, 100*(last/8)), 64<<20)) }

// prepareIndexes reads the indexes, in a read transaction of its own.
func (e *Engine) prepareIndexes(ctx context.Context) error {
	return e.db.ReadTx(ctx, func(conn db.Querier) error {
		return e.newExecutor(conn, query.Query{}, e.db.SameVersion(ctx, conn)).prepareSets(ctx)
	})
}

// prepareSets reads the rows of the most frequent words and prefixes, unless they are
// in the cache, the structure of the trigram index, and the facts that the indexes do
// not store.
func (ex *executor) prepareSets(ctx context.Context) error {
	if err := ex.probeOnce(ctx); err != nil {
		return err
	}
	first, last, err := ex.idRange(ctx)
	if err != nil || last == 0 {
		return err
	}
	some := &idset.Set{}
	some.Add(last)
	if err := ex.removeHidden(ctx, some); err != nil {
		return err
	}
	if ex.words.table == "" || first < 0 {
		return nil
	}
	ix := &ex.engine.indexes
	x, err := ix.copyReader(ctx, ex.words.table, ex.engine.db.Schema.Tables[ex.words.table])
	if err == nil {
		_, err = x.Refresh(ctx, ex.tx, last)
	}
	if err == nil && !x.PrecomputedCoversMost() {
		err = x.Precompute(ctx, maxPreparedBytes(last))
	}
	if err != nil {
		return ctx.Err() // a search reports what is wrong with the index, and uses MATCH
	}
	ix.replaceReader(ex.words.table, x)
	if err := ex.prepareTrigrams(ctx, last); err != nil {
		return err
	}
	if err := ex.prepareUnindexed(ctx); err != nil {
		return err
	}
	if err := ex.prepareBorders(ctx); err != nil {
		return err
	}
	if !ex.hasTextLengths() || ex.trigrams.unindexedRows != "" {
		return nil
	}
	return ex.engine.textFacts.Prepare(ctx, ex.factSource(), last)
}

// prepareTrigrams reads the structure of the trigram index, which is most of the time
// of the first search that uses it.
func (ex *executor) prepareTrigrams(ctx context.Context, last int64) error {
	if err := ex.probeTrigrams(ctx); err != nil || ex.trigrams.table == "" {
		return err
	}
	ix, err := ex.engine.indexes.copyReader(ctx, ex.trigrams.table, ex.engine.db.Schema.Tables[ex.trigrams.table])
	if err == nil {
		_, err = ix.Refresh(ctx, ex.tx, last)
	}
	if err != nil {
		return ctx.Err() // as above
	}
	ex.engine.indexes.replaceReader(ex.trigrams.table, ix)
	return nil
}
