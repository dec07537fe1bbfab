package store

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var demoNow = time.Date(2026, 6, 18, 16, 30, 0, 0, time.UTC)

func openDemo(t testing.TB) *Store {
	t.Helper()
	s, err := Demo(t.Context(), WithClock(func() time.Time { return demoNow }))
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

func TestDemoIsGoneAfterClose(t *testing.T) {
	s, err := Demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.path); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(s.path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder is still there: %v", err)
	}
}

func TestDemoIsTheSameAtTheSameTime(t *testing.T) {
	var sums [2][32]byte
	for i := range sums {
		data, err := os.ReadFile(openDemo(t).path)
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = sha256.Sum256(data)
	}
	if sums[0] != sums[1] {
		t.Error("two demos of the same moment differ")
	}
}

func BenchmarkDemo(b *testing.B) {
	for b.Loop() {
		s, err := Demo(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
