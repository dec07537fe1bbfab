package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/model"
	"hermes-sessions/store"
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

// An undo that is refused, since its session is there again, does not keep the others back.
func TestUndoGoesOnAfterARefusal(t *testing.T) {
	dir, state := home(t), t.TempDir()
	db := filepath.Join(dir, "state.db")
	s, err := store.Open(t.Context(), db, store.WithUndoFolder(filepath.Join(state, "hermes-sessions", "undo")))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	undo := func(flags ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = Run(t.Context(), Process{
			Args: append([]string{"--home", dir, "undo"}, flags...), Environ: env.Vars{"XDG_STATE_HOME=" + state}, Stdin: strings.NewReader(""), Stdout: &o, Stderr: &e, Now: time.Now,
		})
		return code, o.String(), e.String()
	}
	again := func(id string) string {
		return "INSERT INTO sessions (id, source, model, started_at) VALUES ('" + id + "', 'cli', 'another', 9)"
	}
	for _, id := range []string{"first", "open"} { // open is undone first
		u, err := s.Delete(t.Context(), []string{id}, model.DeleteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		damage(t, db, again(id))
		if err := s.Restore(t.Context(), u, model.RestoreOptions{}); err == nil {
			t.Fatal("it was restored")
		}
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// Each refusal is told, and no answer says that something was done.
	if code, out, errs := undo("--json"); code != 1 || out != "" || !strings.Contains(errs, "first") || !strings.Contains(errs, "open") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	damage(t, db, "DELETE FROM sessions WHERE id = 'first'")
	if code, out, errs := undo("--json"); code != 1 || !strings.Contains(out, `"undone": 1,`) || !strings.Contains(errs, "open") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	damage(t, db, "DELETE FROM sessions WHERE id = 'open'")
	if code, out, errs := undo(); code != 0 || out != "Restored 1 message of 'open one'.\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}
