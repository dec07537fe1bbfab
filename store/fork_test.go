package store

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"hermes-sessions/model"
)

// Where sessions left what is above them, for every way in which they do.
func TestFork(t *testing.T) {
	t.Parallel()
	s := tree(t,
		`'root', NULL, 'cli', 100, 200, 'compression', 1, NULL`,
		`'helper', 'root', 'subagent', 121, 130, 'done', 1, NULL`,
		`'late', 'root', 'subagent', 111, 115, 'done', 1, NULL`,
		`'next', 'root', 'cli', 200, 300, 'branched', 1, NULL`,
		`'copied', 'next', 'cli', 300, NULL, NULL, 1, NULL`,
		`'bare', 'next', 'cli', 301, NULL, NULL, 1, NULL`,
		`'silent', 'next', 'cli', 302, NULL, NULL, 1, NULL`,
	)
	q := otherConnection(t, s.Path())
	say := func(id int, session, role, content, calls string, at float64) {
		t.Helper()
		if _, err := q.Exec(`INSERT INTO messages (id, session_id, role, content, tool_calls, timestamp) VALUES (?, ?, ?, ?, nullif(?, ''), ?)`,
			id, session, role, content, calls, at); err != nil {
			t.Fatal(err)
		}
	}
	const call = `[{"id": "1", "type": "function", "function": {"name": "delegate_task", "arguments": "{}"}}]`
	say(1, "root", "user", "begin", "", 101)
	say(2, "root", "assistant", "first", "", 110)
	say(3, "root", "user", "now delegate", "", 118)
	say(4, "root", "assistant", "", call, 119)
	say(5, "root", "tool", "another tool", "", 120.5)
	say(6, "root", "tool", "done", "", 131)
	say(11, "helper", "user", "the goal", "", 122)
	say(21, "next", "user", "go on", "", 210)
	say(22, "next", "assistant", "gone on", "", 211)
	say(23, "next", "user", "more", "", 212)
	say(31, "copied", "user", "go on", "", 300)
	say(32, "copied", "assistant", "gone on", "", 300)
	say(33, "copied", "user", "elsewhere", "", 303)
	say(41, "bare", "user", "elsewhere", "", 303)
	Must(t, q, `UPDATE sessions SET model_config = '{"_branched_from": "next"}' WHERE id IN ('copied', 'bare', 'silent')`)

	all := map[string]model.Fork{
		"root":   {FirstOwn: 1},
		"next":   {Parent: "root", LastShared: 6, Position: 6, ParentMessages: 9, FirstOwn: 21},
		"helper": {Parent: "root", LastShared: 4, Position: 4, ParentMessages: 9, FirstOwn: 11},                     // the call, not what answered in between
		"late":   {Parent: "root", LastShared: 4, Position: 4, ParentMessages: 9},                                   // written down after it had run
		"copied": {Parent: "next", LastShared: 22, Position: 8, ParentMessages: 9, CopiedMessages: 2, FirstOwn: 33}, // counted as the conversation is read
		"bare":   {Parent: "next", LastShared: 23, Position: 9, ParentMessages: 9, FirstOwn: 41},                    // by the time alone
		"silent": {Parent: "next", LastShared: 23, Position: 9, ParentMessages: 9},                                  // it has no messages yet
	}
	for id, want := range all {
		got, err := s.Fork(t.Context(), id)
		if err != nil || got != want {
			t.Errorf("%s: %+v, want %+v: %v", id, got, want, err)
		}
	}
	_, err := s.Fork(t.Context(), "unknown")
	expect(t, err, model.KindNotFound)
	if together, err := s.Forks(t.Context(), slices.Sorted(maps.Keys(all))); err != nil || !maps.Equal(together, all) {
		t.Errorf("together: %+v (%v)", together, err)
	}
	_, err = s.Forks(t.Context(), []string{"root", "unknown"})
	expect(t, err, model.KindNotFound)
}

