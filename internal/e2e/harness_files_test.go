package e2e

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func contents(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// folder returns the bytes of each file of a folder.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if e.Type().IsRegular() {
			files[e.Name()] = contents(t, filepath.Join(dir, e.Name()))
		} else {
			files[e.Name()] = e.Type().String()
		}
	}
	return files
}

// folderOrClosed is folder for one that may hold a file without read permission.
func folderOrClosed(t *testing.T, dir, path string) map[string]string {
	t.Helper()
	if info, err := os.Stat(path); err == nil && info.Mode().Perm() == 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(path, 0)
	}
	return folder(t, dir)
}

// same checks that no file was added, removed or changed. The index of a log that
// no process has open is no data and may stay.
func same(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	for name, data := range after {
		if old, was := before[name]; was && old != data {
			t.Errorf("%s changed %s", what, name)
		} else if !was && !(strings.HasSuffix(name, "-shm") && before[strings.TrimSuffix(name, "-shm")+"-wal"] != "") {
			t.Errorf("%s left %s", what, name)
		}
	}
	for name := range before {
		if _, is := after[name]; !is {
			t.Errorf("%s removed %s", what, name)
		}
	}
}

// copyDatabase puts a copy of a database, with its log, into a folder.
func copyDatabase(t *testing.T, from, folder string) string {
	t.Helper()
	to := filepath.Join(folder, filepath.Base(from))
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(from + suffix)
		if suffix != "" && errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// resolved is a folder as a process in it names it.
func resolved(t *testing.T, folder string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(folder)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
