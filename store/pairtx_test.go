package store

import (
	"context"
	"errors"
	"testing"

	"hermes-sessions/store/internal/db"
)

// Two parallel transactions read the same rows, however often another process
// writes; without writes there are two.
func TestPairTxReadsOneVersionOfTheFile(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	conn := otherConnection(t, path)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	compare := func() (both bool) {
		t.Helper()
		err := s.db.PairTx(t.Context(), func(q, beside db.Querier) error {
			if both = beside != nil; !both {
				return nil
			}
			const last = `SELECT max(id) FROM messages`
			one, err := db.QueryValue(t.Context(), q, last)
			if err != nil {
				return err
			}
			other, err := db.QueryValue(t.Context(), beside, last)
			if one != other {
				t.Errorf("one sees up to message %v, the other up to %v", one, other)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return both
	}
	if !compare() {
		t.Error("an idle file is read by one alone")
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		for ctx.Err() == nil {
			if _, err := conn.ExecContext(t.Context(), `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('20260301_104821_450649', 'user', 'x', 1780000000)`); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	for range 300 {
		compare()
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// Of two functions that run in parallel, the error of either is the error of both.
func TestParallel(t *testing.T) {
	t.Parallel()
	fine, wrong := func() error { return nil }, errors.New("wrong")
	fails := func() error { return wrong }
	for _, err := range []error{db.Parallel(fails, fine), db.Parallel(fine, fails), db.Parallel(fails, fails)} {
		if err != wrong {
			t.Errorf("%v instead of what went wrong", err)
		}
	}
	if err := db.Parallel(fine, fine); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() != wrong {
			t.Error("the panic is not the caller's")
		}
	}()
	_ = db.Parallel(fine, func() error { panic(wrong) })
}