// On every fixture each place is a message of the parent, and the first own
// message one of the session's.
func TestForkOfEverySession(t *testing.T) {
	t.Parallel()
	names := append(versionsToTest(t), "bad/cycle.db", "bad/orphan-parent.db", "bad/timestamps.db", "bad/bad-json.db", "bad/invalid-utf8.db")
	for _, name := range names {
		s := openFixture(t, name)
		all, err := s.sessions.CurrentSnapshot(t.Context())
		if err != nil {
			t.Fatal(name, err)
		}
		var ids []string
		for _, session := range all.All() {
			ids = append(ids, session.ID)
		}
		together, err := s.Forks(t.Context(), ids)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, session := range all.All() {
			id := session.ID
			f, err := s.Fork(t.Context(), id)
			if together[id] != f {
				t.Errorf("%s %s: %+v, %+v with all others", name, id, f, together[id])
			}
			if err != nil {
				t.Errorf("%s %s: %v", name, id, err)
				continue
			}
			for message, session := range map[int64]string{f.LastShared: f.Parent, f.FirstOwn: id} {
				if message == 0 {
					continue
				}
				m, err := s.MessagesByID(t.Context(), []int64{message})
				if err != nil || len(m) != 1 || m[0].SessionID != session {
					t.Errorf("%s %s: message %d is not of %s: %v", name, id, message, session, err)
				}
			}
			if f.Position > f.ParentMessages || f.Position < 0 {
				t.Errorf("%s %s: %+v", name, id, f)
			}
		}
	}
}

// The first message replaces a missing title, and only an open session that was
// just written to is running.
func TestLineageNodesHavePreviewsAndStates(t *testing.T) {
	t.Parallel()
	s := family(t,
		`'root', NULL, 'cli', 1000, 2000, 'compression', NULL`,
		`'tip', 'root', 'cli', 2000, NULL, NULL, NULL`,
		`'help', 'tip', 'subagent', 2010, 2011, 'error', NULL`)
	db := otherConnection(t, s.Path())
	Must(t, db, `INSERT INTO sessions (id, parent_session_id, source, started_at) VALUES ('hollow', 'tip', 'subagent', 2012)`)
	now := float64(s.db.Clock().Unix())
	if _, err := db.Exec(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('tip', 'assistant', 'working', ?)`, now-10); err != nil {
		t.Fatal(err)
	}
	root, err := s.Lineage(t.Context(), "help")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	root.Walk(func(n *model.Node, _ int) bool {
		got[n.ID] = n.State.String() + ": " + n.Preview
		return true
	})
	for id, want := range map[string]string{"root": "done: of root", "tip": "running: of tip", "help": "failed: of help", "hollow": "empty: "} {
		if got[id] != want {
			t.Errorf("%s is %q, want %q", id, got[id], want)
		}
	}
}

// QuickLineage returns the same tree, with fewer previews.
func TestQuickLineage(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	all, err := s.sessions.CurrentSnapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all.All() {
		whole, err := s.Lineage(t.Context(), m.ID)
		if err != nil {
			t.Fatal(err)
		}
		quick, partial, err := s.QuickLineage(t.Context(), m.ID)
		if err != nil || !partial || !reflect.DeepEqual(quick, whole) {
			t.Fatalf("%s: partial %v, %v", m.ID, partial, err)
		}
	}
	fresh := reopen(t, s.Path())
	if _, partial, err := fresh.QuickLineage(t.Context(), all.ID(0)); err != nil || partial {
		t.Errorf("of a small family all was read: %v %v", partial, err)
	}
	_, _, err = fresh.QuickLineage(t.Context(), "unknown")
	expect(t, err, model.KindNotFound)

	Must(t, otherConnection(t, s.Path()), `PRAGMA foreign_keys = 0`, `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
		INSERT INTO sessions (id, parent_session_id, source, started_at) SELECT 'many' || i, CASE WHEN i > 1 THEN 'many1' END, 'subagent', i FROM n`, `
		INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'of ' || id, started_at FROM sessions WHERE id LIKE 'many%'`)
	root, partial, err := s.QuickLineage(t.Context(), "many500")
	if err != nil || !partial || root.Total.Sessions != 1000 || root.Total.Messages != 1000 {
		t.Fatalf("%+v %v %v", root, partial, err)
	}
	for i, want := range map[int]string{300: "", 498: "of many500", 900: ""} {
		if got := root.Children[i].Preview; got != want {
			t.Errorf("child %d says %q, want %q", i, got, want)
		}
	}
}
