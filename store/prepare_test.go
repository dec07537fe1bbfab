package store

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/sessiondb"
)

// sameAsFresh compares the answers of a store with those of one that was just
// opened and knows nothing.
func sameAsFresh(t *testing.T, s *Store, when string, questions []string) {
	t.Helper()
	fresh, err := Open(t.Context(), s.Path(), WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	for _, q := range questions {
		for _, sessions := range []bool{false, true} {
			list := query.ListOptions{Scope: model.ScopeAll, EverySession: sessions, Order: query.ByRelevance}
			got, err := s.Search(t.Context(), query.Parse(q, true), list)
			if err != nil {
				t.Fatalf("%s: %s: %v", when, q, err)
			}
			want, err := fresh.Search(t.Context(), query.Parse(q, true), list)
			if err != nil {
				t.Fatalf("%s: %s: %v", when, q, err)
			}
			got.Plan, want.Plan = nil, nil // it leaves out what a cache has
			for _, r := range []model.SearchResults{got, want} {
				for i := range r.Matches { // an opening that was rewritten in place is not looked at again
					r.Matches[i].Preview = ""
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s (by session: %v): %d hits in %d, a fresh store finds %d in %d",
					when, q, sessions, got.Hits, got.Conversations, want.Hits, want.Conversations)
			}
		}
	}
}

// Prepare never changes an answer: neither at once nor after other processes have
// appended, deleted, restored and rewound messages.
func TestPreparedSearchesAnswerTheSame(t *testing.T) {
	t.Parallel()
	some := someOf([]string{"d", "docker build", "部署", "the", "C#", "role:tool e", "session", "-the", "zebra", "taken"}, 2)
	for _, name := range []string{"v01.db", "v10.db", "v11.db", "v16.db", "v23.db", "v25.db", "life-long.db", "bad/orphan-parent.db", "bad/fts-out-of-step.db"} {
		if !campaign.On() && name != "v25.db" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			path := fixture(t, name)
			s, err := Open(t.Context(), path, WithClock(clock))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			prepare := func() {
				t.Helper()
				if err := s.Prepare(t.Context()); err != nil {
					t.Fatal(err)
				}
				if c := s.sessions.CachedSnapshot(); !s.sessions.RoleSets.NotRead(c.MessageSessions.Load()).Empty() {
					t.Errorf("the roles of %d messages are not cached", s.sessions.RoleSets.NotRead(c.MessageSessions.Load()).Len())
				}
			}
			prepare()
			sameAsFresh(t, s, "prepared", someOf(fixtures.Queries, 4))
			if s.db.Schema.Version < 11 || !campaign.On() && name != "v25.db" {
				return // these are read only here
			}
			other, err := Open(t.Context(), path, WithClock(clock))
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			step := func(what string, do func() error) {
				t.Helper()
				if err := do(); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				sameAsFresh(t, s, what, some)
				prepare()
				sameAsFresh(t, s, what+", prepared", some)
			}
			page, err := s.Conversations(t.Context(), query.ListOptions{Limit: 3})
			if err != nil || len(page.Conversations) == 0 {
				t.Fatal(len(page.Conversations), err)
			}
			ctx, m := t.Context(), page.Conversations[len(page.Conversations)-1]
			step("appended", func() error {
				if _, err := other.CreateSession(ctx, sessiondb.NewSession{ID: "new", Source: "cli"}); err != nil {
					return err
				}
				_, err := other.AppendMessage(ctx, "new", sessiondb.NewMessage{Role: "user", Content: "a zebra at the docker"})
				return errors.Join(err, ignoreID(other.AppendMessage(ctx, "new", sessiondb.NewMessage{Role: "tool", ToolName: "zebra", Content: "taken"})))
			})
			var undo model.Undo
			step("deleted", func() (err error) {
				undo, err = other.Delete(ctx, []string{m.ID}, model.DeleteOptions{})
				return err
			})
			step("brought back", func() error { return other.Restore(ctx, undo, model.RestoreOptions{}) })
			if s.db.Schema.Has("messages", "active") {
				step("taken back", func() error {
					_, err := otherConnection(t, path).ExecContext(ctx, `UPDATE messages SET active = 0 WHERE content LIKE '%the%'`)
					return err
				})
			}
			step("rewritten", func() error {
				_, err := otherConnection(t, path).ExecContext(ctx, `UPDATE messages SET content = 'taken' WHERE content LIKE '%zebra at%'`)
				return err
			})
		})
	}
}

func ignoreID(_ int64, err error) error { return err }

// Ids that were chosen by hand, below zero, far apart and beyond all that
// an index is read for, are found like others, and cost little.
func TestSearchFindsMessagesWithUnusualIDs(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	db := otherConnection(t, path)
	ids := []int64{-7, 0, 5 << 20, 1 << 31, idset.MaxRowid, idset.MaxRowid + 1, 1 << 60}
	for _, id := range ids {
		if _, err := db.ExecContext(t.Context(), `INSERT INTO messages (id, session_id, role, content, timestamp)
			SELECT ?, session_id, 'user', 'a quagga in the street', timestamp FROM messages WHERE id = 5`, id); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		for _, prepared := range []bool{false, true} {
			if prepared {
				if err := s.Prepare(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for _, q := range []string{"quagga", `"quagga in"`, "quag*", "quagga -zebra"} {
				var got []int64
				r := searchAllScopes(t, s, q)
				for _, m := range r.Matches {
					found, err := s.HitIDs(t.Context(), query.Parse(q, true), m.ID)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, found...)
				}
				want := ids[:slices.Index(ids, id)+1]
				if !slices.Equal(slices.Sorted(slices.Values(got)), want) || r.Hits != len(want) {
					t.Errorf("%d, prepared %v: %s: %v with %d hits, want %v", id, prepared, q, got, r.Hits, want)
				}
			}
		}
		if o := s.sessions.CachedSnapshot().MessageSessions.Load(); o.PageCount > 80 {
			t.Errorf("%d: %d pages for %d messages", id, o.PageCount, o.MessageCount)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Who prepares can be stopped at once.
func TestPrepareStops(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "life-long.db")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Prepare(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Prepare(t.Context()); err != nil {
		t.Error(err)
	}
}

// Many calls may prepare and search at once: one that has a connection and needs a
// second one does not wait for ever.
func TestManyPrepareAtOnce(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "life-long.db")
	done := make(chan error)
	const many = 12 // three times the connections that stay open
	for n := range many {
		go func() {
			if n%3 == 0 {
				_, err := s.Search(t.Context(), query.Parse("the", true), query.ListOptions{Limit: 5})
				done <- err
				return
			}
			done <- s.Prepare(t.Context())
		}()
	}
	for range many { // were they to wait for each other, the test would not end
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
