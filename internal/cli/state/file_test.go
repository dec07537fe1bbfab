package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
)

// A lock that a killed program has left behind stops nothing.
func TestALockThatWasLeftBehind(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.json.lock")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockFile(file, 3)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if _, err := os.Stat(file); err == nil {
		t.Error("the lock is still there")
	}
}

func TestFilesAreReplacedWhole(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new", "x.json")
	if text, err := readFile(file); err != nil || text != nil {
		t.Errorf("a missing file: %q %v", text, err)
	}
	for _, want := range []string{"one", "two"} {
		if err := updateFile(file, func([]byte) ([]byte, error) { return []byte(want), nil }); err != nil {
			t.Fatal(err)
		}
		if err := updateFile(file, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
			t.Error(err)
		}
		if text, err := readFile(file); err != nil || string(text) != want {
			t.Errorf("%q %v", text, err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if _, err := readFile(filepath.Dir(file)); err == nil {
		t.Error("a folder is taken for a file")
	}
}

// A symbolic link stays, and its target is written; one that leads nowhere is not replaced.
func TestSymbolicLinksStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, target := filepath.Join(dir, "x.json"), filepath.Join(dir, "kept", "y.json")
	if err := os.Symlink(target, file); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("links need a privilege there:", err)
		}
		t.Fatal(err)
	}
	write := func([]byte) ([]byte, error) { return []byte("text"), nil }
	if err := updateFile(file, write); err == nil {
		t.Error("a link that leads nowhere is replaced")
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := updateFile(file, write); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "text" {
		t.Errorf("the target has %q: %v", text, err)
	}
	if to, err := os.Readlink(file); err != nil || to != target {
		t.Errorf("the link leads to %q: %v", to, err)
	}
}

// A folder that may not be written is an error at once, and that of the folder.
func TestAFolderThatMayNotBeWritten(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a mode closes no folder there")
	}
	if fixtures.AsUser(t) {
		return
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	err := updateFile(filepath.Join(dir, "x.json"), func([]byte) ([]byte, error) { return []byte("text"), nil })
	if !errors.Is(err, fs.ErrPermission) || time.Since(began) > tries*pause { // for a lock it waits twice as long
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
