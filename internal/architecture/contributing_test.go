package architecture

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

// A newcomer follows CONTRIBUTING.md: each path that it names is there, each file that it
// names without a folder is in some folder, and each function is in its file.
func TestContributingNamesWhatIsThere(t *testing.T) {
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
	files, sources := map[string]bool{}, repository(t)
	for name := range sources {
		files[path.Base(name)] = true
	}
	steps := regexp.MustCompile("`([A-Za-z]+)` in\\s+`([a-z/]+\\.go)`").FindAllStringSubmatch(string(text), -1)
	if len(steps) < 30 {
		t.Fatalf("CONTRIBUTING.md names only %d functions with their files", len(steps))
	}
	for _, m := range steps {
		function := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + m[1] + `[\[(]`)
		found := false
		for name, source := range sources {
			found = found || (name == m[2] || path.Base(name) == m[2]) && function.MatchString(source.text)
		}
		if !found {
			t.Errorf("CONTRIBUTING.md names the function %s in %s, which is not there", m[1], m[2])
		}
	}
	for _, m := range regexp.MustCompile("`([a-z0-9]+\\.go)`").FindAllStringSubmatch(string(text), -1) {
		if !files[m[1]] {
			t.Errorf("CONTRIBUTING.md names %s, and no folder has such a file", m[1])
		}
	}
}

// The picture at the top of CONTRIBUTING.md has every screen.
func TestContributingHasEveryScreen(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sourcetree.Root(t), "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, picture, _ := strings.Cut(string(text), "```\n")
	picture, _, _ = strings.Cut(picture, "```")
	screen, n := regexp.MustCompile(`(?m)^func \([^)]*\) Context\(\) shell\.Context`), 0
	for name, source := range repository(t) {
		dir := path.Dir(name)
		if !strings.HasSuffix(name, "_test.go") && path.Dir(dir) == "ui" && screen.MatchString(source.text) {
			n++
			if !regexp.MustCompile(`\b` + path.Base(dir) + `\b`).MatchString(picture) {
				t.Errorf("the picture in CONTRIBUTING.md does not have %s", dir)
			}
		}
	}
	if n < 6 {
		t.Errorf("only %d screens were found", n)
	}
}
