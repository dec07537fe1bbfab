package store

import (
	"slices"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// MessagesNear returns the part of the outline around a message, without
// a gap: else the screen would jump when the outline comes.
func TestMessagesNearArePartOfTheOutline(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		t.Run(name, func(t *testing.T) {
			s := openFixture(t, name)
			all, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			for _, c := range all.Conversations {
				o, err := s.Outline(t.Context(), c.ID)
				if err != nil {
					t.Fatal(err)
				}
				for k, at := range append([]int64{0}, o.MessageIDs...) {
					if k%7 > 1 {
						continue
					}
					found, err := s.MessagesNear(t.Context(), c.Segments[0], at, 8)
					if err != nil {
						t.Fatal(err)
					}
					if len(found) == 0 {
						continue // only the outline can tell
					}
					seen++
					var ids []int64
					for _, m := range found {
						ids = append(ids, m.ID)
					}
					from := slices.Index(o.MessageIDs, ids[0])
					if from < 0 || from+len(ids) > len(o.MessageIDs) || !slices.Equal(o.MessageIDs[from:from+len(ids)], ids) {
						t.Errorf("%s at %d: %v is no piece of %v", c.ID, at, ids, o.MessageIDs)
						continue
					}
					if at == 0 && ids[len(ids)-1] != o.MessageIDs[len(o.MessageIDs)-1] || at != 0 && !slices.Contains(ids, at) {
						t.Errorf("%s at %d: %v", c.ID, at, ids)
					}
				}
			}
			if seen == 0 {
				t.Error("no glimpses")
			}
		})
	}
}

// Near the beginning of a segment there may be copies, of which MessagesNear
// knows nothing.
func TestNoMessagesNearWhereCompressionMayHaveCopied(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	Must(t, otherConnection(t, s.Path()), `
		INSERT INTO sessions (id, parent_session_id, source, started_at, ended_at, end_reason) VALUES
			('first', NULL, 'cli', 1, 2, 'compression'), ('second', 'first', 'cli', 2, NULL, NULL), ('other', NULL, 'cli', 2, NULL, NULL);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
		INSERT INTO messages (id, session_id, role, content, timestamp)
		SELECT i, CASE WHEN i <= 300 THEN 'first' ELSE 'second' END, 'user', 'text ' || i, i FROM n;
		INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (901, 'other', 'user', 'x', 901);`)
	for _, c := range []struct {
		at   int64
		want int
	}{{0, 20}, {5, 14}, {290, 20}, {310, 0}, {550, 0}, {570, 20}, {900, 11}, {901, 0}, {9999, 0}} {
		got, err := s.MessagesNear(t.Context(), "second", c.at, 20)
		if err != nil || len(got) != c.want {
			t.Errorf("at %d: %d messages, %v, want %d", c.at, len(got), err, c.want)
		}
	}
	if _, err := s.MessagesNear(t.Context(), "unknown", 0, 20); err == nil {
		t.Error("an unknown conversation has messages")
	}
}
