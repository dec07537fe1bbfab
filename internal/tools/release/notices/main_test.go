package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/sourcetree"
)

// program is the folder of the module whose notices these are.
func program(t *testing.T) string { return filepath.Join(sourcetree.Root(t), "..", "..") }

// Every module that is linked has a license, and it is printed.
func TestEveryLinkedModuleHasALicense(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Module,Standard", ".")
	cmd.Dir = program(t)
	listed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all, err := modules(bytes.NewReader(listed))
	if err != nil || len(all) < 30 {
		t.Fatal(len(all), err)
	}
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(&out, bytes.NewReader(listed), strings.TrimSpace(string(goroot))); err != nil {
		t.Fatal(err)
	}
	for name, m := range all {
		if !strings.Contains(out.String(), name+" "+m.Version+"\n") {
			t.Errorf("%s is not in the notices", name)
		}
	}
	for _, want := range []string{"standard library", "MIT License", "Apache License"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q", want)
		}
	}
}

// A module without a license is an error, not a gap.
func TestModuleWithoutLicense(t *testing.T) {
	dir := t.TempDir()
	in := fmt.Sprintf(`{"Module": {"Path": "example.com/a", "Version": "v1.0.0", "Dir": %q}} {"Standard": true}`, dir)
	var out bytes.Buffer
	if err := write(&out, strings.NewReader(in), program(t)); err == nil || !strings.Contains(err.Error(), "example.com/a v1.0.0 has no license") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENCE.txt"), []byte("free\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if files, err := licensesOf(module{Dir: dir}); err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}
