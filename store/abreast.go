package store

import (
	"context"
	"database/sql"
)

// snapshots runs f inside two read transactions of one moment, for what is
// sooner read side by side. beside is nil where there is only one: it could not
// be opened, or somebody wrote just now.
func (s *Store) snapshots(ctx context.Context, f func(q, beside queryer) error) error {
	return s.snapshot(ctx, func(q queryer) error {
		tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return f(q, nil)
		}
		defer tx.Rollback() // ends the read; there is nothing to undo
		if s.atOnce(ctx, q, tx) == 0 {
			return f(q, nil)
		}
		return f(q, tx)
	})
}

// atOnce begins reading in transactions, and gives the DataVersion that all of
// them see: 0 where somebody wrote meanwhile.
func (s *Store) atOnce(ctx context.Context, all ...queryer) int64 {
	before, err := s.DataVersion(ctx)
	for _, q := range all {
		if err == nil {
			_, err = s.one(ctx, q, `SELECT 1 FROM sqlite_master LIMIT 1`)
		}
	}
	if err != nil {
		return 0 // whoever reads in them says what is wrong
	}
	if after, err := s.DataVersion(ctx); err != nil || after != before {
		return 0
	}
	return before
}

// abreast does two things at the same time. The error is that of the first
// that has one; a panic of either is the caller's.
func abreast(one, other func() error) error {
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

// abreastIf runs two functions at the same time where that is worth it, else one
// after the other.
func abreastIf(worth bool, one, other func() error) error {
	if worth {
		return abreast(one, other)
	}
	if err := one(); err != nil {
		return err
	}
	return other()
}
