package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
)

// spooled returns what is in a folder.
func spooled(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v %v", e.Name(), info.Mode(), err)
		}
	}
	return names
}

// A process that is killed while it deletes, after that, or while it restores leaves the
// rows in a file. The next one brings back every row, though it is killed itself, or
// drops them all.
func TestKillLeavesAnUndo(t *testing.T) {
	t.Parallel()
	for _, does := range []string{"delete, undoable", "restore, undoable"} {
		for _, n := range []int{300, 1500} {
			whole, before := toBeKilled(t, n, "parent_session_id", "'unknown'")
			offered := map[model.UndoState]int{}
			for round := range campaign.Length(1, 12) {
				dir := t.TempDir()
				file, folder := filepath.Join(dir, "state.db"), filepath.Join(dir, "undo")
				if err := os.WriteFile(file, whole, 0o600); err != nil {
					t.Fatal(err)
				}
				some := func() time.Duration {
					return time.Duration(rand.Int64N(int64(time.Duration(n) * time.Millisecond / 3)))
				}
				killed(t, does, file, folder, some())
				if round%2 == 1 {
					killed(t, "finish", file, folder, some())
				}
				db := otherConnection(t, file)
				s, err := Open(t.Context(), file, WithClock(clock), WithUndoFolder(folder))
				if err != nil {
					t.Fatal(err)
				}
				undos, err := s.InterruptedUndos(t.Context())
				if err != nil || len(undos) > 1 {
					t.Fatal(undos, err)
				}
				for _, u := range undos {
					offered[u.State]++
					if there := see(t, db).messages["kill"]; u.Back > there || u.Messages > n {
						t.Errorf("%+v, and %d messages are there", u, there)
					}
					if err := s.FinishUndo(t.Context(), u, model.RestoreOptions{}); err != nil {
						t.Error(err)
					}
				}
				same(t, does, before, dump(t, db))
				indexed(t, db, true)
				if names := spooled(t, folder); len(names) > 0 {
					t.Errorf("%q is left", names)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			t.Logf("%s, %d messages: offered %v", does, n, offered)
		}
	}
}

// The file is there as long as the undo, and belongs to its process for that time.
func TestUndoFolder(t *testing.T) {
	t.Parallel()
	path, folder := fixture(t, "v25.db"), filepath.Join(t.TempDir(), "state", "undo")
	open := func() *Store {
		s, err := Open(t.Context(), path, WithClock(clock), WithUndoFolder(folder))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s, other := open(), open()
	defer other.Close()
	before := dump(t, s.db.Pool)
	ids := conversations(t, s)
	u, err := s.Delete(t.Context(), ids[:2], model.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if names := spooled(t, folder); len(names) != 1 {
		t.Errorf("the folder has %q", names)
	}
	if found, err := other.InterruptedUndos(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("another process is offered %v, %v", found, err)
	}
	if err := s.Restore(t.Context(), u, model.RestoreOptions{}); err != nil {
		t.Fatal(err)
	}
	same(t, "restored", before, dump(t, s.db.Pool))
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	if names := spooled(t, folder); len(names) > 0 {
		t.Errorf("the folder has %q", names)
	}
	// Without an undo nothing stays either, whatever the size.
	if _, err = s.Delete(t.Context(), ids, model.DeleteOptions{NoUndo: true}); err != nil {
		t.Fatal(err)
	}
	if names := spooled(t, folder); len(names) > 0 {
		t.Errorf("the folder has %q", names)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// What was left can be dropped, and a file of another database is not touched.
func TestDropUndo(t *testing.T) {
	t.Parallel()
	whole, before := toBeKilled(t, 300)
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "state.db"), filepath.Join(dir, "undo")
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if !killed(t, "delete, undoable", file, folder, time.Minute) {
		t.Fatal("it did not end")
	}
	elsewhere := fixture(t, "v25.db")
	o, err := Open(t.Context(), elsewhere, WithUndoFolder(folder))
	if err != nil {
		t.Fatal(err)
	}
	if found, err := o.InterruptedUndos(t.Context()); err != nil || len(found) > 0 {
		t.Error(found, err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	s, err := Open(t.Context(), file, WithUndoFolder(folder))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found, err := s.InterruptedUndos(t.Context())
	if err != nil || len(found) != 1 || found[0].State != model.DeleteNotUndone || found[0].Messages != 300 || found[0].Back != 0 || !slices.Equal(found[0].Titles, []string{"to be killed"}) {
		t.Fatal(found, err)
	}
	if err := s.DropUndo(found[0]); err != nil {
		t.Error(err)
	}
	if names := spooled(t, folder); len(names) > 0 {
		t.Errorf("the folder has %q", names)
	}
	if rows := dump(t, s.db.Pool); slices.Equal(rows, before) {
		t.Error("the rows are back")
	}
}

// Rows that could not be restored outlive the program that deleted them: Hermes may have
// written to the session again.
func TestAFailedUndoIsLeftForTheNextProgram(t *testing.T) {
	t.Parallel()
	s, q := One(t, "v25.db", session("mine"), message("mine", 3))
	before := dump(t, q)
	folder := filepath.Join(t.TempDir(), "undo")
	WithUndoFolder(folder)(s)
	u := deleted(t, s, model.DeleteOptions{}, "mine")
	Must(t, q, session("mine", "model", "'another one'"))
	if err := s.Restore(t.Context(), u, model.RestoreOptions{}); kind(err) != model.KindExists {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := s.InterruptedUndos(t.Context())
	if err != nil || len(left) != 1 || left[0].Messages != 3 {
		t.Fatal(left, err)
	}
	Must(t, q, `DELETE FROM sessions WHERE id = 'mine'`)
	if err := s.FinishUndo(t.Context(), left[0], model.RestoreOptions{}); err != nil {
		t.Error(err)
	}
	same(t, "restored later", before, dump(t, q))
	if names := spooled(t, folder); len(names) > 0 {
		t.Errorf("%q is left", names)
	}
}

// A delete was stopped, another one deleted the rest, and the program was killed: what the second
// one has saved is restored first, for the messages of the first one need its session.
func TestUndosOfOneConversation(t *testing.T) {
	t.Parallel()
	s, q := One(t, "v25.db", session("mine"), message("mine", 2100))
	before := dump(t, q)
	folder := filepath.Join(t.TempDir(), "undo")
	WithUndoFolder(folder)(s)
	saved := map[string][]byte{} // by the name that a killed program leaves
	remove := func(ctx context.Context, o model.DeleteOptions, name string) {
		u, err := s.Delete(ctx, []string{"mine"}, o)
		if u == nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, spooled(t, folder)[0])
		content, err := os.ReadFile(file)
		if err := errors.Join(err, u.Close()); err != nil {
			t.Fatal(err)
		}
		saved[strings.Replace(file[:strings.LastIndex(file, "-")+1], "deleting-", "deleted-", 1)+name] = content
	}
	ctx, stop := context.WithCancel(t.Context())
	remove(ctx, model.DeleteOptions{Progress: func(done, _ int) {
		if done > 200 {
			stop()
		}
	}}, "1.jsonl")
	remove(t.Context(), model.DeleteOptions{}, "2.jsonl")
	for file, content := range saved {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if at := clock(); strings.HasSuffix(file, "1.jsonl") {
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	found, err := s.InterruptedUndos(t.Context())
	if err != nil || len(found) != 2 {
		t.Fatal(found, err)
	}
	for _, u := range found {
		if err := s.FinishUndo(t.Context(), u, model.RestoreOptions{}); err != nil {
			t.Error(err)
		}
	}
	same(t, "restored", before, dump(t, q))
}

// Other programs look for what was left at any moment: also when a delete has just made its file.
func TestLookingForUndosLeavesThoseOfOthers(t *testing.T) {
	t.Parallel()
	s, _ := One(t, "v25.db", session("mine"), message("mine", 3))
	folder := filepath.Join(t.TempDir(), "undo")
	WithUndoFolder(folder)(s)
	other, err := Open(t.Context(), s.db.Path, WithClock(clock), WithUndoFolder(folder))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx, stop := context.WithCancel(t.Context())
	var looking sync.WaitGroup
	looking.Go(func() {
		for ctx.Err() == nil {
			if found, err := other.InterruptedUndos(t.Context()); err != nil || len(found) > 0 {
				t.Error(found, err)
			}
		}
	})
	defer looking.Wait()
	defer stop()
	for range campaign.Length(30, 1000) {
		u, err := s.Delete(t.Context(), []string{"mine"}, model.DeleteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if names := spooled(t, folder); len(names) != 1 {
			t.Fatalf("the folder has %q", names)
		}
		restored(t, s, u)
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
