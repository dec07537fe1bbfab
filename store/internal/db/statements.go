package db

import (
	"context"
	"database/sql"
	"sync"
)

// statementCache keeps what was prepared on the pool.
type statementCache struct {
	mu      sync.Mutex
	byQuery map[string]*sql.Stmt
}

// cachedTx asks inside a transaction by statements that were prepared before.
type cachedTx struct {
	tx    *sql.Tx
	db    *sql.DB
	cache *statementCache
	inTx  map[string]*sql.Stmt
}

// CachedStatements gives a transaction, with statements that are kept. What is none it
// gives back.
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
		kept, err := p.cache.get(ctx, p.db, query)
		if err != nil {
			return nil, err
		}
		stmt = p.tx.StmtContext(ctx, kept) //nolint:sqlclosecheck // it ends with the transaction
		p.inTx[query] = stmt
	}
	return stmt.QueryContext(ctx, args...)
}

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
