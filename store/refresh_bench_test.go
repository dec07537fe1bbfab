package store

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// BenchmarkKeyAfterAWrite presses a key after another process has written a
// message, begun a session or given a title, in turns with a key after nothing
// and with reading everything that a search needs to know of the sessions.
func BenchmarkKeyAfterAWrite(b *testing.B) {
	sizes(b, func(b *testing.B, path string) {
		copied := filepath.Join(b.TempDir(), "state.db")
		copyFile(b, copied, path)
		ctx := b.Context()
		s, err := Open(ctx, copied)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		if err := s.Prepare(ctx); err != nil {
			b.Fatal(err)
		}
		db := otherConnection(b, copied)
		query, list := query.Parse("dockerfile*", true), query.ListOptions{Limit: 50, Order: query.ByRelevance}
		key := func(s *Store) model.SearchResults {
			r, err := s.Search(ctx, query, list)
			if err != nil {
				b.Fatal(err)
			}
			return r
		}
		writes := []struct{ name, statement string }{
			{"nothing", ""},
			{"message", `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('longest', 'user', 'a dockerfile%d', 1790000000)`},
			{"session", `INSERT INTO sessions (id, source, started_at) VALUES ('new%d', 'cli', 1790000000)`},
			{"title", `UPDATE sessions SET title = 'the dockerfile %d' WHERE id = 'longest'`},
		}
		write := func(k, n int) {
			if w := writes[k]; w.statement != "" {
				Must(b, db, fmt.Sprintf(w.statement, n))
			}
		}
		// The answer of a store that was just opened.
		for k, w := range writes {
			write(k, 0)
			fresh, err := Open(ctx, copied)
			if err != nil {
				b.Fatal(err)
			}
			got := key(s)
			if want := key(fresh); got.Hits != want.Hits || len(got.Matches) != 50 || !reflect.DeepEqual(got.Matches, want.Matches) {
				b.Fatalf("after a %s: %d hits in %d conversations, not %d in %d", w.name, got.Hits, got.Conversations, want.Hits, want.Conversations)
			}
			if err := fresh.Close(); err != nil {
				b.Fatal(err)
			}
		}
		times, n := make([][]time.Duration, len(writes)), 0
		var whole []time.Duration
		for b.Loop() {
			n++
			for k := range writes {
				write(k, n)
				begun := time.Now()
				key(s)
				times[k] = append(times[k], time.Since(begun))
			}
			begun := time.Now()
			c, err := s.sessions.ReadSnapshot(ctx)
			if err == nil {
				c.MessageSessions.Store(nil)
				err = s.sessions.ReadMessageSessions(ctx, s.db.Pool, c)
			}
			if err != nil {
				b.Fatal(err)
			}
			whole = append(whole, time.Since(begun))
		}
		b.ReportMetric(0, "ns/op")
		for k, w := range writes {
			b.ReportMetric(millis(times[k]), w.name+"-ms")
		}
		b.ReportMetric(millis(whole), "whole-ms")
	})
}
