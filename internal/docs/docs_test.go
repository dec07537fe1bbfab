package docs

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

var update = flag.Bool("update", false, "write the generated documents anew")

// generated compares a document with what is generated for it, or writes it.
func generated(t *testing.T, name string, text []byte) {
	t.Helper()
	path := filepath.Join(sourcetree.Root(t), "docs", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	// A checkout on Windows may have other ends of lines.
	old, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), text) {
		t.Errorf("docs/%s is out of date: go test ./internal/docs -update (%v)", name, err)
	}
}
