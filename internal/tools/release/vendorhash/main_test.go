package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The hash of an empty folder is the one that Nix gives it.
func TestHashIsThatOfNix(t *testing.T) {
	got, err := hashOf(t.TempDir())
	if want := "sha256-pQpattmS9VmO3ZIQUFn66az8GSmB4IvYhTTCFn6SUmo="; err != nil || got != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}

func TestTheHashIsWrittenIntoTheDescription(t *testing.T) {
	folder, file := t.TempDir(), filepath.Join(t.TempDir(), "flake.nix")
	if err := os.WriteFile(file, []byte("a\n  vendorHash = \"old\";\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var before string
	for _, name := range []string{"b.go", "a.go", "sub/c.go"} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := write(folder, file); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil || string(text) == before || !strings.HasPrefix(string(text), "a\n  vendorHash = \"sha256-") || !strings.HasSuffix(string(text), "=\";\nb\n") {
			t.Errorf("%q %v", text, err)
		}
		before = string(text)
	}
	if err := write(folder, filepath.Join(folder, "a.go")); err == nil {
		t.Error("a file without a hash is accepted")
	}
}
