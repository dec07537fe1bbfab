package db

import (
	"cmp"
	"context"
	"database/sql"
)

// Querier runs queries: the pool, a connection, or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// ReadTx runs f inside one read transaction: f reads one version of the file, whatever
// other processes write at the same time.
func (d *DB) ReadTx(ctx context.Context, f func(Querier) error) error {
	tx, err := d.Pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return d.WrapError("read", err)
	}
	defer tx.Rollback() // ends the read; there is nothing to undo
	return f(tx)
}

// PairTx runs f with two read transactions of the same version of the file, for two
// goroutines. parallel is nil where the second one could not be opened, or a write came
// between the two.
func (d *DB) PairTx(ctx context.Context, f func(q, parallel Querier) error) error {
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

// SameVersion makes the first read of some transactions and returns the DataVersion that
// all of them see; 0 where a write came between or one of them failed.
func (d *DB) SameVersion(ctx context.Context, all ...Querier) int64 {
	before, err := d.DataVersion(ctx)
	for _, q := range all {
		if err == nil {
			_, err = QueryValue(ctx, q, `SELECT 1 FROM sqlite_master LIMIT 1`)
		}
	}
	if err != nil {
		return 0 // the next read in the transaction reports the error
	}
	if after, err := d.DataVersion(ctx); err != nil || after != before {
		return 0
	}
	return before
}

// ReadOnlyTx runs f with a [Tx] on a connection that cannot write, to check beforehand
// whether a change would be refused. It is not a transaction: reads in it may be of
// different versions.
func (d *DB) ReadOnlyTx(ctx context.Context, f func(*Tx) error) error {
	conn, err := d.Pool.Conn(ctx)
	if err != nil {
		return d.WrapError("check", err)
	}
	defer conn.Close()
	t := &Tx{conn: conn, Timestamp: Seconds(d.Clock())}
	defer t.closeStatements()
	if t.Schema, err = ReadSchema(ctx, t); err != nil {
		return d.WrapError("check", err)
	}
	return d.WrapError("check", f(t))
}

// Tx is a write transaction. It is a [Querier], so that code that reads also works
// inside a change.
type Tx struct {
	conn      *sql.Conn
	Schema    Schema  // read inside the transaction: a newer Hermes may have changed it since Open
	Timestamp float64 // now, in seconds since the epoch; the same for the whole change
	watch     *watch  // nil where nothing is changed, or the schema itself is

	trigramsOfWriter trigramExtent // see FitTrigrams; hasOther until it is known

	prepared map[string]*sql.Stmt // see Prepared
}

// QueryContext runs a query inside the transaction.
func (t *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.conn.QueryContext(ctx, query, args...)
}

// Prepared is a [Querier] in the transaction that prepares each query once, for one that is
// asked of each of many sessions.
func (t *Tx) Prepared() Querier { return preparedTx{t} }

type preparedTx struct{ tx *Tx }

// QueryContext is that of [Tx].
func (p preparedTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt := p.tx.prepared[query]
	if stmt == nil {
		var err error
		if stmt, err = p.tx.conn.PrepareContext(ctx, query); err != nil { //nolint:sqlclosecheck // closeStatements does
			return nil, err
		}
		if p.tx.prepared == nil {
			p.tx.prepared = map[string]*sql.Stmt{}
		}
		p.tx.prepared[query] = stmt
	}
	return stmt.QueryContext(ctx, args...)
}

// closeStatements ends what Prepared has prepared.
func (t *Tx) closeStatements() {
	for _, stmt := range t.prepared {
		_ = stmt.Close() // an error is that of its last run, which had it
	}
}

// Exec runs statements and returns the number of rows that the last one changed. The error is
// of [model.KindRefused] where triggers change more than they may; see [SideEffect].
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	r, err := t.exec(ctx, query, args)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// Insert runs an INSERT of some rows and returns the rowid of the last one. The error is of
// [model.KindRefused] where a trigger leaves out one of them.
func (t *Tx) Insert(ctx context.Context, rows int, query string, args ...any) (int64, error) {
	r, err := t.exec(ctx, query, args)
	if err != nil {
		return 0, err
	}
	if n, err := r.RowsAffected(); err != nil || n < int64(rows) {
		return 0, cmp.Or(err, t.skipped(ctx))
	}
	return r.LastInsertId()
}

// Delete deletes the rows of a table that where picks; from may give the table another name.
// The error is of [model.KindRefused] where a trigger leaves out one of them.
func (t *Tx) Delete(ctx context.Context, from, where string, args ...any) error {
	if _, err := t.exec(ctx, `DELETE FROM `+from+` WHERE `+where, args); err != nil {
		return err
	}
	_, left, err := t.One(ctx, `SELECT 1 FROM `+from+` WHERE `+where+` LIMIT 1`, args...)
	if err == nil && left {
		err = t.skipped(ctx)
	}
	return err
}

// exec runs statements under the watch of the transaction, if it has one.
func (t *Tx) exec(ctx context.Context, query string, args []any) (r sql.Result, err error) {
	if t.watch == nil {
		return t.conn.ExecContext(ctx, query, args...)
	}
	err = t.watch.run(ctx, query, func(ctx context.Context) (err error) {
		r, err = t.conn.ExecContext(ctx, query, args...)
		return err
	})
	return r, err
}

// skipped makes the error of a statement that has left out rows.
func (t *Tx) skipped(ctx context.Context) error {
	return t.watch.refusal(ctx, "skips rows without an error", func(e triggerEffect) bool { return e.action == authSkips })
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
