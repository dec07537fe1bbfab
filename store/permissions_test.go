//go:build unix

package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"hermes-sessions/model"
)

// nobody is a user without any rights on most systems.
const nobody = 65534

// asUser runs a test in a process that rights mean something to, also where
// the tests run as root: then as a user who owns the file, and nothing else.
func asUser(ctx context.Context, t *testing.T, test, path string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := child(ctx, test, env...)
	if os.Getuid() != 0 {
		return cmd
	}
	if runtime.GOOS != "linux" {
		t.Skip("root may write everything")
	}
	cmd.Path = "/proc/self/exe" // its folder is closed to others
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Skip("root cannot give files away here:", err)
		}
	}
	must(os.Chown(path, nobody, nobody))
	must(os.Chown(filepath.Dir(path), nobody, nobody))
	for dir := filepath.Dir(filepath.Dir(path)); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		must(os.Chmod(dir, 0o755))
	}
	return cmd
}

// TestRightsChild is a process with a database that turns read-only between
// the question and the answer. By itself it does nothing.
func TestRightsChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_RIGHTS")
	if path == "" {
		t.Skip("runs inside TestADatabaseThatTurnsReadOnly")
	}
	ctx := t.Context()
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	s, err := Open(ctx, path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	if kind(s.Editable().ReadOnly) != KindReadOnly {
		t.Error("it is not known beforehand:", s.Editable().ReadOnly)
	}
	ids := conversations(t, s)
	if p, err := s.PlanDelete(ctx, ids[:2], model.DeleteOptions{}); kind(err) != KindReadOnly || p.Messages == 0 {
		t.Errorf("the plan says %+v %v", p, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(ctx, path, WithClock(clock)); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wishes := confirmed(t, s)
	if err := s.Editable().ReadOnly; err != nil {
		t.Error("it can be written:", err)
	}
	target := os.Getenv("STORE_TEST_RIGHTS_OF")
	if err := os.Chmod(target, 0o500); err != nil {
		t.Fatal(err)
	}
	refusedAll(t, s, wishes, KindReadOnly)
	if _, err := s.DataVersion(ctx); err != nil || kind(s.Editable().ReadOnly) != KindReadOnly {
		t.Errorf("that has not been noticed: %v %v", err, s.Editable().ReadOnly)
	}
	if e, ok := errors.AsType[*Error](s.Editable().ReadOnly); !ok || !strings.HasSuffix(e.Remedy.Command, "chmod u+w "+target) {
		t.Errorf("the remedy is not about %s: %#v", target, e)
	}
	if err := os.Chmod(target, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DataVersion(ctx); err != nil || s.Editable().ReadOnly != nil {
		t.Error(err, s.Editable().ReadOnly)
	}
	obeyedAll(t, wishes, soon()...) // the remedy helps at once
	fmt.Println("to the end")
}

// A database that turns read-only between the question and the answer is left
// as it is, whatever was asked for; why and what helps is said, and that it
// cannot be written is known before anything is asked.
func TestADatabaseThatTurnsReadOnly(t *testing.T) {
	for _, what := range []string{"file", "folder"} {
		path := fixture(t, "v25.db")
		db := otherConnection(t, path)
		Must(t, db, `PRAGMA journal_mode = delete`) // with a log that is open the folder would not matter
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		target := path
		if what == "folder" {
			target = filepath.Dir(path)
		}
		out, err := asUser(t.Context(), t, "TestRightsChild", path, "STORE_TEST_RIGHTS="+path, "STORE_TEST_RIGHTS_OF="+target).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "to the end") {
			t.Errorf("%s: %v\n%s", what, err, out)
		}
	}
}

// The other half of TestTrapEmptyListWithoutPermission.
func TestNoPermissionChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_CLOSED")
	if path == "" {
		t.Skip("runs inside TestTrapEmptyListWithoutPermission")
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path)
	expect(t, err, KindUnreadable)
	fmt.Println("to the end")
}

// The other half of TestWhatCannotBeReadWithoutWriting.
func TestUnwritableFolderChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_UNWRITABLE")
	if path == "" {
		t.Skip("runs inside TestWhatCannotBeReadWithoutWriting")
	}
	dir := filepath.Dir(path)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700) //nolint:errcheck // so that it can be removed
	_, err := Open(t.Context(), path)
	expect(t, err, KindUnreadable)
	if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Message, os.Getenv("STORE_TEST_BESIDE")) || !strings.Contains(e.Remedy.Command, dir+" ") {
		t.Errorf("%v, remedy %q", err, e.Remedy.Command)
	}
	fmt.Println("to the end")
}

// A change that was not finished is not read as if it were, where its journal cannot be rolled
// back because the folder cannot be written; the error of that, and of a write-ahead log that
// cannot be read there, is about the folder.
func TestWhatCannotBeReadWithoutWriting(t *testing.T) {
	for beside, name := range map[string]string{"journal": "v11-first.db", "log": "bad/hot-wal.db"} {
		path := fixture(t, name)
		if beside == "journal" {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			journal := append([]byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x10\x00"), make([]byte, 600)...)
			binary.BigEndian.PutUint32(journal[16:], uint32(info.Size()/4096))
			if err := os.WriteFile(path+"-journal", journal, 0o444); err != nil {
				t.Fatal(err)
			}
		}
		out, err := asUser(t.Context(), t, "TestUnwritableFolderChild", path, "STORE_TEST_UNWRITABLE="+path, "STORE_TEST_BESIDE="+beside).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "to the end") {
			t.Errorf("%s: %v\n%s", beside, err, out)
		}
	}
}

// What may not be read is an error that says so, never an empty list.
func TestTrapEmptyListWithoutPermission(t *testing.T) {
	path := fixture(t, "v25.db")
	out, err := asUser(t.Context(), t, "TestNoPermissionChild", path, "STORE_TEST_CLOSED="+path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "to the end") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestReadOnlyLogChild is a process that reads a database which it may not write. By itself it
// does nothing.
func TestReadOnlyLogChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_READ_ONLY_LOG")
	if path == "" {
		t.Skip("runs inside TestSidecarsOfAReadOnlyDatabase")
	}
	for range 2 {
		s, err := Open(t.Context(), path, WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		conversations(t, s)
		expect(t, s.Vacuum(t.Context()), KindReadOnly)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, end := range []string{"-wal", "-shm"} {
			if info, err := os.Stat(path + end); err == nil && info.Mode().Perm()&0o200 == 0 {
				t.Errorf("%s cannot be written: %v", end, info.Mode())
			}
		}
	}
	fmt.Println("to the end")
}

// A database in WAL mode that cannot be written leaves no files beside it that would forbid
// writing when the database can be written again.
func TestSidecarsOfAReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	out, err := asUser(t.Context(), t, "TestReadOnlyLogChild", path, "STORE_TEST_READ_ONLY_LOG="+path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "to the end") {
		t.Errorf("%v\n%s", err, out)
	}
}
