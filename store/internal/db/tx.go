package db

import (
	"context"
	"database/sql"
)

// Querier is what a query needs: the pool, a connection, or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// ReadTx runs f inside one read transaction, so that all it reads is of one
// moment whatever others write.
func (d *DB) ReadTx(ctx context.Context, f func(Querier) error) error {
	tx, err := d.Pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return d.WrapError("read", err)
	}
	defer tx.Rollback() // ends the read; there is nothing to undo
	return f(tx)
}

// PairTx runs f inside two read transactions of one moment, for what is
// sooner read side by side. beside is nil where there is only one: it could not
// be opened, or somebody wrote just now.
func (d *DB) PairTx(ctx context.Context, f func(q, beside Querier) error) error {
	return d.ReadTx(ctx, func(q Querier) error {
		tx, err := d.Pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return f(q, nil)
		}
		defer tx.Rollback() // ends the read; there is nothing to undo
		if d.SameVersion(ctx, q, tx) == 0 {
			return f(q, nil)
		}
		return f(q, tx)
	})
}

// SameVersion begins reading in transactions, and gives the DataVersion that all of
// them see: 0 where somebody wrote meanwhile.
func (d *DB) SameVersion(ctx context.Context, all ...Querier) int64 {
	before, err := d.DataVersion(ctx)
	for _, q := range all {
		if err == nil {
			_, err = d.QueryValue(ctx, q, `SELECT 1 FROM sqlite_master LIMIT 1`)
		}
	}
	if err != nil {
		return 0 // whoever reads in them says what is wrong
	}
	if after, err := d.DataVersion(ctx); err != nil || after != before {
		return 0
	}
	return before
}

// ReadOnlyTx runs f with what a transaction gives, on a connection that can not
// write, so that f finds out beforehand what a change would meet.
func (d *DB) ReadOnlyTx(ctx context.Context, f func(*Tx) error) error {
	conn, err := d.Pool.Conn(ctx)
	if err != nil {
		return d.WrapError("look at", err)
	}
	defer conn.Close()
	t := &Tx{conn: conn, Timestamp: Seconds(d.Clock())}
	if t.Schema, err = ReadSchema(ctx, t); err != nil {
		return d.WrapError("look at", err)
	}
	return d.WrapError("look at", f(t))
}

// Tx is a write transaction. It is a [Querier], so that what reads a snapshot
// also reads inside a change.
type Tx struct {
	conn      *sql.Conn
	Schema    Schema  // asked inside the transaction: a newer Hermes may have changed it since Open
	Timestamp float64 // seconds since the epoch, one moment for the whole change
}

func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.conn.QueryContext(ctx, query, args...)
}

// Exec runs one or more statements and gives the number of rows that the last
// of them changed.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := t.conn.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// Insert runs an INSERT and gives the new row's id.
func (t *Tx) Insert(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := t.conn.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// One is [FirstValue] inside the transaction.
func (t *Tx) One(ctx context.Context, query string, args ...any) (v any, ok bool, err error) {
	return FirstValue(ctx, t, query, args...)
}

// Exists reports whether there is a session with this id.
func (t *Tx) Exists(ctx context.Context, id string) (bool, error) {
	_, found, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, id)
	return found, err
}
