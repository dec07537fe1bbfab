package store

import (
	"fmt"
	"testing"

	"hermes-sessions/model"
)

// Traps that other browsers of sessions fell into, one test each.

func TestTrapFilterAfterLimit(t *testing.T) {
	s, _ := one(t, "v11.db",
		session("wanted"), `UPDATE sessions SET source = 'telegram-of-old' WHERE id = 'wanted'`, message("wanted", 1),
		`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 10000) INSERT INTO sessions (id, source, title, started_at) SELECT 'noise' || n, 'cli', 'noise ' || n, 1780000000 + n FROM i`)
	page, err := s.Conversations(t.Context(), model.ListQuery{Sources: []string{"telegram-of-old"}, Limit: 5})
	if err != nil || len(page.Conversations) != 1 || page.Conversations[0].ID != "wanted" || page.Total != 1 {
		t.Fatalf("%+v %v", page, err)
	}
}

func TestTrapResetEmptyOrArchivedTip(t *testing.T) {
	s, _ := one(t, "v25.db",
		session("root", "ended_at", "1700000100", "end_reason", "'compression'", "archived", "1"), message("root", 2),
		session("tip", "parent_session_id", "'root'", "title", "'goes on here'"), `UPDATE sessions SET started_at = 1700000200 WHERE id = 'tip'`, message("tip", 2),
		session("reset", "parent_session_id", "'root'", "model_config", `'{"_reset_from": "root"}'`), `UPDATE sessions SET started_at = 1700000300 WHERE id = 'reset'`, message("reset", 1),
	)
	c, err := s.Conversation(t.Context(), "root")
	if err != nil || c.ID != "tip" || c.Scope != model.Conversations {
		t.Errorf("a reset sibling or an archived root wins: %q in scope %v, %v", c.ID, c.Scope, err)
	}
	if c, err = s.Conversation(t.Context(), "reset"); err != nil || c.ID != "reset" || c.RootID != "reset" {
		t.Errorf("a reset is no conversation of its own: %+v %v", c, err)
	}
	s, _ = one(t, "v25.db",
		session("root", "ended_at", "1700000100", "end_reason", "'compression'"), message("root", 2),
		session("full", "parent_session_id", "'root'"), `UPDATE sessions SET started_at = 1700000200 WHERE id = 'full'`, message("full", 2),
		session("void", "parent_session_id", "'root'"), `UPDATE sessions SET started_at = 1700000300 WHERE id = 'void'`,
	)
	c, err = s.Conversation(t.Context(), "root")
	if err != nil || c.ID != "full" || c.Scope != model.Conversations {
		t.Errorf("an empty sibling is the tip: %+v %v", c, err)
	}
	if id, err := s.Tip(t.Context(), "root"); err != nil || id != "full" {
		t.Errorf("the tip is %q: %v", id, err)
	}
}

func TestTrapParentCycleOrMissingParent(t *testing.T) {
	s, db := one(t, "v11.db",
		`PRAGMA foreign_keys = OFF`,
		session("a", "parent_session_id", "'b'"), session("b", "parent_session_id", "'a'"), message("a", 1), message("b", 1),
		session("dangling", "parent_session_id", "'nobody'"), message("dangling", 1),
	)
	for _, id := range []string{"a", "b", "dangling"} {
		if _, err := s.Conversation(t.Context(), id); err != nil {
			t.Errorf("%s is not in the list: %v", id, err)
		}
	}
	before := dump(t, db)
	u := deleted(t, s, model.DeleteOptions{Skip: true}, "a", "b", "dangling")
	if n := count(t, s, `SELECT count(*) FROM sessions WHERE id IN ('a', 'b', 'dangling')`); n != 0 {
		t.Errorf("%d are left", n)
	}
	restored(t, s, u)
	after := dump(t, db)
	// A parent that does not exist can not be put back as one.
	if len(after) != len(before) {
		t.Errorf("%d rows came back, want %d", len(after), len(before))
	}
}

func TestTrapEndedAtNullMeansLive(t *testing.T) {
	s, _ := one(t, "v11.db",
		`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 700) INSERT INTO sessions (id, source, title, started_at) SELECT 'left' || n, 'cli', 'left ' || n, 1700000000 + n FROM i`)
	page, err := s.Conversations(t.Context(), model.ListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, c := range page.Conversations {
		if c.State == model.Running {
			t.Fatalf("%s is told to be running", c.ID)
		}
		if c.ID[0] == 'l' {
			seen++
		}
	}
	if seen != 700 {
		t.Fatalf("%d of 700", seen)
	}
	if p, err := s.PlanDelete(t.Context(), []string{"left1"}, model.DeleteOptions{}); err != nil || len(p.Running) != 0 {
		t.Errorf("%+v %v", p, err)
	}
}

func TestTrapCostZeroWithUnknownStatusShownAsFree(t *testing.T) {
	var statements []string
	for i, c := range [][2]string{{"0.0", "NULL"}, {"0.0", "'unknown'"}, {"NULL", "NULL"}} {
		id := fmt.Sprint("cost", i)
		statements = append(statements, session(id, "estimated_cost_usd", c[0], "cost_status", c[1]), message(id, 1))
	}
	s, _ := one(t, "v11.db", statements...)
	for i := range 3 {
		c, err := s.Conversation(t.Context(), fmt.Sprint("cost", i))
		if err != nil || c.Total.Cost.String() != "?" {
			t.Errorf("%d: %q %v", i, c.Total.Cost.String(), err)
		}
	}
}
