package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/corpus"
)

// corpusCopy opens a copy of a generated history.
func corpusCopy(b *testing.B, c corpus.Config) *Store {
	b.Helper()
	cached, err := corpus.Cached(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	whole, err := os.ReadFile(cached)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "state.db")
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		b.Fatal(err)
	}
	s, err := Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

// The longest conversation of S goes in parts while another connection writes
// all the time. wait-ms is its longest wait, lock-ms would be the whole delete
// in one transaction.
func BenchmarkDeleteInParts(b *testing.B) {
	for range b.N {
		b.StopTimer()
		s := corpusCopy(b, corpus.Config{Messages: 12_500, Seed: 1})
		other := neighbour(b, s.path)
		must(b, other, `INSERT INTO sessions (id, source, started_at) VALUES ('other', 'cli', 1)`)
		var longest time.Duration
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond):
				}
				began := time.Now()
				if _, err := other.Exec(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('other', 'user', 'x', 1)`); err != nil {
					b.Error(err)
				}
				longest = max(longest, time.Since(began))
			}
		}()
		b.StartTimer()
		u, err := s.Delete(b.Context(), []string{"longest"}, model.DeleteOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		close(stop)
		<-stopped
		b.ReportMetric(float64(longest.Milliseconds()), "wait-ms")
		b.ReportMetric(float64(u.Gone().Messages), "messages")
		if err := u.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// Sessions of S come into a new database.
func BenchmarkImport(b *testing.B) {
	s := corpusCopy(b, corpus.Config{Messages: 2_000, Seed: 1})
	var text strings.Builder
	if _, err := s.Export(b.Context(), &text, ExportOptions{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "new.db")
		if _, err := Migrate(context.Background(), path); err != nil {
			b.Fatal(err)
		}
		into, err := Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		if r, err := into.Import(b.Context(), strings.NewReader(text.String()), ImportOptions{}); err != nil || r.BadLines > 0 {
			b.Fatal(r, err)
		}
		if err := into.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
