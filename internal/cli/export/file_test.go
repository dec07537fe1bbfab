package export

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A file that was not to be replaced is not, nor is anything left beside it.
func TestWriteFileLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mine")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	fill := func(text string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	if err := WriteFile(file, false, fill("theirs")); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	late := filepath.Join(dir, "late") // comes while we write
	err := WriteFile(late, false, func(w io.Writer) error { return os.WriteFile(late, []byte("first"), 0o600) })
	if !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	broken := errors.New("broken")
	if err := WriteFile(file, true, func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	fresh := filepath.Join(dir, "fresh")
	if err := WriteFile(fresh, false, fill("fresh")); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"mine": "mine", "late": "first", "fresh": "fresh"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != want {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 3 {
		t.Errorf("left: %v", left)
	}
}
