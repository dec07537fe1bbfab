package running

import (
	"errors"
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// Every schema version tells which of its sessions are open.
func TestOpenSessionsOfEveryVersion(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v05.db", "v08.db", "v11.db", "v16.db", "v20.db", "v25.db"} {
		db := fixtures.Database(t, name)
		fixtures.Exec(t, db, `UPDATE sessions SET ended_at = NULL`)
		s, err := store.Open(t.Context(), db, store.ReadOnly())
		if err != nil {
			t.Fatal(name, err)
		}
		page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
		if err != nil || len(page.Conversations) == 0 {
			t.Fatal(name, err)
		}
		now := page.Conversations[0].LastActive.Add(20 * time.Second)
		s.Close()
		if s, err = store.Open(t.Context(), db, store.ReadOnly(), store.WithClock(func() time.Time { return now })); err != nil {
			t.Fatal(name, err)
		}
		r := &Reader{Source: s}
		first, err := r.Sessions(t.Context(), now)
		if err != nil || len(first) == 0 || first[0].ID != page.Conversations[0].ID || first[0].Silent != 20*time.Second || first[0].Activity == model.ActivitySilent {
			t.Errorf("%s: %d sessions, %v", name, len(first), err)
		}
		again, err := r.Sessions(t.Context(), now) // with what is kept of the first time
		if err != nil || !slices.EqualFunc(first, again, func(a, b model.Running) bool { return a.ID == b.ID && a.Activity == b.Activity && a.Tool == b.Tool }) {
			t.Errorf("%s: %d sessions, then %d, %v", name, len(first), len(again), err)
		}
		s.Close()
	}
}

// Watching says so at once, and ends with its reader or the first error.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), fixtures.Database(t, "v25.db"), store.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	enough := errors.New("enough")
	if err := (&Reader{Source: s}).Watch(t.Context(), time.Now, func() bool { return false }, func([]model.Running) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	said := 0
	if err := (&Reader{Source: s}).Watch(t.Context(), time.Now, func() bool { return true }, func([]model.Running) error { said++; return nil }); err != nil || said != 1 {
		t.Errorf("said %d times to nobody, %v", said, err)
	}
}
