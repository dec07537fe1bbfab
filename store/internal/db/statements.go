package db

import (
	"context"
	"database/sql"
	"sync"
)

// statementCache holds the statements that were prepared on the pool, by their text.
type statementCache struct {
	mu      sync.Mutex
	byQuery map[string]*sql.Stmt
}

// cachedTx runs queries inside a transaction with statements of the cache.
type cachedTx struct {
	tx    *sql.Tx
	db    *sql.DB
	cache *statementCache
	inTx  map[string]*sql.Stmt // the statements that the transaction has used
}

// CachedStatements returns a querier that runs in the transaction q and prepares each
// statement once per database. Where q is no transaction, it is given back.
func (d *DB) CachedStatements(q Querier) Querier {
	tx, ok := q.(*sql.Tx)
	if !ok {
		return q
	}
	return &cachedTx{tx: tx, db: d.Pool, cache: &d.statementCache, inTx: map[string]*sql.Stmt{}}
}

// QueryContext is that of [sql.Tx].
func (p *cachedTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt := p.inTx[query]
	if stmt == nil {
		prepared, err := p.cache.get(ctx, p.db, query)
		if err != nil {
			return nil, err
		}
		stmt = p.tx.StmtContext(ctx, prepared) //nolint:sqlclosecheck // it ends with the transaction
		p.inTx[query] = stmt
	}
	return stmt.QueryContext(ctx, args...)
}

// get returns the statement of a query, prepared now or before.
func (s *statementCache) get(ctx context.Context, db *sql.DB, query string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt := s.byQuery[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := db.PrepareContext(ctx, query) //nolint:sqlclosecheck // it is cached until the database is closed
	if err != nil {
		return nil, err
	}
	if s.byQuery == nil {
		s.byQuery = map[string]*sql.Stmt{}
	}
	s.byQuery[query] = stmt
	return stmt, nil
}
