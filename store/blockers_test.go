package store

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
)

// Blocked conversations stay whole and are reported; the others are deleted and restored.
func TestDeleteSkipsBlockedConversations(t *testing.T) {
	now := clock().Unix()
	statements := []string{
		`CREATE TABLE session_turn_leases (conversation_id TEXT PRIMARY KEY, expires_at REAL)`,
		`CREATE TABLE ledger (id TEXT REFERENCES sessions(id))`,
	}
	var ids []string
	for i := range 40 {
		id := fmt.Sprint("s", i)
		ids = append(ids, id)
		statements = append(statements, session(id), message(id, 3))
	}
	statements = append(statements,
		session("child", "parent_session_id", "'s3'", "model_config", `'{"_delegate_from": "s3"}'`), message("child", 1),
		fmt.Sprintf(`INSERT INTO session_turn_leases VALUES ('child', %d)`, now+60),
		fmt.Sprintf(`INSERT INTO compression_locks VALUES ('s7', 'other', 1, %d)`, now+60),
		`INSERT INTO ledger VALUES ('s11')`,
	)
	s, q := One(t, "v25.db", statements...)
	before := dump(t, q)
	o := model.DeleteOptions{SkipBlocked: true}
	plan, err := s.PlanDelete(t.Context(), ids, o)
	if err != nil || len(plan.PerConversation) != 37 || plan.Messages != 37*3 {
		t.Fatalf("%v %+v", err, plan)
	}
	refused := func(d model.Deletion) (ids []string) {
		for _, r := range d.Skipped {
			if r.Reason == "" {
				t.Error("no reason for", r.ID)
			}
			ids = append(ids, r.ID)
		}
		slices.Sort(ids)
		return ids
	}
	if got := refused(plan); !slices.Equal(got, []string{"s11", "s3", "s7"}) {
		t.Fatalf("%q", got)
	}
	// Between the question and the yes: one more message in one, one is gone,
	// one has a new subagent.
	Must(t, q, message("s20", 1), `DELETE FROM messages WHERE session_id = 's21'`, `DELETE FROM sessions WHERE id = 's21'`,
		session("late", "parent_session_id", "'s22'", "model_config", `'{"_delegate_from": "s22"}'`))
	changed := dump(t, q)
	o.Expected = &plan
	u, err := s.Delete(t.Context(), ids, o)
	if err != nil {
		t.Fatal(err)
	}
	gone := u.Deleted()
	if got := refused(gone); !slices.Equal(got, []string{"s11", "s20", "s22", "s3", "s7"}) || len(gone.Sessions) != 34 || len(gone.NotFound) != 1 {
		t.Fatalf("%q stay, %d are gone, %q are missing", got, len(gone.Sessions), gone.NotFound)
	}
	for _, r := range gone.Skipped {
		asked := slices.IndexFunc(plan.Skipped, func(p model.SkippedConversation) bool { return p.ID == r.ID })
		if changed := strings.Contains(r.Reason, "has changed it"); changed != (asked < 0) || asked >= 0 && r.Reason != plan.Skipped[asked].Reason {
			t.Errorf("%s stays: %q", r.ID, r.Reason)
		}
	}
	for _, id := range []string{"s3", "child", "s7", "s11", "s20", "s22", "late"} {
		if n := Count(t, s, `SELECT count(*) FROM sessions WHERE id = '`+id+`'`); n != 1 {
			t.Errorf("%s is not there", id)
		}
	}
	restored(t, s, u)
	same(t, "brought back", changed, dump(t, q))
	if slices.Equal(before, changed) {
		t.Fatal("nothing had changed")
	}
	// None that can go: the reason is the error.
	if _, err := s.Delete(t.Context(), []string{"s7", "s3"}, model.DeleteOptions{SkipBlocked: true}); kind(err) != model.KindInUse {
		t.Error(err)
	}
}

// What a trigger refuses shows only in the act: still only that one stays.
func TestDeleteSkipsSessionsThatATriggerKeeps(t *testing.T) {
	statements := []string{`CREATE TRIGGER guard BEFORE DELETE ON sessions WHEN old.id IN ('s13', 's14', 's39') BEGIN SELECT RAISE(ABORT, 'not this one'); END`}
	var ids []string
	for i := range 60 {
		id := fmt.Sprint("s", i)
		ids = append(ids, id)
		statements = append(statements, session(id), message(id, 2))
	}
	s, db := One(t, "v25.db", statements...)
	before := dump(t, db)
	u, err := s.Delete(t.Context(), ids, model.DeleteOptions{SkipBlocked: true})
	if err != nil {
		t.Fatal(err)
	}
	gone := u.Deleted()
	if len(gone.Sessions) != 57 || len(gone.Skipped) != 3 || gone.Skipped[0].Reason != "not this one" || gone.Messages != 114 {
		t.Fatalf("%d gone, %+v", len(gone.Sessions), gone.Skipped)
	}
	restored(t, s, u)
	same(t, "brought back", before, dump(t, db))
}

// Five thousand conversations go in the memory of a few.
func TestManyAreDeletedInConstantMemory(t *testing.T) {
	campaign.Only(t) // 18 MB of text are written and indexed
	many := func(n int) (*Store, []string) {
		var ids []string
		s, _ := One(t, "v11.db",
			fmt.Sprintf(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d) INSERT INTO sessions (id, source, started_at) SELECT 'many' || n, 'cli', 1700000000 FROM i`, n),
			fmt.Sprintf(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d) INSERT INTO messages (session_id, role, content, timestamp) SELECT 'many' || n, 'user', '%s', 1700000000 FROM i`, n, strings.Repeat("some words of a message ", 150)))
		for i := range n {
			ids = append(ids, fmt.Sprint("many", i+1))
		}
		return s, ids
	}
	peak := func(s *Store, ids []string) uint64 {
		most := uint64(0)
		look := func(int, int) {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		calls := 0
		u, err := s.Delete(t.Context(), ids, model.DeleteOptions{SkipBlocked: true, Progress: func(a, b int) {
			if calls++; calls%8 == 0 || a == b {
				look(a, b)
			}
		}})
		if err != nil || len(u.Deleted().Sessions) != len(ids) {
			t.Fatal(err)
		}
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
		return most
	}
	few, fewIDs := many(500)
	a := peak(few, fewIDs)
	lots, lotsIDs := many(5000)
	b := peak(lots, lotsIDs)
	t.Logf("heap at most %d KB with 500, %d KB with 5000 (18 MB of text)", a>>10, b>>10)
	if b > a+12<<20 {
		t.Errorf("5000 conversations take %d KB more than 500", (b-a)>>10)
	}
}
