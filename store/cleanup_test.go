package store

import (
	"fmt"
	"slices"
	"testing"

	"hermes-sessions/model"
)

// Cleanup findings have their reasons, and what only looks like one
// is left alone.
func TestCleanupFindings(t *testing.T) {
	t.Parallel()
	young := fmt.Sprint(clock().Unix() - 3600)
	s, db := One(t, "v25.db",
		session("ghost", "ended_at", "1700000001"), `UPDATE sessions SET source = 'tui' WHERE id = 'ghost'`,
		session("empty"),
		session("empty titled", "title", "'a plan'"),
		session("empty pinned", "pinned", "1"),
		session("empty archived", "archived", "1"),
		session("empty young"), `UPDATE sessions SET started_at = `+young+` WHERE id = 'empty young'`,
		session("rewound"), message("rewound", 1), `UPDATE messages SET active = 0 WHERE session_id = 'rewound'`,
		session("empty parent"), session("its branch", "parent_session_id", "'empty parent'", "model_config", `'{"_branched_from": "empty parent"}'`), message("its branch", 1),
		session("orphan", "model_config", `'{"_delegate_from": "unknown"}'`), message("orphan", 1),
		session("subagent", "parent_session_id", "'deploy'", "model_config", `'{"_delegate_from": "deploy"}'`), message("subagent", 1),
		session("deploy", "title", "'deploy'"), message("deploy", 5),
		session("copy", "title", "'deploy #2'"), message("copy", 3),
		session("other", "title", "'deploy #3'"), message("other", 3), `UPDATE messages SET content = 'something else' WHERE session_id = 'other' AND id = (SELECT max(id) FROM messages WHERE session_id = 'other')`,
		session("pinned copy", "title", "'deploy #4'", "pinned", "1"), message("pinned copy", 2),
		session("archived copy", "title", "'deploy #5'", "archived", "1"), message("archived copy", 2),
		session("same words", "title", "'release'"), message("same words", 3),
	)
	before := dump(t, db)
	ours := func() []model.CleanupFinding {
		found, err := s.CleanupFindings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(found, func(f model.CleanupFinding) bool { return f.ID[0] == '2' }) // those of the fixture
	}
	found := ours()
	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprintf("%s: %s %s", f.ID, f.Reason, f.Original))
	}
	want := []string{"ghost: ghost ", "empty: empty ", "orphan: orphaned subagent unknown", "copy: numbered duplicate deploy"}
	if !slices.Equal(got, want) {
		t.Fatalf("found %q, want %q", got, want)
	}
	same(t, "looking", before, dump(t, db))
	var ids []string
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	u := deleted(t, s, model.DeleteOptions{SkipBlocked: true}, ids...)
	if again := ours(); len(again) > 0 {
		t.Fatalf("left: %v", again)
	}
	restored(t, s, u)
	same(t, "brought back", before, dump(t, db))
}

// Every version can be looked through.
func TestCleanupOnEveryVersion(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		s := openFixture(t, name)
		found, err := s.CleanupFindings(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, f := range found {
			if f.Pinned || f.Reason != model.CleanupDuplicate && f.Title != "" {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}
