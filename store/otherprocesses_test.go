package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// otherConnection opens another connection to the same file, as another process would.
// It does not sync: no test loses power.
func otherConnection(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(1000)&_pragma=synchronous(off)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// A database that another process keeps locked gives KindLocked; one that is unlocked by
// then is opened.
func TestLockedDatabase(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	q := otherConnection(t, path)
	if _, err := q.ExecContext(t.Context(), `BEGIN EXCLUSIVE`); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path, patience(50*time.Millisecond))
	expect(t, err, model.KindLocked)
	if _, err := q.ExecContext(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// patience is how long a reader waits for a lock.
func patience(d time.Duration) Option { return func(s *Store) { s.db.Patience = d } }

// A reader waits for a lock as long as a change does: fifteen times a second. It does at
// opening and later, with a write-ahead log and without one, and no longer than its
// context.
func TestReadersWaitForALock(t *testing.T) {
	t.Parallel()
	for _, journal := range []string{"wal", "delete"} {
		path := fixture(t, "v25.db")
		q := otherConnection(t, path)
		Must(t, q, `PRAGMA journal_mode = `+journal)
		s := reopen(t, path)
		id := conversations(t, s)[0]
		if wait := Count(t, s, `PRAGMA busy_timeout`); wait != db.MaxWriteTries*1000 {
			t.Errorf("%s: a reader waits %d ms, want %d", journal, wait, db.MaxWriteTries*1000)
		}
		if journal == "wal" {
			continue // no lock keeps its readers waiting
		}
		Must(t, q, `BEGIN EXCLUSIVE`)
		for name, read := range map[string]func(context.Context) error{
			"opening": func(ctx context.Context) error {
				s, err := Open(ctx, path)
				if err == nil {
					err = s.Close()
				}
				return err
			},
			"reading": func(ctx context.Context) error { _, err := s.Session(ctx, id); return err },
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			began := time.Now()
			if err := read(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
				t.Errorf("%s, canceled: %v after %v", name, err, time.Since(began))
			}
			cancel()
			done := make(chan error, 1)
			go func() { done <- read(t.Context()) }()
			time.AfterFunc(50*time.Millisecond, func() { _, _ = q.ExecContext(t.Context(), `ROLLBACK`) })
			if err := <-done; err != nil {
				t.Errorf("%s, until the lock is gone: %v", name, err)
			}
			Must(t, q, `BEGIN EXCLUSIVE`)
		}
		Must(t, q, `ROLLBACK`)
	}
}

// While another process appends, listing and reading fail nowhere and never show an
// older state, the other process gets no error, and at the end all rows are there.
func TestListingBesideAWriter(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	const id, appends = "20260303_211245_5bf439", 200
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before, err := s.Outline(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	db := otherConnection(t, path)
	done := make(chan error, 1)
	go func() {
		for range appends {
			if _, err := db.ExecContext(t.Context(), `INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'more', 1780000000)`, id); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	last := len(before.MessageIDs)
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal("the other process:", err)
			}
			running = false
		default:
		}
		if _, err := s.Conversations(t.Context(), query.ListOptions{Limit: 20}); err != nil {
			t.Fatal(err)
		}
		o, err := s.Outline(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.MessageIDs) < last {
			t.Fatalf("%d messages after %d", len(o.MessageIDs), last)
		}
		last = len(o.MessageIDs)
	}
	if want := len(before.MessageIDs) + appends; last != want {
		t.Errorf("%d messages at the end, want %d", last, want)
	}
}

// The data version changes when another process commits, and only then.
func TestDataVersionFollowsOthers(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	version := func() int64 {
		t.Helper()
		v, err := s.DataVersion(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first := version()
	browse(t, s)
	if v := version(); v != first {
		t.Errorf("version %d after reading, %d before", v, first)
	}
	if _, err := otherConnection(t, path).ExecContext(t.Context(), `UPDATE sessions SET title = 'seen at once' WHERE id = '20260303_211245_5bf439'`); err != nil {
		t.Fatal(err)
	}
	if v := version(); v <= first {
		t.Errorf("version %d after a commit, %d before", v, first)
	}
	each, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll, EverySession: true})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range each.Conversations {
		found = found || c.Title == "seen at once"
	}
	if !found {
		t.Error("the list does not show the new title")
	}
}

// A canceled call returns context.Canceled and affects no other call.
func TestCanceledCall(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Conversations(ctx, query.ListOptions{}); err == nil {
		t.Error("a canceled call returned an answer")
	}
	if _, err := s.Conversations(t.Context(), query.ListOptions{}); err != nil {
		t.Error(err)
	}
}

// Two programs that delete the same long conversation at once do not share its rows between
// their undos without a word: the one that finds some gone stops and says so. What it has is
// restored after that of the other.
func TestTwoDeletesOfOneConversation(t *testing.T) {
	t.Parallel()
	s, q := One(t, "v25.db", session("long"), message("long", 3000))
	before := dump(t, q)
	other := openAt(t, s.Path())
	var late model.Undo
	u, err := s.Delete(t.Context(), []string{"long"}, model.DeleteOptions{Progress: func(int, int) {
		if late == nil {
			late = deleted(t, other, model.DeleteOptions{}, "long")
		}
	}})
	if kind(err) != model.KindIncompleteWrite || !strings.Contains(err.Error(), "another program has changed these sessions") {
		t.Fatal(err)
	}
	if err := s.Restore(t.Context(), u, model.RestoreOptions{}); kind(err) != model.KindNotFound {
		t.Error(err)
	}
	restored(t, other, late)
	restored(t, s, u)
	same(t, "both restored", before, dump(t, q))
}
