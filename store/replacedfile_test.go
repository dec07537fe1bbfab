package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"hermes-sessions/model"
)

// Another file in the place of the one that was read: not one row of it is
// touched, though it has the same ids.
func TestDeleteRefusesAReplacedFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, wrote := range []bool{false, true} {
		s := openFixture(t, "v25.db")
		ids := conversations(t, s)
		if wrote { // the writing connection has the old file open
			if _, err := s.SetArchived(ctx, ids[:1], true); err != nil {
				t.Fatal(err)
			}
		}
		plan, err := s.PlanDelete(ctx, ids[:3], model.DeleteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		other := fixture(t, "v25.db")
		if err := os.Rename(other, s.Path()); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"delete": func() error { _, err := s.Delete(ctx, ids[:3], model.DeleteOptions{Expected: &plan}); return err }(),
			"rename": func() error { _, err := s.SetTitle(ctx, ids[0], "x"); return err }(),
			"pin":    func() error { _, err := s.SetPinned(ctx, ids, true); return err }(),
		} {
			if kind(err) != model.KindReplaced {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := os.Remove(s.Path()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.SetArchived(ctx, ids[:1], false); kind(err) != model.KindReplaced {
			t.Errorf("gone: %v", err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(s.Path()), "copy"), before, 0o600); err != nil {
			t.Fatal(err)
		}
		same, err := Open(ctx, filepath.Join(filepath.Dir(s.Path()), "copy"), WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		untouched := openFixture(t, "v25.db")
		a, b := dump(t, untouched.db.Pool), dump(t, same.db.Pool)
		if len(a) != len(b) {
			t.Errorf("%d rows, want %d", len(b), len(a))
		}
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("%s is %s", a[i], b[i])
			}
		}
		if err := same.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What the log holds of a file that was replaced is not left beside the new one, into which
// SQLite would mix it.
func TestNoLogIsLeftBesideTheNewFile(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	ids := conversations(t, s)
	if _, err := s.SetTitle(t.Context(), ids[0], "in the log"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(fixture(t, "v11-first.db"), s.Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetTitle(t.Context(), ids[0], "x"); kind(err) != model.KindReplaced {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(s.Path() + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("%d bytes of the log are left", info.Size())
	}
	if n := len(conversations(t, reopen(t, s.Path()))); n == 0 {
		t.Error("the new file shows no conversations")
	}
}

// Nor is it left where no file is any more: it goes with the file that was moved away.
func TestTheLogGoesWithAFileThatIsMovedAway(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	id := conversations(t, s)[0]
	if _, err := s.SetTitle(t.Context(), id, "in the log"); err != nil {
		t.Fatal(err)
	}
	away := filepath.Join(t.TempDir(), "away.db")
	if err := os.Rename(s.Path(), away); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(s.Path() + "-wal"); err == nil && info.Size() > 0 {
		t.Errorf("%d bytes of the log are left", info.Size())
	}
	if title, err := reopen(t, away).Title(t.Context(), id); err != nil || title != "in the log" {
		t.Errorf("the moved file has the title %q, %v", title, err)
	}
}

// A log that another program has written since may be that of the new file by now: it stays.
func TestALogThatOthersWroteIsLeft(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	id := conversations(t, s)[0]
	if _, err := s.SetTitle(t.Context(), id, "in the log"); err != nil {
		t.Fatal(err)
	}
	other := reopen(t, s.Path())
	if _, err := other.SetTitle(t.Context(), id, "of another program"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.Path(), filepath.Join(t.TempDir(), "away.db")); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(s.Path() + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(s.Path() + "-wal"); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%d bytes of the log are left of %d, %v", len(after), len(before), err)
	}
}

// Nothing is taken back in such a file either.
func TestChangesAreRefusedInAReplacedFile(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	wishes := confirmed(t, s)
	if err := os.Rename(fixture(t, "v25.db"), s.Path()); err != nil {
		t.Fatal(err)
	}
	there := reopen(t, s.Path())
	before := dump(t, there.db.Pool)
	refusedAll(t, s, wishes, model.KindReplaced)
	same(t, "the other file", before, dump(t, there.db.Pool))
}

// A newer Hermes migrates the file while it is looked at: its rules hold for
// the next change.
func TestWriteSeesAMigrationByAnotherProcess(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openFixture(t, "v25.db")
	ids := conversations(t, s)
	if _, err := s.SetTitle(ctx, ids[0], "before"); err != nil {
		t.Fatal(err)
	}
	q := otherConnection(t, s.Path())
	Must(t, q, `ALTER TABLE sessions ADD COLUMN title_source TEXT`,
		`CREATE TRIGGER guard BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'this needs a newer Hermes'); END`,
		`UPDATE schema_version SET version = 31`)
	e, err := s.Rename(ctx, model.Renaming{ID: ids[0], Was: "before", Title: "after"})
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(t, s, `SELECT title_source FROM sessions WHERE id = '`+ids[0]+`'`); len(got) != 1 || got[0] != "user" {
		t.Errorf("title_source is %q", got)
	}
	if err := s.UndoEdit(ctx, e); err != nil {
		t.Error(err)
	}
	before := dump(t, q)
	if _, err := s.Delete(ctx, ids[:1], model.DeleteOptions{}); kind(err) != model.KindRefused {
		t.Error(err)
	}
	same(t, "refused", before, dump(t, q))
}

// A store that was opened for reading only refuses every change.
func TestReadOnlyByConstruction(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	path := fixture(t, "v25.db")
	s, err := Open(ctx, path, ReadOnly(), WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := conversations(t, s)
	before := dump(t, s.db.Pool)
	title, err := s.Title(ctx, ids[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"delete": func() error { _, err := s.Delete(ctx, ids[:1], model.DeleteOptions{}); return err }(),
		"some": func() error {
			_, err := s.Delete(ctx, ids[:2], model.DeleteOptions{SkipBlocked: true})
			return err
		}(),
		"rename":  func() error { _, err := s.Rename(ctx, model.Renaming{ID: ids[0], Was: title, Title: "x"}); return err }(),
		"title":   func() error { _, err := s.SetTitle(ctx, ids[0], "x"); return err }(),
		"pin":     func() error { _, err := s.SetPinned(ctx, ids, true); return err }(),
		"archive": func() error { _, err := s.SetArchived(ctx, ids, true); return err }(),
		"undo":    s.UndoEdit(ctx, model.Edit{Changes: []model.CellChange{{Session: ids[0], Column: "pinned"}}}),
		"prune":   func() error { _, err := s.Prune(ctx, model.PruneOptions{}); return err }(),
	} {
		if kind(err) != model.KindReadOnly {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.db.Writer.Pool != nil {
		t.Error("there is a writing connection")
	}
	same(t, "read only", before, dump(t, s.db.Pool))
}
