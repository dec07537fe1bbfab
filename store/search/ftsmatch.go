package search

import (
	"context"
	"errors"

	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
	"hermes-sessions/store/search/ftsquery"
	"hermes-sessions/store/search/textfacts"
)

// matchTable returns the rows of a full-text table that satisfy a query: by the
// reader of the index where it can answer, else by FTS5. The set is the caller's.
// An error of FTS5 is an [*indexError].
func (ex *executor) matchTable(ctx context.Context, x *ftsTable, q ftsquery.Query) (*idset.Set, error) {
	if ids, ok, err := ex.matchByIndex(ctx, x, q, nil); ok || err != nil {
		return ids, err
	}
	ex.addStep("SQLite's full-text index " + x.table)
	query := `SELECT rowid FROM ` + x.table + ` WHERE ` + x.table + ` MATCH ?`
	args := []any{q.MatchExpression()}
	if ex.hasIDRange() {
		query += ` AND rowid BETWEEN ? AND ?`
		args = append(args, ex.firstID, ex.lastID)
	}
	ids := &idset.Set{}
	if err := ex.queryInto(ctx, ids, query, args...); err != nil {
		return nil, &indexError{x, err}
	}
	return ids, nil
}

// matchByIndex returns the rows of a full-text table that satisfy a query, by the
// reader of the index. When among is not nil, all of its rows that satisfy the
// query are among the answer, and maybe other rows. The set is the caller's. ok is
// false when the reader cannot answer; the error is ctx's, or an [*indexError]
// where the pages of the index contradict each other.
func (ex *executor) matchByIndex(ctx context.Context, x *ftsTable, q ftsquery.Query, among *idset.Set) (ids *idset.Set, ok bool, err error) {
	first, last, err := ex.idRange(ctx)
	if err != nil || first < 0 {
		return nil, false, ctx.Err()
	}
	ix := &ex.engine.indexes
	if err := ix.lock(ctx); err != nil {
		return nil, false, err
	}
	defer ix.unlock()
	ids, err = ix.search(ctx, ex, x.table, last, q, among)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, errOnlyFTS5) {
			if e, ok := errors.AsType[*fts.UnsupportedError](err); ok && e.Damaged {
				return nil, false, &indexError{x, err}
			}
		}
		return nil, false, ctx.Err()
	}
	ex.addStep("the pages of " + x.table)
	if ex.hasIDRange() {
		ids.Clip(ex.firstID, ex.lastID)
	}
	return ids, true, nil
}

// matchTrigrams returns the rows of the trigram index that satisfy a query, by the
// reader of the index. While ex.candidates is set, only these are looked for. ok is
// false when the index does not hold every message whole, in one column, or the
// reader cannot answer.
func (ex *executor) matchTrigrams(ctx context.Context, q ftsquery.Query) (ids *idset.Set, ok bool, err error) {
	if ex.trigrams.table == "" || ex.trigrams.unindexedRows != "" || !ex.trigrams.oneColumn {
		return nil, false, nil
	}
	return ex.matchByIndex(ctx, &ex.trigrams, q, ex.candidates)
}

// changesOf is [executor.changedSince] of one index.
func (ex *executor) changesOf(x *ftsTable) fts.Changes {
	return func(ctx context.Context, earlier fts.Version) (fts.Version, *idset.Set, bool, error) {
		return ex.changedSince(ctx, x, earlier)
	}
}

// changedSince returns the version of an index now and the rows that were written to
// it since an earlier version, nil when they are not known: then any row may have
// changed. ok is false when the index cannot be read; the error is that of ctx or
// of reading the ids.
func (ex *executor) changedSince(ctx context.Context, x *ftsTable, earlier fts.Version) (now fts.Version, changed *idset.Set, ok bool, err error) {
	_, last, err := ex.idRange(ctx)
	if err != nil {
		return now, nil, false, err
	}
	ix := &ex.engine.indexes
	if err := ix.lock(ctx); err != nil {
		return now, nil, false, err
	}
	defer ix.unlock()
	index, err := ix.refreshed(ctx, ex, x.table, last)
	if err != nil {
		return now, nil, false, ctx.Err()
	}
	changed, ok, err = index.ChangedSince(ctx, earlier)
	if ctx.Err() != nil {
		return now, nil, false, ctx.Err()
	}
	if err != nil || !ok {
		changed = nil
	}
	return index.Version(), changed, true, nil
}

// factSource returns the trigram index to package textfacts.
func (ex *executor) factSource() textfacts.Source {
	return textfacts.Source{
		Table: ex.trigrams.table, Synced: ex.engine.db.Schema.HasSyncTriggers(ex.trigrams.table),
		ToolName: ex.toolNameColumn, ToolCalls: ex.toolCallsColumn, Tx: ex.tx,
		Changes: ex.changesOf(&ex.trigrams),
	}
}
