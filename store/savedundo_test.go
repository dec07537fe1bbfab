package store

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
)

// week is how long what tests delete is kept, and how much of it.
var week = model.UndoLimits{Days: 7, Bytes: 1e9}

// keeping opens a database as a new program does that keeps what it deletes in a folder.
func keeping(t testing.TB, path, folder string, now time.Time, limits model.UndoLimits) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, WithClock(func() time.Time { return now }), WithUndoFolder(folder), WithUndoLimits(limits))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// gone deletes for a later program to restore.
func gone(t testing.TB, s *Store, ids ...string) model.Deletion {
	t.Helper()
	u, err := s.Delete(t.Context(), ids, model.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !u.Deleted().Kept {
		t.Error("it is not kept")
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	return u.Deleted()
}

func saved(t testing.TB, s *Store) []model.SavedUndo {
	t.Helper()
	found, err := s.SavedUndos(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A later program restores what was deleted and pruned, the last first, and each once.
func TestALaterProgramUndoes(t *testing.T) {
	t.Parallel()
	for _, name := range someOf([]string{"v11.db", "v25.db", "v31.db"}, 3) {
		path, folder := fixture(t, name), filepath.Join(t.TempDir(), "undo")
		s := keeping(t, path, folder, clock(), week)
		before := dump(t, s.db.Pool)
		ids := conversations(t, s)
		first := gone(t, s, ids[0])
		second := gone(t, s, ids[2:5]...)
		o := model.PruneOptions{OlderThan: time.Hour, IncludeArchived: true, IncludePinned: true}
		plan, err := s.PlanPrune(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Expected = &plan
		u, err := s.Prune(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		third := u.Deleted()
		if len(third.Sessions) == 0 || len(third.Sessions) != len(plan.Sessions) || third.Messages != plan.Messages || plan.Bytes == 0 {
			t.Errorf("%s: %d sessions, %d messages went, %d and %d (%d bytes) were planned", name, len(third.Sessions), third.Messages, len(plan.Sessions), plan.Messages, plan.Bytes)
		}
		if err := errors.Join(u.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		s = keeping(t, path, folder, clock().Add(6*24*time.Hour), week)
		if found, err := s.InterruptedUndos(t.Context()); err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %v are interrupted", name, found, err)
		}
		for _, want := range []model.Deletion{third, second, first} {
			found := saved(t, s)
			u := found[0]
			for _, other := range found { // all three are of the same second
				if other.Sessions == len(want.Sessions) && other.Messages == want.Messages {
					u = other
				}
			}
			if u.Sessions != len(want.Sessions) || u.Messages != want.Messages || u.Back != 0 || u.Blocked != "" || !u.At.Equal(clock()) || u.State != model.DeleteNotUndone {
				t.Errorf("%s: %+v, want %d sessions and %d messages", name, u, len(want.Sessions), want.Messages)
			}
			if err := s.FinishUndo(t.Context(), u, model.RestoreOptions{}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := s.FinishUndo(t.Context(), u, model.RestoreOptions{}); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: restored twice: %v", name, err)
			}
		}
		same(t, name, before, dump(t, s.db.Pool))
		indexed(t, s.db.Pool, true)
		if names := spooled(t, folder); len(names) > 0 {
			t.Errorf("%s: %q is left", name, names)
		}
	}
}

// What is kept goes after its days, and when there is too much the oldest goes first, of any
// database. What is needed to complete a conversation stays, and so does the last delete.
func TestUndoLimits(t *testing.T) {
	t.Parallel()
	path, folder, day := fixture(t, "v25.db"), filepath.Join(t.TempDir(), "undo"), 24*time.Hour
	ids := conversations(t, keeping(t, path, folder, clock(), week))
	other := keeping(t, fixture(t, "v26.db"), folder, clock().Add(-day), week)
	gone(t, other, conversations(t, other)[0])
	for i, id := range ids[:3] {
		gone(t, keeping(t, path, folder, clock().Add(time.Duration(i)*day), week), id)
	}
	interrupted := filepath.Join(folder, "deleting-other.jsonl")
	if err := os.WriteFile(interrupted, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(interrupted, clock().Add(-99*day), clock().Add(-99*day)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		bytes int64
		mine  int
		all   int
	}{
		{6*day - time.Minute, 1e9, 3, 4},
		{6 * day, 1e9, 3, 3},    // that of the other database
		{7*day + 1, 1e9, 2, 2},  //
		{7*day + 1, 1, 1, 1},    // only the last delete, whatever its size
		{9*day - 1, 1, 1, 1},    //
		{9 * day, 1e9, 0, 0},    //
		{99 * day, 1_000, 0, 0}, //
	} {
		s := keeping(t, path, folder, clock().Add(c.after), model.UndoLimits{Days: 7, Bytes: c.bytes})
		if found := saved(t, s); len(found) != c.mine {
			t.Errorf("after %v: %d, want %d: %v", c.after, len(found), c.mine, found)
		}
		if names := spooled(t, folder); len(names) != c.all+1 {
			t.Errorf("after %v: %q", c.after, names)
		}
	}
}

// Nothing is kept where that is not wanted.
func TestNothingIsKept(t *testing.T) {
	t.Parallel()
	path, folder := fixture(t, "v25.db"), filepath.Join(t.TempDir(), "undo")
	s := keeping(t, path, folder, clock(), week)
	ids := conversations(t, s)
	for i, o := range []model.DeleteOptions{{NoUndo: true}, {Backup: filepath.Join(t.TempDir(), "backup.jsonl")}} {
		u, err := s.Delete(t.Context(), ids[i:i+1], o)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Close(); err != nil || u.Deleted().Kept {
			t.Error(err, u.Deleted())
		}
	}
	s = keeping(t, path, folder, clock(), model.UndoLimits{})
	u, err := s.Delete(t.Context(), ids[2:3], model.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil || u.Deleted().Kept {
		t.Error(err, u.Deleted())
	}
	if names := spooled(t, folder); len(names) > 0 {
		t.Errorf("%q is left", names)
	}
}

// What cannot be restored any more says why, and nothing is changed.
func TestWhyAnUndoIsBlocked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, blocked string
		then          func(t *testing.T, path string)
	}{
		{"session", "another session has the ID mine now", func(t *testing.T, path string) {
			Must(t, otherConnection(t, path), session("mine", "model", "'another one'"))
		}},
		{"message", "other messages have its numbers now", func(t *testing.T, path string) {
			Must(t, otherConnection(t, path), session("yours"), `UPDATE sqlite_sequence SET seq = 0 WHERE name = 'messages'`,
				`INSERT INTO messages (id, session_id, role, content, timestamp) SELECT max(id) + 1, 'yours', 'user', 'hello', 1 FROM messages`)
		}},
		{"replaced", "it was deleted from another database, which was here before", func(t *testing.T, path string) {
			another, err := os.ReadFile(fixture(t, "v26.db"))
			if err != nil {
				t.Fatal(err)
			}
			for _, suffix := range []string{"-wal", "-shm"} {
				if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
			db := path + ".new"
			if err := errors.Join(os.WriteFile(db, another, 0o600), os.Rename(db, path)); err != nil {
				t.Fatal(err)
			}
			Must(t, otherConnection(t, path), `UPDATE messages SET session_id = 'x' || session_id`, `UPDATE sessions SET id = 'x' || id, parent_session_id = NULL`)
		}},
		{"copied", "", func(t *testing.T, path string) { // as a backup is that is put back
			db := otherConnection(t, path)
			Must(t, db, `VACUUM INTO '`+path+`.new'`)
			if err := errors.Join(db.Close(), os.Rename(path+".new", path)); err != nil {
				t.Fatal(err)
			}
			for _, suffix := range []string{"-wal", "-shm"} {
				if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
		}},
		{"emptied", "", func(t *testing.T, path string) {
			s := reopen(t, path)
			if _, err := s.Delete(t.Context(), conversations(t, s), model.DeleteOptions{NoUndo: true}); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		s, db := One(t, "v25.db", session("mine"), message("mine", 3))
		path, folder := s.Path(), filepath.Join(t.TempDir(), "undo")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = keeping(t, path, folder, clock(), week)
		gone(t, s, "mine")
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
		c.then(t, path)
		s = keeping(t, path, folder, clock(), week)
		before := dump(t, s.db.Pool)
		found := saved(t, s)
		if len(found) != 1 || found[0].Blocked != c.blocked {
			t.Fatalf("%s: %+v", c.name, found)
		}
		err := s.FinishUndo(t.Context(), found[0], model.RestoreOptions{})
		if c.blocked == "" {
			if n := see(t, s.db.Pool).messages["mine"]; err != nil || n != 3 {
				t.Errorf("%s: %v, %d messages are back", c.name, err, n)
			}
			continue
		}
		if k := kind(err); k != model.KindExists && k != model.KindReplaced {
			t.Errorf("%s: %v", c.name, err)
		}
		same(t, c.name, before, dump(t, s.db.Pool))
		if found = saved(t, s); len(found) != 1 || found[0].State != model.DeleteNotUndone {
			t.Errorf("%s: afterwards %+v", c.name, found)
		}
	}
}

// manyOld adds 400 conversations that a prune takes, one of them of 1,510 messages.
func manyOld(t *testing.T, db *sql.DB) {
	t.Helper()
	Must(t, db, `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 400)
		INSERT INTO sessions (id, source, title, started_at, ended_at, parent_session_id) SELECT 'p' || n, 'cli', 'pruned ' || n, n, n + 1, CASE WHEN n % 3 = 0 THEN 'p' || (n - 1) END FROM n`,
		`WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4000)
		INSERT INTO messages (session_id, role, content, timestamp) SELECT 'p' || (n % 400 + 1), 'user', 'message ' || n, n % 400 + 1 FROM n`, message("p7", 1500))
}

// A process is killed while it prunes much, or while it undoes that: later ones restore every row.
func TestKillDuringAPruneThatIsKept(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	db := otherConnection(t, path)
	manyOld(t, db)
	before := dump(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	offered := map[model.UndoState]int{}
	for round := range campaign.Length(2, 16) {
		dir := t.TempDir()
		file, folder := filepath.Join(dir, "state.db"), filepath.Join(dir, "undo")
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		after := time.Duration(rand.Int64N(int64(2 * time.Second)))
		killed(t, "prune, kept, undoable", file, folder, after)
		if round%2 == 1 {
			killed(t, "finish, kept, undoable", file, folder, after)
		}
		s := keeping(t, file, folder, clock(), week)
		for _, u := range saved(t, s) {
			offered[u.State]++
			if u.Blocked != "" {
				t.Errorf("round %d: %s", round, u.Blocked)
			}
			if err := s.FinishUndo(t.Context(), u, model.RestoreOptions{}); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
		}
		same(t, "restored", before, dump(t, s.db.Pool))
		indexed(t, s.db.Pool, true)
		if names := spooled(t, folder); len(names) > 0 {
			t.Errorf("round %d: %q is left", round, names)
		}
	}
	t.Logf("offered %v", offered)
}

// A prune that is stopped can be undone as far as it came.
func TestUndoOfAStoppedPrune(t *testing.T) {
	t.Parallel()
	s, q := One(t, "v25.db", session("mine", "ended_at", "2"), message("mine", 2100))
	before := dump(t, q)
	folder := filepath.Join(t.TempDir(), "undo")
	WithUndoFolder(folder)(s)
	WithUndoLimits(week)(s)
	progress := 0
	ctx, stop := context.WithCancel(t.Context())
	u, err := s.Prune(ctx, model.PruneOptions{OlderThan: time.Hour, Progress: func(done, _ int) {
		if progress = done; done > 200 {
			stop()
		}
	}})
	if u == nil || kind(err) != model.KindIncompleteWrite || !u.Deleted().Kept {
		t.Fatal(u, err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	found := saved(t, s)
	if len(found) != 1 || found[0].State != model.DeleteNotUndone || found[0].Messages != progress {
		t.Fatal(found, progress)
	}
	if err := s.FinishUndo(t.Context(), found[0], model.RestoreOptions{}); err != nil {
		t.Error(err)
	}
	same(t, "restored", before, dump(t, q))
}

// A restore of what a delete or a prune removed keeps the rows for another try where the disk is
// full before it, or becomes full in the middle of it.
func TestSavedUndoOnAFullDisk(t *testing.T) {
	t.Parallel()
	for _, does := range []string{"undo", "undo, as far as there is room"} {
		path, folder := fixture(t, "v25.db"), filepath.Join(t.TempDir(), "undo")
		db := otherConnection(t, path)
		manyOld(t, db)
		before := dump(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s := keeping(t, path, folder, clock(), week)
		u, err := s.Prune(t.Context(), model.PruneOptions{OlderThan: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		want := u.Deleted()
		if err := errors.Join(u.Close(), s.Close()); err != nil || len(want.Sessions) < 400 {
			t.Fatal(len(want.Sessions), err)
		}
		out, err := child(t.Context(), "TestFullDiskChild", "STORE_TEST_FULL="+path, "STORE_TEST_FULL_DOES="+does, "STORE_TEST_FULL_UNDO="+folder).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "full: ") {
			t.Errorf("%s: %v\n%s", does, err, out)
		}
		s = keeping(t, path, folder, clock(), week)
		found := saved(t, s)
		if len(found) != 1 || found[0].Messages != want.Messages || found[0].Blocked != "" || (found[0].Back > 0) != (does != "undo") || found[0].Back == want.Messages {
			t.Fatal(does, found, want.Messages)
		}
		if err := s.FinishUndo(t.Context(), found[0], model.RestoreOptions{}); err != nil {
			t.Error(does, err)
		}
		same(t, does, before, dump(t, s.db.Pool))
		indexed(t, s.db.Pool, true)
	}
}
