package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Before a conversation is resumed it is known where it goes on, and every
// reason to ask first.
func TestResumeCheckReturnsEveryCaution(t *testing.T) {
	t.Parallel()
	now := clock().Unix()
	s, q := One(t, "v25.db",
		session("root", "ended_at", "1700000100", "end_reason", "'compression'"), message("root", 3),
		session("tip", "parent_session_id", "'root'"), `UPDATE sessions SET started_at = 1700000100 WHERE id = 'tip'`, message("tip", 2),
		`UPDATE sessions SET title = 'the parent' WHERE id = 'tip'`,
		session("sub", "parent_session_id", "'tip'", "model_config", `'{"_delegate_from": "tip"}'`), message("sub", 1),
		session("old", "ended_at", "1700000100", "archived", "1", "profile_name", "'work'"), message("old", 1),
		`CREATE TABLE session_turn_leases (conversation_id TEXT PRIMARY KEY, expires_at REAL)`,
	)
	look := func(id, profile string) (st model.ResumeCheck, kinds string) {
		t.Helper()
		st, err := s.ResumeCheck(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range st.Cautions(profile, clock()) {
			kinds += " " + c.Kind
		}
		return st, strings.TrimSpace(kinds)
	}
	if st, kinds := look("root", "default"); st.Tip.ID != "tip" || kinds != "" {
		t.Errorf("quiet: goes on at %s, cautions %q", st.Tip.ID, kinds)
	}
	if st, kinds := look("sub", "default"); st.ParentTip.ID != "tip" || kinds != model.CautionDelegate {
		t.Errorf("subagent: parent %q, cautions %q", st.ParentTip.ID, kinds)
	}
	if _, kinds := look("old", "default"); kinds != model.CautionArchived+" "+model.CautionProfile {
		t.Errorf("archived, of another profile: %q", kinds)
	}
	if _, kinds := look("old", "work"); kinds != model.CautionArchived {
		t.Errorf("archived, of this profile: %q", kinds)
	}
	if _, kinds := look("old", ""); kinds != model.CautionArchived {
		t.Errorf("archived, the profile not known: %q", kinds)
	}

	Must(t, q, fmt.Sprintf(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('tip', 'user', 'x', %d)`, now-90))
	if _, kinds := look("root", ""); kinds != model.CautionRunning {
		t.Errorf("written to just now: %q", kinds)
	}
	Must(t, q, fmt.Sprintf(`INSERT INTO compression_locks VALUES ('root', 'other', 1, %d)`, now+60))
	if st, kinds := look("tip", ""); kinds != model.CautionBusy || !strings.Contains(st.Cautions("", clock())[0].Sentence, "is compressing session root, until ") {
		t.Errorf("a lock on an older segment: %q, %+v", kinds, st)
	}
	Must(t, q, `UPDATE compression_locks SET expires_at = 1`, fmt.Sprintf(`INSERT INTO session_turn_leases VALUES ('root', %d)`, now+60))
	if st, kinds := look("tip", ""); !strings.HasPrefix(kinds, model.CautionBusy) || !st.HeldUntil.Equal(time.Unix(now+60, 0)) {
		t.Errorf("a lease of the conversation: %q, %+v", kinds, st)
	}
	if _, kinds := look("sub", ""); kinds != model.CautionDelegate {
		t.Errorf("a lease of the conversation that started it: %q", kinds)
	}
	if _, err := s.ResumeCheck(t.Context(), "unknown"); kind(err) != model.KindNotFound {
		t.Error("an unknown session:", err)
	}
}

// Every schema can be asked, with and without locks and marks.
func TestResumeCheckOnEveryVersion(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 25; n++ {
		name := fmt.Sprintf("v%02d.db", n)
		s := openFixture(t, name)
		page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll, Limit: 5})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, c := range page.Conversations {
			if st, err := s.ResumeCheck(t.Context(), c.RootID); err != nil || st.Tip.ID != c.ID {
				t.Errorf("%s: %s goes on at %s, want %s: %v", name, c.RootID, st.Tip.ID, c.ID, err)
			}
		}
	}
}
