package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"hermes-sessions/model/query"
)

// Closing amid calls that have just been canceled leaves nothing beside the
// file: the process may end right after it.
func TestCloseWaitsForCanceledCalls(t *testing.T) {
	for range 20 {
		path := fixture(t, "v11.db")
		ctx, cancel := context.WithCancel(t.Context())
		s, err := Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		begun := make(chan bool)
		for range 4 {
			go func() {
				begun <- true
				for ctx.Err() == nil {
					// Canceled in the middle: its answer does not matter.
					_, _ = s.Search(ctx, query.Parse("the", false), query.ListOptions{})
				}
			}()
		}
		for range 4 {
			<-begun
		}
		cancel()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.Name() != filepath.Base(path) {
				t.Fatalf("%s is left beside the file", f.Name())
			}
		}
	}
}
