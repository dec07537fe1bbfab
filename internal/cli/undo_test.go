package cli

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/model"
)

// What a killed process has left is told by what is gone: of an interrupted deletion, only the
// messages that were deleted are saved, and most may still be in the database.
func TestWordsForInterruptedUndos(t *testing.T) {
	t.Parallel()
	u := model.SavedUndo{Sessions: 1, Messages: 1000, Back: 640}
	for state, want := range map[model.UndoState]string{
		model.UndoInterrupted:   "an interrupted undo: 640 of 1,000 messages restored",
		model.DeleteInterrupted: "an interrupted deletion: 360 messages deleted",
		model.DeleteNotUndone:   "a deletion of 1,000 messages can still be undone",
	} {
		if u.State = state; interruption(u) != want {
			t.Errorf("%q, want %q", interruption(u), want)
		}
	}
	u = model.SavedUndo{State: model.DeleteInterrupted, Messages: 1}
	if got := interruption(u); got != "an interrupted deletion: 1 message deleted" {
		t.Errorf("of one message: %q", got)
	}
}

// What delete and prune remove is kept for undo, which lists it and restores the last or a
// chosen deletion, once, unless it is blocked or forgotten.
func TestUndoOfEarlierCommands(t *testing.T) {
	dir, state := home(t), t.TempDir()
	db := filepath.Join(dir, "state.db")
	now := time.Unix(1790000000, 0)
	hs := func(args ...string) (code int, out, errs string) {
		t.Helper()
		now = now.Add(time.Minute)
		var o, e bytes.Buffer
		code = Run(t.Context(), Process{
			Args: append([]string{"--home", dir}, args...), Environ: env.Vars{"XDG_STATE_HOME=" + state, "XDG_CONFIG_HOME=" + state}, Stdin: strings.NewReader(""), Stdout: &o, Stderr: &e,
			Now: func() time.Time { return now },
		})
		return code, o.String(), e.String()
	}
	expect := func(want int, out, errs string, args ...string) {
		t.Helper()
		code, o, e := hs(args...)
		if code != want || !strings.Contains(o, out) || !strings.Contains(e, errs) || (out == "") != (o == "") {
			t.Errorf("%q: %d %q %q", args, code, o, e)
		}
	}
	before := dumped(t, db)
	expect(1, "", "Nothing to undo.", "undo")
	expect(0, "Deleted session 'open'.", "It can be undone for 7 days: hermes-sessions undo.", "delete", "open", "--yes")
	expect(0, "Pruned 1 session(s).", "It can be undone for 7 days", "prune", "--yes", "--source", "telegram")
	expect(0, "Deleted session 'first'.", "", "delete", "first", "--yes", "--no-undo")
	gone := dumped(t, db)
	expect(0, "2  2026-09-21 ", "Kept for 7 days, up to 1.0 GB.", "undo", "--list")
	expect(0, `"open one"`, "", "undo", "--json")
	expect(2, "", "Restore 1 message of 'open one'? (use --yes)", "undo", "2")
	if after := dumped(t, db); after != gone {
		t.Error("a list has changed something")
	}
	expect(1, "", "there is no deletion 3", "undo", "3")
	damage(t, db, "INSERT INTO sessions (id, source, model, started_at) VALUES ('open', 'cli', 'another', 9)")
	expect(0, "cannot be restored: another session has the ID open now", "", "undo", "--list")
	expect(1, "", "another session has the ID open now", "undo", "2", "--yes")
	expect(0, "Restored 0 messages of 'other'.", "", "undo", "--yes")
	expect(1, "", "another session has the ID open now", "undo", "--yes")
	damage(t, db, "DELETE FROM sessions WHERE id = 'open'")
	expect(0, "Restored 1 message of 'open one'.", "", "undo", "--yes")
	expect(1, "", "Nothing to undo.", "undo", "--yes")
	if after := dumped(t, db); after == before || !strings.Contains(after, "open one") {
		t.Error(after)
	}
	expect(0, "Deleted session 'open'.", "", "delete", "open", "--yes")
	expect(2, "", "Discard for good 1 message of 'open one'? (use --yes)", "undo", "--forget")
	expect(0, "Discarded 1 message of 'open one'.", "", "undo", "--forget", "--yes")
	expect(1, "", "Nothing to undo.", "undo")
	if err := os.MkdirAll(filepath.Join(state, "hermes-sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ settings, said string }{{"undo-days = 0", ""}, {"undo-days = 30", "It can be undone for 30 days"}} {
		if err := os.WriteFile(filepath.Join(state, "hermes-sessions", "config.toml"), []byte(c.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		expect(0, "Pruned ", c.said, "prune", "--yes", "--older-than", "0", "--source", "cli")
		if code, out, _ := hs("undo", "--list"); (code == 0) != (c.said != "") {
			t.Errorf("%q: %d %q", c.settings, code, out)
		}
		if c.said == "" {
			damage(t, db, "INSERT INTO sessions (id, source, started_at, ended_at) VALUES ('later', 'cli', 9, 10)")
		}
	}
	if err := os.WriteFile(filepath.Join(state, "hermes-sessions", "config.toml"), []byte("undo-days = -1"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(2, "", "undo-days = -1: must be from 0", "undo")
}

// dumped returns the rows of sessions and messages.
func dumped(t *testing.T, file string) string {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	text := ""
	for _, q := range []string{
		`SELECT coalesce(group_concat(id || source || coalesce(title, '') || started_at || coalesce(model, ''), char(10)), '') FROM (SELECT * FROM sessions ORDER BY id)`,
		`SELECT coalesce(group_concat(id || session_id || role || coalesce(content, ''), char(10)), '') FROM (SELECT * FROM messages ORDER BY id)`,
	} {
		rows := ""
		if err := db.QueryRow(q).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		text += rows
	}
	return text
}
