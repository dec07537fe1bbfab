// Package sourcetree tells tests where the module lies, and go test what a
// result depends on.
package sourcetree

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Root returns the folder of go.mod, above that of the test.
func Root(t testing.TB) string {
	t.Helper()
	root, err := root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func root() (string, error) {
	dir, err := os.Getwd() // a test runs in the folder of its package
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", &fs.PathError{Op: "look for go.mod above", Path: dir, Err: fs.ErrNotExist}
		}
	}
}

// Module returns the path of the module, as go.mod says it.
func Module(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(path)
		}
	}
	t.Fatal("go.mod names no module")
	return ""
}

// Dependent makes the result of a test depend on every file of the module. By
// itself go test reuses a cached result until something changes that the test
// imported, opened or listed; it does not see what a go command reads that the
// test has started.
func Dependent(t testing.TB) {
	t.Helper()
	err := filepath.WalkDir(Root(t), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), ".") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
