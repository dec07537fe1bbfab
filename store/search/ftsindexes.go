package search

import (
	"context"
	"errors"
	"sync"

	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/search/fts"
)

// ftsIndexes reads the full-text tables without FTS5, which is many times faster.
// Where it can not, FTS5 is asked as before.
type ftsIndexes struct {
	readLock chan struct{} // held while an index is read
	indexes  map[string]*fts.Index
	refreshedFor map[string]*capabilityCache // table → the moment that its reader is at, where it is a catalog's

	mu          sync.Mutex
	unsupported map[string]string // table → why it was not read the last time
}

func newFTSIndexes() ftsIndexes {
	return ftsIndexes{readLock: make(chan struct{}, 1), indexes: map[string]*fts.Index{}, refreshedFor: map[string]*capabilityCache{}, unsupported: map[string]string{}}
}

// indexFor gives the reader of a table, whose turn it must be.
func (p *ftsIndexes) indexFor(table, ddl string) (*fts.Index, error) {
	if x := p.indexes[table]; x != nil {
		return x, nil
	}
	x, err := fts.New(table, ddl)
	if err == nil {
		p.indexes[table] = x
	}
	return x, err
}

// refreshed gives the reader of a table, whose turn it must be, at the moment of a
// finder. That of a catalog is told to it once.
func (p *ftsIndexes) refreshed(ctx context.Context, f *executor, table string, last int64) (*fts.Index, error) {
	x, err := p.indexFor(table, f.engine.db.Schema.Tables[table])
	if err != nil {
		return nil, err
	}
	if f.statements == nil {
		f.statements = f.engine.db.CachedStatements(f.tx)
	}
	if f.capabilityCache != nil && p.refreshedFor[table] == f.capabilityCache {
		x.Rebind(f.statements)
		return x, nil
	}
	delete(p.refreshedFor, table)
	if _, err := x.Refresh(ctx, f.statements, last); err != nil {
		return nil, err
	}
	if f.capabilityCache != nil {
		p.refreshedFor[table] = f.capabilityCache
	}
	return x, nil
}

// errOnlyFTS5 is that a question is one for FTS5, although the index is not.
var errOnlyFTS5 = errors.New("only FTS5 reads this text")

func (p *ftsIndexes) find(ctx context.Context, f *executor, table string, last int64, q ftsQuery, among *fts.Set) (*fts.Set, error) {
	x, err := p.refreshed(ctx, f, table, last)
	if err != nil {
		return nil, err
	}
	e, ok := q.indexExpression(x)
	if !ok {
		return nil, errOnlyFTS5
	}
	ids, err := x.SearchAmong(ctx, e, among)
	if err != nil {
		delete(p.refreshedFor, table)
	}
	return ids, err
}

// copyIndex gives a reader of a table to use beside the others.
func (p *ftsIndexes) copyIndex(ctx context.Context, table, ddl string) (*fts.Index, error) {
	select {
	case p.readLock <- struct{}{}:
		defer func() { <-p.readLock }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	x, err := p.indexFor(table, ddl)
	if err != nil {
		return nil, err
	}
	return x.Copy(), nil
}

// replaceIndex makes a copy the reader of a table.
func (p *ftsIndexes) replaceIndex(table string, x *fts.Index) {
	p.readLock <- struct{}{}
	defer func() { <-p.readLock }()
	p.indexes[table] = x
	delete(p.refreshedFor, table)
}

// UnsupportedIndexes says why full-text tables can not be read without FTS5 at the
// moment of q, one sentence per table. The answers of a search are the same then,
// only slower. The error is that of ctx.
func (e *Engine) UnsupportedIndexes(ctx context.Context, q db.Querier) ([]string, error) {
	if err := e.indexes.openAll(ctx, q, e.db.Schema.Tables); err != nil {
		return nil, err
	}
	return e.indexes.unsupportedReasons(), nil
}

// openAll opens the reader of each full-text table at the moment of q and records
// which can not be opened. The error is that of ctx.
func (p *ftsIndexes) openAll(ctx context.Context, q db.Querier, tables map[string]string) error {
	select {
	case p.readLock <- struct{}{}:
		defer func() { <-p.readLock }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		ddl, ok := tables[table]
		if !ok {
			continue
		}
		delete(p.refreshedFor, table)
		x, err := p.indexFor(table, ddl)
		if err == nil {
			_, err = x.Refresh(ctx, q, 0)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.recordRefusal(table, err)
	}
	return nil
}

// recordRefusal keeps why a table could not be read; nil for that it could.
func (p *ftsIndexes) recordRefusal(table string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.unsupported, table)
	if err != nil {
		p.unsupported[table] = err.Error()
	}
}

// unsupportedReasons says why full-text tables could not be read the last time.
func (p *ftsIndexes) unsupportedReasons() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if why := p.unsupported[table]; why != "" {
			out = append(out, why)
		}
	}
	return out
}
