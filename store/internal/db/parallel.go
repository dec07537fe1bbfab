package db

import (
	"context"
	"database/sql"
)

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

// Parallel does two things at the same time. The error is that of the first
// that has one; a panic of either is the caller's.
func Parallel(one, other func() error) error {
	type end struct {
		err   error
		panic any
	}
	ended := make(chan end, 1)
	go func() {
		var e end
		defer func() {
			e.panic = recover()
			ended <- e
		}()
		e.err = other()
	}()
	err := one()
	e := <-ended
	if e.panic != nil {
		panic(e.panic)
	}
	if err != nil {
		return err
	}
	return e.err
}

// ParallelIf runs two functions at the same time where that is worth it, else one
// after the other.
func ParallelIf(worth bool, one, other func() error) error {
	if worth {
		return Parallel(one, other)
	}
	if err := one(); err != nil {
		return err
	}
	return other()
}
