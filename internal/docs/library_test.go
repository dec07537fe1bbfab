package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

var goCode = regexp.MustCompile("(?s)```go\n(.*?)```")

// The programs of the guide to the library compile.
func TestProgramsOfTheLibraryGuide(t *testing.T) {
	root := sourcetree.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "docs/library.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := goCode.FindAllStringSubmatch(string(text), -1)
	if len(programs) == 0 {
		t.Fatal("there are none")
	}
	for _, p := range programs {
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(p[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "go", "vet", file)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
