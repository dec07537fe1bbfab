package statefile

import (
	"os"
	"path/filepath"
	"testing"
)

// A lock that a killed program has left behind stops nothing.
func TestALockThatWasLeftBehind(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.json.lock")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(file, 3)
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
	if text, err := Read(file); err != nil || text != nil {
		t.Errorf("a missing file: %q %v", text, err)
	}
	for _, want := range []string{"one", "two"} {
		if err := Update(file, func([]byte) ([]byte, error) { return []byte(want), nil }); err != nil {
			t.Fatal(err)
		}
		if err := Update(file, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
			t.Error(err)
		}
		if text, err := Read(file); err != nil || string(text) != want {
			t.Errorf("%q %v", text, err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if _, err := Read(filepath.Dir(file)); err == nil {
		t.Error("a folder is taken for a file")
	}
}
