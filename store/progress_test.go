package store_test

import (
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// Long tasks name their steps, and what they count never exceeds its total.
func TestLongTasksReportProgress(t *testing.T) {
	var mu sync.Mutex
	steps := map[string]model.Progress{}
	option := store.WithProgress(func(p model.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Total > 0 && p.Done > p.Total || (p.Unit == "") != (p.Done == 0 && p.Total == 0) {
			t.Errorf("%+v", p)
		}
		steps[p.Step] = p
	})
	path := fixtures.Database(t, "v07.db")
	if _, err := store.Migrate(t.Context(), path, option); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), path, option)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Check(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Salvage(t.Context(), filepath.Join(t.TempDir(), "new.db")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"copying the file", "changing the file", "checking the integrity", "checking the values", "copying rows", "creating the indexes"} {
		if _, ok := steps[want]; !ok {
			t.Errorf("no %q in %q", want, slices.Sorted(maps.Keys(steps)))
		}
	}
	written := 0
	n, err := s.Export(t.Context(), io.Discard, model.ExportOptions{Progress: func(done, total int) {
		if done != written || total < 2 {
			t.Errorf("%d of %d after %d sessions", done, total, written)
		}
		written++
	}})
	if err != nil || n != written {
		t.Errorf("%d of %d sessions, %v", written, n, err)
	}
}
