package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fixture puts a copy of a recorded database into a fresh folder, its -wal
// with it, and gives the path. name is as in testdata without .gz.
func fixture(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, unpack(t, name), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join("testdata", name+"-wal.gz")); err == nil {
		if err := os.WriteFile(path+"-wal", unpack(t, name+"-wal"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func unpack(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// recorded reads answers of the real software.
func recorded(t testing.TB, name string, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(unpack(t, "oracle/"+name+".json")))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// clock is the time of the recordings: after all of their rows.
func clock() time.Time { return time.Unix(1790000000, 0) }

// open opens a fixture and closes it with the test.
func open(t testing.TB, name string) *Store {
	t.Helper()
	s, err := Open(t.Context(), fixture(t, name), WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// versions are the fixtures of every schema version.
func versions(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.db.gz")
	if err != nil || len(files) < 27 {
		t.Fatal(len(files), "fixtures", err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".gz")
	}
	return files
}

// count asks the file itself.
func count(t testing.TB, s *Store, query string) int {
	t.Helper()
	var n int
	if err := s.db.QueryRowContext(context.Background(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
