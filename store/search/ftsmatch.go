package search

import (
	"context"
	"errors"

	"hermes-sessions/store/search/fts"
)

// matchTable asks a full-text table. The set is the caller's.
func (f *executor) matchTable(ctx context.Context, x *ftsTable, q ftsQuery) (*fts.Set, error) {
	if ids, ok, err := f.matchByIndex(ctx, x, q, nil); ok || err != nil {
		return ids, err
	}
	f.addStep("SQLite's full-text index " + x.table)
	query := `SELECT rowid FROM ` + x.table + ` WHERE ` + x.table + ` MATCH ?`
	args := []any{q.matchExpression()}
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

// matchByIndex asks a full-text table by its pages, for some messages only unless
// among is nil: then others may be among those it gives. ok is false where FTS5
// must be asked; an error is that of ctx.
func (f *executor) matchByIndex(ctx context.Context, x *ftsTable, q ftsQuery, among *fts.Set) (ids *fts.Set, ok bool, err error) {
	first, last, err := f.idRange(ctx)
	if err != nil || first < 0 {
		return nil, false, ctx.Err()
	}
	p := &f.engine.indexes
	select {
	case p.readLock <- struct{}{}:
		defer func() { <-p.readLock }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	ids, err = p.find(ctx, f, x.table, last, q, among)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, errOnlyFTS5) {
			p.recordRefusal(x.table, err)
		}
		return nil, false, ctx.Err()
	}
	f.addStep("the pages of " + x.table)
	if f.hasIDRange() {
		ids.Clip(f.firstID, f.lastID)
	}
	return ids, true, nil
}

// matchTrigrams asks the index of trigrams by its pages, as far as messages are of
// interest. ok is false where these do not tell of all messages.
func (f *executor) matchTrigrams(ctx context.Context, q ftsQuery) (ids *fts.Set, ok bool, err error) {
	if f.trigrams.table == "" || f.trigrams.unindexedRows != "" || !f.trigrams.bracketed {
		return nil, false, nil
	}
	return f.matchByIndex(ctx, &f.trigrams, q, f.candidates)
}

// rowsSince gives the moment of a full-text table and the messages that it was told
// of after another one, nil for any. ok is false where it can not be read.
func (f *executor) rowsSince(ctx context.Context, x *ftsTable, m fts.Version) (now fts.Version, changed *fts.Set, ok bool, err error) {
	_, last, err := f.idRange(ctx)
	if err != nil {
		return now, nil, false, err
	}
	p := &f.engine.indexes
	select {
	case p.readLock <- struct{}{}:
		defer func() { <-p.readLock }()
	case <-ctx.Done():
		return now, nil, false, ctx.Err()
	}
	pages, err := p.refreshed(ctx, f, x.table, last)
	if err != nil {
		return now, nil, false, ctx.Err()
	}
	changed, ok, err = pages.ChangedSince(ctx, m)
	if ctx.Err() != nil {
		return now, nil, false, ctx.Err()
	}
	if err != nil || !ok {
		changed = nil
	}
	return pages.Version(), changed, true, nil
}
