package store

import (
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// What taking back a deletion of a thousand messages takes until the list can
// show it: the rows are written, the full-text indexes follow, the list is
// read anew.
func BenchmarkUndoThousandMessages(b *testing.B) {
	s, _ := One(b, "v11.db", session("thousand", "title", "'a thousand messages'"), message("thousand", 1000))
	var took time.Duration
	for b.Loop() {
		u := deleted(b, s, model.DeleteOptions{}, "thousand")
		start := time.Now()
		restored(b, s, u)
		page, err := s.Conversations(b.Context(), query.ListOptions{Limit: 50})
		took += time.Since(start)
		if err != nil || len(page.Conversations) == 0 {
			b.Fatal(err)
		}
		if n := Count(b, s, `SELECT count(*) FROM messages WHERE session_id = 'thousand'`); n != 1000 {
			b.Fatalf("%d came back", n)
		}
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms/undo")
}
