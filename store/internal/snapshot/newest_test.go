package snapshot

import (
	"fmt"
	"testing"
)

// The newest session of each source and workspace is the same whether the sessions active
// lately are read for it, or all. In a long history, few of them are.
func TestNewestOfActiveEqualsThatOfAll(t *testing.T) {
	t.Parallel()
	const inFolders, old = `UPDATE sessions SET cwd = '/w/' || rowid % 7`, `UPDATE messages SET timestamp = timestamp + 4e7 WHERE session_id = (SELECT id FROM sessions ORDER BY started_at LIMIT 1)`
	answered := 0
	for _, name := range append(versions(t), "bad/cycle.db", "bad/nulls-everywhere.db") {
		for _, changes := range [][]string{nil, {old}} {
			s := openFixture(t, name, changes...)
			if s.db.Schema.Has("sessions", "cwd") {
				s = openFixture(t, name, append(changes, inFolders)...)
			}
			all, err := s.ReadSnapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, workspace := range []string{"", "/w", "/w/1", "/w/6", "/nowhere"} {
				for _, source := range []string{"cli", "telegram", "cron", "nothing"} {
					what := fmt.Sprint(name, changes, workspace, source)
					fast, err := s.newestOfActive(t.Context(), s.db.Pool, workspace, []string{source})
					if err != nil {
						t.Fatal(what, err)
					}
					want, anywhere := s.newestOf(all, workspace, []string{source})
					if want.ID == "" {
						want = anywhere
					}
					if fast.ID != "" {
						answered++
					}
					if fast.ID != "" && fast.ID != want.ID {
						t.Errorf("%s: %s, of all %s", what, fast.ID, want.ID)
					}
					if got, err := s.Newest(t.Context(), workspace, source); err != nil || got.ID != want.ID {
						t.Errorf("%s: Newest %s, of all %s: %v", what, got.ID, want.ID, err)
					}
				}
			}
		}
	}
	if answered < 20 {
		t.Errorf("only %d answers without all sessions", answered)
	}
}

// What concerns some sessions reads their families, not all sessions.
func TestFamiliesOfSeveralSessions(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	all, err := s.ReadSnapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{all.ID(0), all.ID(all.Len() / 2), all.ID(all.Len() - 1)}
	some, err := s.FamilySnapshot(t.Context(), ids...)
	if err != nil || some.Len() >= all.Len() || s.CachedSnapshot() != nil {
		t.Fatal(err, some.Len(), all.Len())
	}
	for _, id := range ids {
		at, ok := some.Position(id)
		was, _ := all.Position(id)
		if got, want := some.Session(at), all.Session(was); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, of all %+v", id, got, want)
		}
	}
	if again, err := s.FamilySnapshot(t.Context(), ids[2], ids[0]); err != nil || again != some {
		t.Error("read again", err)
	}
	if _, err := s.FamilySnapshot(t.Context(), ids[0], "nowhere"); err != nil {
		t.Error(err)
	}
}
