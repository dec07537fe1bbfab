package store

import (
	"slices"
	"testing"
	"time"

	"hermes-sessions/store/sessiondb"
)

// BenchmarkAppend appends a message, in turns with a bare INSERT into the same
// kind of file on a connection of the same kind. Goal: at most twice as long.
func BenchmarkAppend(b *testing.B) {
	ctx := b.Context()
	ours, theirs := fresh(b), fresh(b)
	bare := otherConnection(b, theirs.db.Path)
	for _, s := range []*Store{ours, theirs} {
		if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: "a", Source: "cli"}); err != nil {
			b.Fatal(err)
		}
	}
	const said = "the quick brown fox jumps over the lazy dog, and then it runs the tests again"
	append1 := func() error {
		_, err := ours.AppendMessage(ctx, "a", sessiondb.NewMessage{Role: "user", Content: said})
		return err
	}
	insert1 := func() error {
		_, err := bare.ExecContext(ctx, `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('a', 'user', ?, 1)`, said)
		return err
	}
	var times [2][]time.Duration
	for b.Loop() {
		for i, f := range []func() error{append1, insert1} {
			start := time.Now()
			if err := f(); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	if a, c := Count(b, ours, `SELECT count(*) FROM messages_fts`), Count(b, theirs, `SELECT count(*) FROM messages_fts`); a != c {
		b.Fatalf("%d and %d messages", a, c)
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Microseconds())
	}
	b.ReportMetric(median(times[0]), "µs/append")
	b.ReportMetric(median(times[1]), "µs/insert")
	b.ReportMetric(median(times[0])/median(times[1]), "ratio")
}
