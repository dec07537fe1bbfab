package store

import (
	"context"
	"database/sql"
	"sync"
)

// statements keeps what was prepared on the pool.
type statements struct {
	mu sync.Mutex
	of map[string]*sql.Stmt
}

// prepared asks inside a transaction by statements that were prepared before.
type prepared struct {
	tx   *sql.Tx
	db   *sql.DB
	kept *statements
	mine map[string]*sql.Stmt
}

// prepared gives a transaction, with statements that are kept. What is none it
// gives back.
func (s *Store) prepared(q queryer) queryer {
	tx, ok := q.(*sql.Tx)
	if !ok {
		return q
	}
	return &prepared{tx: tx, db: s.db, kept: &s.statements, mine: map[string]*sql.Stmt{}}
}

// QueryContext is that of [sql.Tx].
func (p *prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt := p.mine[query]
	if stmt == nil {
		kept, err := p.kept.get(ctx, p.db, query)
		if err != nil {
			return nil, err
		}
		stmt = p.tx.StmtContext(ctx, kept)
		p.mine[query] = stmt
	}
	return stmt.QueryContext(ctx, args...)
}

func (s *statements) get(ctx context.Context, db *sql.DB, query string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt := s.of[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if s.of == nil {
		s.of = map[string]*sql.Stmt{}
	}
	s.of[query] = stmt
	return stmt, nil
}
