package store

import (
	"slices"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Every session is in exactly one conversation, whatever the version; scopes
// divide the conversations; a page is the head of the whole.
func TestConversationsHoldEverySessionOnce(t *testing.T) {
	t.Parallel()
	files := versionsToTest(t)
	for _, bad := range []string{"bad-json", "cycle", "duplicate-titles", "fts-corrupt", "fts-missing", "future", "hot-wal", "invalid-utf8", "invalid-utf8-title", "no-version-row", "nulls-everywhere", "orphan-parent", "timestamps", "two-version-rows"} {
		files = append(files, "bad/"+bad+".db")
	}
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			s := openFixture(t, name)
			all, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
			if err != nil {
				t.Fatal(err)
			}
			bare, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll, NoPreviews: true})
			if err != nil || !slices.EqualFunc(bare.Conversations, all.Conversations, func(a, b model.Conversation) bool { return a.ID == b.ID && a.Preview == "" }) {
				t.Errorf("without previews: %d conversations of %d, or one has a preview (%v)", len(bare.Conversations), all.Total, err)
			}
			seen := map[string]int{}
			for _, c := range all.Conversations {
				if c.Segments[0] != c.RootID || c.Segments[len(c.Segments)-1] != c.ID {
					t.Errorf("%s: segments %v", c.ID, c.Segments)
				}
				for _, id := range c.Segments {
					seen[id]++
				}
			}
			if want := Count(t, s, `SELECT count(*) FROM sessions`); len(seen) != want {
				t.Errorf("%d sessions in conversations, %d in the table", len(seen), want)
			}
			for id, n := range seen {
				if n != 1 {
					t.Errorf("%s is in %d conversations", id, n)
				}
			}
			if all.OutOfScope != 0 || all.Total != len(all.Conversations) {
				t.Errorf("everything: total %d, hidden %d of %d", all.Total, all.OutOfScope, len(all.Conversations))
			}
			first, err := s.Conversations(t.Context(), query.ListOptions{Limit: 5})
			if err != nil {
				t.Fatal(err)
			}
			if first.Total+first.OutOfScope != all.Total {
				t.Errorf("total %d + hidden %d is not %d", first.Total, first.OutOfScope, all.Total)
			}
			for i, c := range first.Conversations {
				if c.Scope != model.ScopeConversations {
					t.Errorf("row %d has scope %d", i, c.Scope)
				}
				if i > 0 && c.LastActive.After(first.Conversations[i-1].LastActive) {
					t.Errorf("row %d is newer than the one before", i)
				}
			}
			t.Logf("%d sessions, %d conversations, %d in the default scope", len(seen), all.Total, first.Total)
		})
	}
}

// What is pinned heads the first page, however old it is, where that is wanted
// and the order is by activity; every page is the head of the whole.
func TestPinnedConversationsComeFirst(t *testing.T) {
	t.Parallel()
	s := newest(t, "v25.db")
	list := func(q query.ListOptions) []model.Conversation {
		t.Helper()
		p, err := s.Conversations(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return p.Conversations
	}
	plain := list(query.ListOptions{})
	oldest := plain[len(plain)-1].ID
	if _, err := s.SetPinned(t.Context(), []string{oldest}, true); err != nil {
		t.Fatal(err)
	}
	for _, by := range query.Orders() {
		all := list(query.ListOptions{Order: by, PinnedFirst: true})
		want := list(query.ListOptions{Order: by})
		same := func(a, b model.Conversation) bool { return a.ID == b.ID }
		if by == query.ByActivity {
			slices.SortStableFunc(want, func(a, b model.Conversation) int {
				switch {
				case a.Pinned == b.Pinned:
					return 0
				case a.Pinned:
					return -1
				}
				return 1
			})
			if want[len(want)-1].ID == oldest {
				t.Error("the oldest is not pinned")
			}
		}
		if !slices.EqualFunc(all, want, same) {
			t.Errorf("by %v, another order", by)
		}
		for n := 1; n < len(all); n++ {
			if page := list(query.ListOptions{Order: by, PinnedFirst: true, Limit: n}); !slices.EqualFunc(page, all[:n], same) {
				t.Errorf("by %v, %d rows are not the head of all", by, n)
			}
		}
	}
}

// An outline holds every visible message once, in order, and any window of it
// can be read; the tail is its end.
func TestOutlineWindowsAndTail(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		t.Run(name, func(t *testing.T) {
			s := openFixture(t, name)
			all, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
			if err != nil {
				t.Fatal(err)
			}
			read := 0
			for _, c := range all.Conversations {
				o, err := s.Outline(t.Context(), c.ID)
				if err != nil {
					t.Fatal(err)
				}
				if len(o.SegmentStarts) != len(c.Segments) {
					t.Fatalf("%s: %d starts for %d segments", c.ID, len(o.SegmentStarts), len(c.Segments))
				}
				messages, err := s.MessagesByID(t.Context(), o.MessageIDs)
				if err != nil {
					t.Fatal(err)
				}
				if len(messages) != len(o.MessageIDs) {
					t.Fatalf("%s: %d messages for %d ids", c.ID, len(messages), len(o.MessageIDs))
				}
				segment := 0
				for i, m := range messages {
					for segment+1 < len(o.SegmentStarts) && i >= o.SegmentStarts[segment+1] {
						segment++
					}
					if m.ID != o.MessageIDs[i] || m.SessionID != c.Segments[segment] || m.Rewound || m.Role == "session_meta" || m.DisplayKind == "hidden" {
						t.Errorf("%s: message %d: %+v", c.ID, i, m)
					}
				}
				tail, err := s.Tail(t.Context(), c.RootID, 3)
				if err != nil {
					t.Fatal(err)
				}
				if want := messages[max(0, len(messages)-3):]; len(tail) != len(want) || len(tail) > 0 && tail[0].ID != want[0].ID {
					t.Errorf("%s: tail %v", c.ID, tail)
				}
				read += len(messages)
			}
			t.Logf("%d messages in outlines", read)
		})
	}
}
