package search

import (
	"context"
	"errors"

	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/search/fts"
	"hermes-sessions/store/search/ftsquery"
)

// ftsIndexes holds one reader per full-text table. A reader answers many times
// faster than FTS5; a table that it cannot read is queried with MATCH.
type ftsIndexes struct {
	turn         chan struct{}               // see [ftsIndexes.lock]
	readers      map[string]*fts.Index       // by table
	refreshedFor map[string]*capabilityCache // table → the snapshot whose read transaction its reader was refreshed in, nil for another one
}

// newFTSIndexes returns the readers of a database, none of which is made yet.
func newFTSIndexes() ftsIndexes {
	return ftsIndexes{turn: make(chan struct{}, 1), readers: map[string]*fts.Index{}, refreshedFor: map[string]*capabilityCache{}}
}

// lock waits for the readers, which serve one search at a time. The error is that
// of ctx.
func (ix *ftsIndexes) lock(ctx context.Context) error {
	select {
	case ix.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unlock passes the readers to the next search.
func (ix *ftsIndexes) unlock() { <-ix.turn }

// reader returns the reader of a table. The caller holds the lock.
func (ix *ftsIndexes) reader(table, ddl string) (*fts.Index, error) {
	if x := ix.readers[table]; x != nil {
		return x, nil
	}
	x, err := fts.New(table, ddl)
	if err == nil {
		ix.readers[table] = x
	}
	return x, err
}

// refreshed returns the reader of a table, up to date with the read transaction of an
// executor. It is refreshed once per snapshot. The caller holds the lock.
func (ix *ftsIndexes) refreshed(ctx context.Context, ex *executor, table string, last int64) (*fts.Index, error) {
	x, err := ix.reader(table, ex.engine.db.Schema.Tables[table])
	if err != nil {
		return nil, err
	}
	if ex.statements == nil {
		ex.statements = ex.engine.db.CachedStatements(ex.tx)
	}
	if ex.capabilityCache != nil && ix.refreshedFor[table] == ex.capabilityCache {
		x.Rebind(ex.statements)
		return x, nil
	}
	delete(ix.refreshedFor, table)
	if _, err := x.Refresh(ctx, ex.statements, last); err != nil {
		return nil, err
	}
	if ex.capabilityCache != nil {
		ix.refreshedFor[table] = ex.capabilityCache
	}
	return x, nil
}

// errOnlyFTS5 says that a reader cannot split the text of a query into words, but
// can read the index.
var errOnlyFTS5 = errors.New("only FTS5 reads this text")

// search returns the rows of a table that satisfy a query, see
// [executor.matchByIndex]. The caller holds the lock.
func (ix *ftsIndexes) search(ctx context.Context, ex *executor, table string, last int64, q ftsquery.Query, among *idset.Set) (*idset.Set, error) {
	x, err := ix.refreshed(ctx, ex, table, last)
	if err != nil {
		return nil, err
	}
	e, ok := q.IndexExpression(x)
	if !ok {
		return nil, errOnlyFTS5
	}
	ids, err := x.SearchAmong(ctx, e, among)
	if err != nil {
		delete(ix.refreshedFor, table)
	}
	return ids, err
}

// copyReader returns a copy of the reader of a table, which the caller can use while
// searches go on.
func (ix *ftsIndexes) copyReader(ctx context.Context, table, ddl string) (*fts.Index, error) {
	if err := ix.lock(ctx); err != nil {
		return nil, err
	}
	defer ix.unlock()
	x, err := ix.reader(table, ddl)
	if err != nil {
		return nil, err
	}
	return x.Copy(), nil
}

// replaceReader puts a copy in the place of the reader of a table.
func (ix *ftsIndexes) replaceReader(table string, x *fts.Index) {
	ix.turn <- struct{}{}
	defer ix.unlock()
	ix.readers[table] = x
	delete(ix.refreshedFor, table)
}
