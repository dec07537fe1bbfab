package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/sessiondb"
)

// The way from the root to a session is the recorded one.
func TestAncestors(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	var r recording
	Recorded(t, "v11/lineage_root_to_tip", &r)
	y := newVerdicts(t)
	for _, it := range r.Items {
		var id string
		if err := json.Unmarshal(it.Input, &id); err != nil {
			t.Fatal(err)
		}
		above, err := s.Ancestors(t.Context(), id)
		reason := ""
		if err != nil {
			expect(t, err, model.KindNotFound)
			reason = "an unknown session has no lineage"
		}
		path := []string{}
		for _, m := range above {
			path = append(path, m.ID)
		}
		if err == nil {
			path = append(path, id)
		}
		y.check("lineage of "+id, path, Numbers(it.Output), reason)
	}
	if y.equal < 100 {
		t.Errorf("only %d of %d", y.equal, y.total)
	}
}

// In every version every session is in exactly one tree, under its parent
// or in line with its other segments, and the sums of the trees are those of the table.
func TestLineageHoldsEverySessionOnce(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		t.Run(name, func(t *testing.T) {
			s := openFixture(t, name)
			sessions, err := s.RecentSessions(t.Context(), "", -1, 0)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			messages, tokens := 0, int64(0)
			for _, r := range sessions {
				id := db.AsText(r.Get("id"))
				root, err := s.Lineage(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				if seen[id] {
					continue
				}
				own, depths := 0, []string{}
				root.Walk(func(n *model.Node, depth int) bool {
					if seen[n.ID] {
						t.Errorf("%s is in two places", n.ID)
					}
					seen[n.ID] = true
					own++
					depths = append(depths[:depth], n.ID)
					if n.Link == model.LinkSegment && n.Segment > 2 {
						// In line, under the first segment of its conversation.
						if conv, err := s.Conversation(t.Context(), n.ID); err != nil || conv.RootID != depths[depth-1] || conv.ID != n.Tip || len(conv.Segments) != n.SegmentCount || conv.Segments[n.Segment-1] != n.ID {
							t.Errorf("segment %d of %d, tip %s, under %s: %+v %v", n.Segment, n.SegmentCount, n.Tip, depths[depth-1], conv, err)
						}
					} else if depth > 0 && n.ParentID != depths[depth-1] {
						t.Errorf("%s is under %s, its parent is %s", n.ID, depths[depth-1], n.ParentID)
					}
					if depth > 0 && n.Link == model.LinkRoot {
						t.Errorf("%s is a root under %s", n.ID, n.ParentID)
					}
					return true
				})
				if root.Total.Sessions != own {
					t.Errorf("%s: %d sessions, %d in the tree", root.ID, root.Total.Sessions, own)
				}
				messages += root.Total.Messages
				tokens += root.Total.Usage.Tokens()
			}
			st, err := s.Stats(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(seen) != len(sessions) || messages != st.Messages {
				t.Errorf("%d of %d sessions, %d of %d messages", len(seen), len(sessions), messages, st.Messages)
			}
			if want := int64(Count(t, s, `SELECT `+sumOf(s, "input_tokens")+` + `+sumOf(s, "output_tokens")+` FROM sessions`)); tokens != want {
				t.Errorf("%d tokens, want %d", tokens, want)
			}
		})
	}
}

func sumOf(s *Store, column string) string {
	return "coalesce(sum(" + s.db.Schema.ColumnOrNull("sessions", "sessions", column) + "), 0)"
}

// tree makes a small family and opens it.
func tree(t testing.TB, rows ...string) *Store {
	t.Helper()
	s := fresh(t)
	for _, row := range rows {
		Must(t, otherConnection(t, s.Path()), `INSERT INTO sessions (id, parent_session_id, source, started_at, ended_at, end_reason, input_tokens, actual_cost_usd) VALUES (`+row+`)`)
	}
	return s
}

// Segments, branches and delegates are distinguished, siblings are oldest
// first, and each node sums up what is below it.
func TestLineage(t *testing.T) {
	t.Parallel()
	s := tree(t,
		`'root', NULL, 'cli', 100, 200, 'compression', 1, 0.5`,
		`'helper', 'root', 'subagent', 120, 130, 'done', 10, NULL`,
		`'next', 'root', 'cli', 200, 300, 'branched', 100, 0.25`,
		`'fork', 'next', 'cli', 300, NULL, NULL, 1000, 0.125`,
		`'deep', 'helper', 'subagent', 121, 122, 'done', 10000, 1.0`,
		`'alone', NULL, 'cli', 500, NULL, NULL, 7, NULL`,
	)
	Must(t, otherConnection(t, s.Path()), `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('next', 'user', 'and then?', 210)`)
	for _, id := range []string{"root", "fork", "deep"} {
		root, err := s.Lineage(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		root.Walk(func(n *model.Node, depth int) bool {
			got = append(got, fmt.Sprint(depth, " ", n.ID, " ", n.Link, " ", n.Total.Sessions, " ", n.Total.Usage.Input, " ", n.Total.Usage.Cost))
			return true
		})
		want := []string{
			"0 root root 5 11111 ≥$1.88",
			"1 helper delegate 2 10010 ≥$1.00",
			"2 deep delegate 1 10000 $1.00",
			"1 next segment 2 1100 $0.38",
			"2 fork branch 1 1000 $0.12",
		}
		if !slices.Equal(got, want) {
			t.Errorf("from %s: %q\nwant %q", id, got, want)
		}
	}
	ids := func(sessions []model.Session, err error) (out []string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range sessions {
			out = append(out, m.ID)
		}
		return out
	}
	for _, c := range []struct{ got, want []string }{
		{ids(s.Descendants(t.Context(), "root")), []string{"helper", "deep", "next", "fork"}},
		{ids(s.Descendants(t.Context(), "helper")), []string{"deep"}},
		{ids(s.Descendants(t.Context(), "deep")), nil},
		{ids(s.Descendants(t.Context(), "alone")), nil},
		{ids(s.Ancestors(t.Context(), "deep")), []string{"root", "helper"}},
		{ids(s.Ancestors(t.Context(), "root")), nil},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for _, f := range []func(context.Context, string) error{
		func(ctx context.Context, id string) error { _, err := s.Lineage(ctx, id); return err },
		func(ctx context.Context, id string) error { _, err := s.Ancestors(ctx, id); return err },
		func(ctx context.Context, id string) error { _, err := s.Descendants(ctx, id); return err },
	} {
		expect(t, f(t.Context(), "unknown"), model.KindNotFound)
	}
}

// A ring, a session that is its own parent and one whose parent is gone end
// somewhere; a chain as long as a history is no deeper than memory.
func TestLineageOfOddParents(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "bad/cycle.db")
	sessions, err := s.RecentSessions(t.Context(), "", -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range sessions {
		id := db.AsText(r.Get("id"))
		below, err := s.Descendants(t.Context(), id)
		if err != nil || slices.ContainsFunc(below, func(m model.Session) bool { return m.ID == id }) {
			t.Errorf("%s is below itself: %v", id, err)
		}
		above, err := s.Ancestors(t.Context(), id)
		if err != nil || slices.ContainsFunc(above, func(m model.Session) bool { return m.ID == id }) {
			t.Errorf("%s is above itself: %v", id, err)
		}
	}
	s = fresh(t)
	n := campaign.Length(4000, 20000)
	last := fmt.Sprint("s", n)
	Must(t, otherConnection(t, s.Path()), `PRAGMA foreign_keys = 0`, fmt.Sprintf(`
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO sessions (id, parent_session_id, source, started_at, ended_at, end_reason, input_tokens)
		SELECT 's' || i, 's' || (i - 1), 'cli', i, i + 1, 'compression', 1 FROM n`, n))
	root, err := s.Lineage(t.Context(), last)
	if err != nil || root.ID != "s1" || root.Total.Sessions != n || root.Total.Usage.Input != int64(n) {
		t.Fatalf("%+v, %v", root, err)
	}
	above, err := s.Ancestors(t.Context(), last)
	if err != nil || len(above) != n-1 || above[0].ID != "s1" {
		t.Error(len(above), err)
	}
	if root.Total.Usage.Cost.Known {
		t.Errorf("cost %+v", root.Total.Usage.Cost)
	}
}

// Resuming goes where the recorded software went, but in a compressed
// conversation always to its end (store/README.md#q7).
func TestResumeTarget(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	var r recording
	Recorded(t, "v11/resolve_resume_session_id", &r)
	y := newVerdicts(t)
	for _, it := range r.Items {
		var id string
		if err := json.Unmarshal(it.Input, &id); err != nil {
			continue // None: there is no such id here
		}
		got, err := s.ResumeTarget(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		reason := ""
		if tip, err := s.Tip(t.Context(), id); err != nil {
			t.Fatal(err)
		} else if tip != id && got == tip {
			reason = "Q7"
		}
		y.check("resume "+id, got, it.Output, reason)
	}
	if y.equal < 80 || y.differ["Q7"] == 0 {
		t.Errorf("only %d of %d, %v", y.equal, y.total, y.differ)
	}
	s = family(t,
		`'root', NULL, 'cli', 1000, 2000, 'compression', NULL`,
		`'tip', 'root', 'cli', 2000, NULL, NULL, NULL`,
		`'empty', NULL, 'cli', 3000, NULL, NULL, NULL`,
		`'older', 'empty', 'cli', 3100, NULL, NULL, NULL`,
		`'newest', 'empty', 'cli', 3200, NULL, NULL, NULL`)
	Must(t, otherConnection(t, s.Path()), `DELETE FROM messages WHERE session_id IN ('tip', 'empty')`)
	for id, want := range map[string]string{
		"tip":  "root", // it has no messages yet
		"root": "root", "empty": "newest", "older": "older", "unknown": "unknown", "": "",
	} {
		if got, err := s.ResumeTarget(t.Context(), id); err != nil || got != want {
			t.Errorf("resume %q at %q, want %q: %v", id, got, want, err)
		}
	}
}

// In a file with marks, resuming an empty session goes to the one that continues it, not
// to a branch, a delegate, a tool's session or the next conversation of the same chat.
func TestResumeTargetSkipsOtherConversations(t *testing.T) {
	t.Parallel()
	child := func(id string, at int, columns ...string) string {
		return session(id, columns...) + "; " + message(id, 1) + fmt.Sprintf(`; UPDATE sessions SET started_at = %d,
			parent_session_id = iif(id = 'fork', 'alone', 'empty'), source = iif(id = 'tool', 'tool', 'telegram') WHERE id = '%s'`, 1_700_000_000+at, id)
	}
	s, _ := One(t, "v25.db",
		session("empty", "session_key", "'chat'", "ended_at", "1700000100", "end_reason", "'idle'"),
		child("next", 1),
		child("branch", 2, "model_config", `'{"_branched_from": "empty"}'`),
		child("delegate", 3, "model_config", `'{"_delegate_from": "empty"}'`),
		child("tool", 4),
		child("reset", 5, "model_config", `'{"_reset_from": "empty"}'`),
		child("chat", 6, "session_key", "'chat'"),
		session("alone"), child("fork", 7, "model_config", `'{"_branched_from": "alone"}'`),
	)
	for id, want := range map[string]string{"empty": "next", "alone": "alone"} {
		if got, err := s.ResumeTarget(t.Context(), id); err != nil || got != want {
			t.Errorf("resume %s at %q, want %q: %v", id, got, want, err)
		}
	}
	for _, id := range []string{"chat", "reset"} {
		c, err := s.Conversation(t.Context(), id)
		if err != nil || c.ID != id || c.Scope != model.ScopeConversations {
			t.Errorf("%s is no conversation of its own: %q in scope %v, %v", id, c.ID, c.Scope, err)
		}
	}
	listed, err := s.Sessions(t.Context(), sessiondb.ListOptions{Limit: -1})
	if err != nil || !slices.ContainsFunc(listed, func(r Record) bool { return r.Get("id") == "chat" }) {
		t.Errorf("the documented list lacks the chat after a reset: %v", err)
	}
}
