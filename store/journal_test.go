//go:build unix

package store

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/store/sessiondb"
)

// unshare makes it impossible to share memory over a database: in the place of the -shm
// file there is a pipe, which has no size. The function that it gives removes it.
func unshare(t *testing.T, path string) (back func()) {
	t.Helper()
	if err := syscall.Mkfifo(path+"-shm", 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path + "-shm"); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	}
}

// The other half of the tests below: a process on a file system without shared
// memory.
func TestUnsharedChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_UNSHARED")
	if path == "" {
		t.Skip("runs inside other tests")
	}
	ctx, share := t.Context(), unshare(t, path)
	switch os.Getenv("STORE_TEST_UNSHARED_DOES") {
	case "create":
		if _, err := Migrate(ctx, path, WithClock(clock)); err != nil {
			t.Error(err)
		}
	case "read":
		s, err := Open(ctx, path, WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		if page := browse(t, s); page.Total == 0 {
			t.Error("nothing shown")
		}
		if notes := s.Notes(); len(notes) != 1 || notes[0].Kind != model.NoteUnshared {
			t.Errorf("notes %v", notes)
		}
		c, err := s.Check(ctx, false)
		if err != nil || len(c.Problems) != 1 || c.Problems[0].Kind != model.NoteUnshared {
			t.Errorf("found wrong: %v %v", c.Problems, err)
		}
		_, fault := s.CreateSession(ctx, sessiondb.NewSession{ID: "new", Source: "cli"})
		expect(t, fault, model.KindReadOnly)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		share()
		remedied(t, fault, path)
	case "hot":
		_, err := Open(ctx, path, WithClock(clock))
		expect(t, err, model.KindUnreadable)
		share()
		remedied(t, err, path)
	}
}

// remedied does what an error says and makes sure that it helps.
func remedied(t *testing.T, fault error, path string) {
	t.Helper()
	var e *model.Error
	if !errors.As(fault, &e) {
		t.Fatal(fault)
	}
	_, statements, ok := strings.Cut(e.Remedy.Command, "sqlite3 "+path+" ")
	if !ok {
		t.Fatalf("remedy %q", e.Remedy)
	}
	db, err := sql.Open("sqlite", "file:"+path) // no statement of ours comes before those
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(strings.Trim(statements, "'")); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	if notes := s.Notes(); len(notes) != 0 {
		t.Errorf("notes %v", notes)
	}
	if page := browse(t, s); page.Total == 0 {
		t.Error("nothing shown")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func withoutSharing(t *testing.T, path, does string) {
	t.Helper()
	out, err := child(t.Context(), "TestUnsharedChild", "STORE_TEST_UNSHARED="+path, "STORE_TEST_UNSHARED_DOES="+does).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", does, err, out)
	}
}

// A new database on a file system that has no shared memory keeps a rollback
// journal.
func TestNewFileWithoutSharedMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	withoutSharing(t, path, "create")
	if left, _ := filepath.Glob(path + "-wal"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	s := reopen(t, path)
	if got := texts(t, s, `PRAGMA journal_mode`)[0]; got != "delete" {
		t.Errorf("journal %s", got)
	}
	if _, err := s.CreateSession(t.Context(), sessiondb.NewSession{ID: "new", Source: "cli"}); err != nil {
		t.Error(err)
	}
	if done, err := Migrate(t.Context(), path); err != nil || len(done.Repairs) > 0 {
		t.Error(done, err)
	}
}

// A database in WAL mode that was put on such a file system is read as it
// stands where nothing is in its log. That it cannot be changed is said, and
// the remedy that is told helps.
func TestLogWithoutSharedMemory(t *testing.T) {
	withoutSharing(t, fixture(t, "v11.db"), "read")
	withoutSharing(t, fixture(t, "bad/hot-wal.db"), "hot")
}
