package search

import (
	"context"

	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search/fts"
)

// Prepare reads ahead what searches need, so that each of them is quick: the
// sessions, who said which message, in a small file who speaks in each session,
// the rows of the most common words and of their beginnings, and how messages are
// written. A search is right without
// it, only slower, and later calls read only what has changed since, and the
// sessions. It is for a goroutine of its own: on a million messages it takes two
// to three seconds. The error is context.Canceled soon after ctx is.
func (e *Engine) Prepare(ctx context.Context) error {
	select {
	case e.prepareLock <- struct{}{}: // one at a time: each takes three connections
		defer func() { <-e.prepareLock }()
	case <-ctx.Done():
		return e.db.WrapError("prepare the search in", ctx.Err())
	}
	// They take as long as each other, and neither needs the other: what is kept
	// of an index says itself of which of its pages it is true.
	return e.db.WrapError("prepare the search in", db.Parallel(
		func() error { return e.prepareSnapshot(ctx) },
		func() error { return e.prepareIndexes(ctx) }))
}

// prepareSnapshot reads the sessions, whose the messages are and who said them.
func (e *Engine) prepareSnapshot(ctx context.Context) error {
	// A search may have caught up only: here there is time to read all sessions.
	if _, err := e.sessions.CurrentSnapshot(ctx); err != nil {
		return err
	}
	return e.sessions.ReadSnapshotTx(ctx, func(db db.Querier, c *snapshot.Snapshot) error {
		c.Conversations.Sorted(query.ByActivity)
		c.Conversations.NamesAndSources()
		if err := e.sessions.ReadMessageSessions(ctx, db, c); err != nil {
			return err
		}
		messages := c.MessageSessions.Load()
		if err := e.sessions.ReadRoleSets(ctx, db, e.sessions.RoleSets.NotRead(messages), nil); err != nil || messages == nil || messages.AllIDs().Len() > rolePrepareBatch {
			return err
		}
		var ids []string
		for _, m := range c.All() {
			ids = append(ids, m.ID)
		}
		_, err := e.sessions.SessionRolesOf(ctx, c, ids)
		return err
	})
}

// rolePrepareBatch is of how many messages it is read who speaks in their sessions,
// and which tools, before a filter asks. Of more this takes seconds.
const rolePrepareBatch = 150_000

// maxPreparedBytes bounds the memory of prepared words.
const maxPreparedBytes = 20 << 20

// prepareIndexes reads what the indexes say, at a moment of their own.
func (e *Engine) prepareIndexes(ctx context.Context) error {
	return e.db.ReadTx(ctx, func(db db.Querier) error {
		return e.newExecutor(db, query.Query{}, e.db.SameVersion(ctx, db)).prepareSets(ctx)
	})
}

// prepareSets reads the heaviest words and beginnings, where they are not at
// hand, where the trigrams stand, and how messages are written.
func (f *executor) prepareSets(ctx context.Context) error {
	if err := f.probeOnce(ctx); err != nil {
		return err
	}
	first, last, err := f.idRange(ctx)
	if err != nil || last == 0 {
		return err
	}
	some := &fts.Set{}
	some.Add(last)
	if err := f.removeHidden(ctx, some); err != nil {
		return err
	}
	if f.words.table == "" || first < 0 {
		return nil
	}
	p := &f.engine.indexes
	x, err := p.copyReader(ctx, f.words.table, f.engine.db.Schema.Tables[f.words.table])
	if err == nil {
		_, err = x.Refresh(ctx, f.tx, last)
	}
	if err == nil && !x.PrecomputedCoversMost() {
		err = x.Precompute(ctx, maxPreparedBytes)
	}
	if err != nil {
		return ctx.Err() // a search says what is wrong with the index, and does without
	}
	p.replaceReader(f.words.table, x)
	if err := f.prepareTrigrams(ctx, last); err != nil {
		return err
	}
	if err := f.prepareEscapeGaps(ctx); err != nil {
		return err
	}
	return f.prepareTextFacts(ctx, last)
}

// prepareTrigrams reads where the trigrams stand, which is most of what the first
// search takes that needs them.
func (f *executor) prepareTrigrams(ctx context.Context, last int64) error {
	if err := f.probeTrigrams(ctx); err != nil || f.trigrams.table == "" {
		return err
	}
	x, err := f.engine.indexes.copyReader(ctx, f.trigrams.table, f.engine.db.Schema.Tables[f.trigrams.table])
	if err == nil {
		_, err = x.Refresh(ctx, f.tx, last)
	}
	if err != nil {
		return ctx.Err() // a search says so too
	}
	f.engine.indexes.replaceReader(f.trigrams.table, x)
	return nil
}
