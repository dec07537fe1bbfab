package architecture

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

// A newcomer follows CONTRIBUTING.md: each path that it names is there, and each file
// that it names without a folder is in some folder.
func TestContributingNamesFilesThatAreThere(t *testing.T) {
	root := sourcetree.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(?:\\./)?((?:[a-z0-9]+/)+[a-zA-Z0-9_.]*)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 30 {
		t.Fatalf("CONTRIBUTING.md names only %d paths", len(named))
	}
	for _, m := range named {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("CONTRIBUTING.md names %s, which is not there", m[1])
		}
	}
	files := map[string]bool{}
	for name := range repository(t) {
		files[path.Base(name)] = true
	}
	for _, m := range regexp.MustCompile("`([a-z0-9]+\\.go)`").FindAllStringSubmatch(string(text), -1) {
		if !files[m[1]] {
			t.Errorf("CONTRIBUTING.md names %s, and no folder has such a file", m[1])
		}
	}
}
