package search

import (
	"context"
	"errors"

	"hermes-sessions/store/search/fts"
	"hermes-sessions/store/search/ftsquery"
	"hermes-sessions/store/search/textfacts"
)

// matchTable returns the rows of a full-text table that satisfy a query: by the
// reader of the index where it can answer, else by FTS5. The set is the caller's.
// An error of FTS5 is an [*indexError].
func (f *executor) matchTable(ctx context.Context, x *ftsTable, q ftsquery.Query) (*fts.Set, error) {
	if ids, ok, err := f.matchByIndex(ctx, x, q, nil); ok || err != nil {
		return ids, err
	}
	f.addStep("SQLite's full-text index " + x.table)
	query := `SELECT rowid FROM ` + x.table + ` WHERE ` + x.table + ` MATCH ?`
	args := []any{q.MatchExpression()}
	if f.hasIDRange() {
		query += ` AND rowid BETWEEN ? AND ?`
		args = append(args, f.firstID, f.lastID)
	}
	ids := &fts.Set{}
	if err := f.queryInto(ctx, ids, query, args...); err != nil {
		return nil, &indexError{x, err}
	}
	return ids, nil
}

// matchByIndex returns the rows of a full-text table that satisfy a query, by the
// reader of the index. When among is not nil, all of its rows that satisfy the
// query are among the answer, and maybe other rows. The set is the caller's. ok is
// false when the reader cannot answer; the error is that of ctx, or an [*indexError]
// where the pages of the index contradict each other.
func (f *executor) matchByIndex(ctx context.Context, x *ftsTable, q ftsquery.Query, among *fts.Set) (ids *fts.Set, ok bool, err error) {
	first, last, err := f.idRange(ctx)
	if err != nil || first < 0 {
		return nil, false, ctx.Err()
	}
	p := &f.engine.indexes
	if err := p.lock(ctx); err != nil {
		return nil, false, err
	}
	defer p.unlock()
	ids, err = p.search(ctx, f, x.table, last, q, among)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, errOnlyFTS5) {
			if e, ok := errors.AsType[*fts.UnsupportedError](err); ok && e.Damaged {
				return nil, false, &indexError{x, err}
			}
		}
		return nil, false, ctx.Err()
	}
	f.addStep("the pages of " + x.table)
	if f.hasIDRange() {
		ids.Clip(f.firstID, f.lastID)
	}
	return ids, true, nil
}

// matchTrigrams returns the rows of the trigram index that satisfy a query, by the
// reader of the index. While f.candidates is set, only these are looked for. ok is
// false when the index does not hold every message whole, in one column, or the
// reader cannot answer.
func (f *executor) matchTrigrams(ctx context.Context, q ftsquery.Query) (ids *fts.Set, ok bool, err error) {
	if f.trigrams.table == "" || f.trigrams.unindexedRows != "" || !f.trigrams.oneColumn {
		return nil, false, nil
	}
	return f.matchByIndex(ctx, &f.trigrams, q, f.candidates)
}

// changesOf is [executor.changedSince] of one index.
func (f *executor) changesOf(x *ftsTable) fts.Changes {
	return func(ctx context.Context, earlier fts.Version) (fts.Version, *fts.Set, bool, error) {
		return f.changedSince(ctx, x, earlier)
	}
}

// changedSince returns the version of an index now and the rows that were written to
// it since an earlier version, nil when they are not known: then any row may have
// changed. ok is false when the index cannot be read; the error is that of ctx or
// of reading the ids.
func (f *executor) changedSince(ctx context.Context, x *ftsTable, earlier fts.Version) (now fts.Version, changed *fts.Set, ok bool, err error) {
	_, last, err := f.idRange(ctx)
	if err != nil {
		return now, nil, false, err
	}
	p := &f.engine.indexes
	if err := p.lock(ctx); err != nil {
		return now, nil, false, err
	}
	defer p.unlock()
	index, err := p.refreshed(ctx, f, x.table, last)
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
func (f *executor) factSource() textfacts.Source {
	return textfacts.Source{
		Table: f.trigrams.table, Synced: f.engine.db.Schema.HasSyncTriggers(f.trigrams.table),
		ToolName: f.toolNameColumn, ToolCalls: f.toolCallsColumn, Tx: f.tx,
		Changes: f.changesOf(&f.trigrams),
	}
}
