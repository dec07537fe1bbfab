package store

import (
	"context"
	"errors"
	"slices"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// Two transactions side by side see the same, however often another process
// writes; where nobody writes there are two.
func TestTwoSnapshotsOfOneMoment(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	db := neighbour(t, path)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	compare := func() (both bool) {
		t.Helper()
		err := s.snapshots(t.Context(), func(q, beside queryer) error {
			if both = beside != nil; !both {
				return nil
			}
			const last = `SELECT max(id) FROM messages`
			one, err := s.one(t.Context(), q, last)
			if err != nil {
				return err
			}
			other, err := s.one(t.Context(), beside, last)
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
			if _, err := db.ExecContext(t.Context(), `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('20260301_104821_450649', 'user', 'x', 1780000000)`); err != nil {
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

// Two that read half of the messages each find what one finds that reads all.
func TestReadingByTwoFindsTheSame(t *testing.T) {
	t.Parallel()
	s := open(t, "v11.db")
	query := model.ParseQuery("the -docker", false)
	err := s.snapshot(t.Context(), func(q queryer) error {
		one, two := s.finder(q, query, 0), s.finder(q, query, s.atOnce(t.Context(), q))
		beside := two.beside(t.Context())
		if beside == nil {
			t.Fatal("an idle file is read by one alone")
		}
		if err := beside.Rollback(); err != nil {
			return err
		}
		all := &ftsindex.Set{}
		if err := one.ids(t.Context(), all, `SELECT id FROM messages`); err != nil {
			return err
		}
		all.Add(1 << 20) // which is gone
		seen, want, err := one.read(t.Context(), query, "", all)
		if err != nil {
			return err
		}
		seenToo, got, err := two.read(t.Context(), query, "", all)
		if !slices.Equal(got.Rows(), want.Rows()) || !slices.Equal(seenToo.Rows(), seen.Rows()) || want.Len() < 50 || seen.Len() < readByTwo {
			t.Errorf("%d of %d, by one %d of %d", got.Len(), seenToo.Len(), want.Len(), seen.Len())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What goes wrong in either of two things done abreast is the caller's.
func TestAbreast(t *testing.T) {
	t.Parallel()
	fine, wrong := func() error { return nil }, errors.New("wrong")
	fails := func() error { return wrong }
	for _, err := range []error{abreast(fails, fine), abreast(fine, fails), abreast(fails, fails)} {
		if err != wrong {
			t.Errorf("%v instead of what went wrong", err)
		}
	}
	if err := abreast(fine, fine); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() != wrong {
			t.Error("the panic is not the caller's")
		}
	}()
	_ = abreast(fine, func() error { panic(wrong) })
}
