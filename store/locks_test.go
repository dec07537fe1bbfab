package store

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// confirmed prepares everything that a person can have said yes to in a copy
// of v25: what is in the way by then must leave all rows as they are.
func confirmed(t testing.TB, s *Store) map[string]func(context.Context) error {
	t.Helper()
	ctx := t.Context()
	ids := conversations(t, s)
	earlier, err := Open(ctx, s.Path(), WithClock(clock)) // so that s has not written yet
	if err != nil {
		t.Fatal(err)
	}
	defer earlier.Close()
	gone := deleted(t, earlier, model.DeleteOptions{}, ids[0])
	pinned, err := earlier.SetPinned(ctx, ids[1:2], true)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.PlanDelete(ctx, ids[2:4], model.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	title, err := s.Title(ctx, ids[4])
	if err != nil {
		t.Fatal(err)
	}
	removed := func(u model.Undo, err error) error {
		if u != nil {
			t.Errorf("something is gone: %+v", u.Deleted())
			u.Close()
		}
		return err
	}
	return map[string]func(context.Context) error{
		"delete": func(ctx context.Context) error {
			return removed(s.Delete(ctx, ids[2:4], model.DeleteOptions{Expected: &plan}))
		},
		"delete many": func(ctx context.Context) error {
			return removed(s.Delete(ctx, ids[2:4], model.DeleteOptions{Expected: &plan, SkipBlocked: true}))
		},
		"delete a segment": func(ctx context.Context) error {
			return removed(s.Delete(ctx, ids[5:6], model.DeleteOptions{SegmentOnly: true}))
		},
		"prune": func(ctx context.Context) error {
			return removed(s.Prune(ctx, model.PruneOptions{OlderThan: time.Hour}))
		},
		"rename": func(ctx context.Context) error {
			_, err := s.Rename(ctx, model.Renaming{ID: ids[4], Was: title, Title: "another title"})
			return err
		},
		"take the title": func(ctx context.Context) error {
			_, err := s.Rename(ctx, model.Renaming{ID: ids[4], Was: title, Title: ""})
			return err
		},
		"pin":               func(ctx context.Context) error { _, err := s.SetPinned(ctx, ids[2:9], true); return err },
		"archive":           func(ctx context.Context) error { _, err := s.SetArchived(ctx, ids[2:9], true); return err },
		"undo a deletion":   func(ctx context.Context) error { return s.Restore(ctx, gone, model.RestoreOptions{}) },
		"undo another edit": func(ctx context.Context) error { return s.UndoEdit(ctx, pinned) },
	}
}

// refusedAll lets each of the wishes meet what is in the way: every one says
// of what kind that is, in one line with a remedy, and no row is another.
func refusedAll(t testing.TB, s *Store, wishes map[string]func(context.Context) error, want string) {
	t.Helper()
	before := dump(t, s.db.Pool)
	for name, do := range wishes {
		err := do(t.Context())
		e, ok := errors.AsType[*model.Error](err)
		if !ok || e.Kind != want {
			t.Errorf("%s: %v, want the kind %s", name, err, want)
			continue
		}
		if cause, remedy := e.Message, e.Remedy.Text; cause == "" || remedy == "" || strings.Contains(cause+remedy, "\n") {
			t.Errorf("%s: %q (%q)", name, cause, remedy)
		}
	}
	same(t, want, before, dump(t, s.db.Pool))
}

// obeyedAll shows that the same wishes were sound.
func obeyedAll(t testing.TB, wishes map[string]func(context.Context) error, in ...string) {
	t.Helper()
	for _, name := range in {
		if err := wishes[name](t.Context()); err != nil {
			t.Errorf("%s, with nothing in the way: %v", name, err)
		}
	}
}

// soon are the wishes that can be granted one after another.
func soon() []string {
	return []string{"undo a deletion", "undo another edit", "rename", "pin", "archive"}
}

// Another program keeps the database locked for longer than patience lasts:
// fifteen tries with pauses between them, then a clear line. Reading goes on
// meanwhile.
func TestLockedWritesFailWithoutChanges(t *testing.T) {
	t.Parallel()
	for _, journal := range []string{"wal", "delete"} {
		s := openFixture(t, "v25.db")
		q := otherConnection(t, s.Path())
		Must(t, q, `PRAGMA journal_mode = `+journal)
		wishes := confirmed(t, s)
		s.db.Writer.BusyTimeout = time.Millisecond
		tries, pauses := 0, []time.Duration{}
		s.db.Writer.Sleep = func(ctx context.Context, d time.Duration) error {
			tries++
			pauses = append(pauses, d)
			if _, err := s.Conversations(ctx, query.ListOptions{Limit: 5}); err != nil {
				t.Error("the list cannot be read while a change waits:", err)
			}
			return nil
		}
		Must(t, q, `BEGIN IMMEDIATE`)
		refusedAll(t, s, wishes, model.KindLocked)
		if want := len(wishes) * (db.MaxWriteTries - 1); tries != want {
			t.Errorf("%s: %d pauses for %d changes, want %d", journal, tries, len(wishes), want)
		}
		for _, d := range pauses {
			if d < db.MinRetryPause || d >= db.MaxRetryPause {
				t.Errorf("a pause of %v", d)
			}
		}
		Must(t, q, `ROLLBACK`)
		obeyedAll(t, wishes, soon()...)
	}
}

// A lock that goes away while a change waits costs nothing but the wait.
func TestWritesWaitForALockThatEnds(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	q := otherConnection(t, s.Path())
	wishes := confirmed(t, s)
	s.db.Writer.BusyTimeout = time.Millisecond
	wishes["delete"] = func(ctx context.Context) error {
		u, err := s.Delete(ctx, conversations(t, s)[:1], model.DeleteOptions{})
		if u != nil {
			u.Close()
		}
		return err
	}
	for _, name := range append(soon(), "delete") {
		Must(t, q, `BEGIN IMMEDIATE`)
		tries := 0
		s.db.Writer.Sleep = func(context.Context, time.Duration) error {
			if tries++; tries == db.MaxWriteTries-1 { // the last but one
				Must(t, q, `ROLLBACK`)
			}
			return nil
		}
		if err := wishes[name](t.Context()); err != nil || tries != db.MaxWriteTries-1 {
			t.Errorf("%s: %v after %d pauses", name, err, tries)
		}
	}
}
