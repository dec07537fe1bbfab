package store

import (
	"context"
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// upstreamList is the documented list by last activity as the real software
// asks for it.
const upstreamList = `WITH RECURSIVE chain(root_id, cur_id) AS (
	SELECT s.id, s.id FROM sessions s ` + upstreamRoots + `
	UNION ALL
	SELECT c.root_id, child.id FROM chain c JOIN sessions parent ON parent.id = c.cur_id
		JOIN sessions child ON child.parent_session_id = c.cur_id
	WHERE parent.end_reason = 'compression' AND child.started_at >= parent.ended_at),
chain_max AS (SELECT root_id, MAX(COALESCE((SELECT MAX(m.timestamp) FROM messages m WHERE m.session_id = cur_id),
	(SELECT started_at FROM sessions ss WHERE ss.id = cur_id))) AS active FROM chain GROUP BY root_id)
SELECT s.*, COALESCE((SELECT SUBSTR(REPLACE(REPLACE(m.content, char(10), ' '), char(13), ' '), 1, 63) FROM messages m
		WHERE m.session_id = s.id AND m.role = 'user' AND m.content IS NOT NULL ORDER BY m.timestamp, m.id LIMIT 1), ''),
	COALESCE((SELECT MAX(m2.timestamp) FROM messages m2 WHERE m2.session_id = s.id), s.started_at)
FROM sessions s LEFT JOIN chain_max cm ON cm.root_id = s.id ` + upstreamRoots + `
ORDER BY COALESCE(cm.active, s.started_at) DESC, s.started_at DESC, s.id DESC LIMIT ?`

const upstreamRoots = `WHERE (s.parent_session_id IS NULL OR EXISTS (SELECT 1 FROM sessions p
	WHERE p.id = s.parent_session_id AND p.end_reason = 'branched' AND s.started_at >= p.ended_at))`

// sizes runs a benchmark on a small history, and on those that
// HERMES_SESSIONS_BENCH names: M, L or ML, or M31, which is M and the same in the layout of schema 31.
func sizes(b *testing.B, f func(b *testing.B, path string)) {
	for _, name := range []string{"S", "M", "M31", "L"} {
		c, _ := corpus.Named(name)
		if name != "S" && !strings.Contains(os.Getenv("HERMES_SESSIONS_BENCH"), name) {
			continue
		}
		b.Run(name, func(b *testing.B) {
			path, err := corpus.Cached(b.Context(), c)
			if err != nil {
				b.Fatal(err)
			}
			f(b, path)
		})
	}
}

// BenchmarkFirstRows opens a database and reads the first 50 rows of the list,
// in turns with upstream's statement on a connection of the same kind.
func BenchmarkFirstRows(b *testing.B) {
	sizes(b, func(b *testing.B, path string) {
		ctx := b.Context()
		q := query.ListOptions{Limit: 50, FirstPage: true}
		ours := func() (*Store, model.ConversationPage) {
			s, err := Open(ctx, path)
			if err != nil {
				b.Fatal(err)
			}
			page, err := s.Conversations(ctx, q)
			if err != nil {
				b.Fatal(err)
			}
			return s, page
		}
		upstream := func(limit int) []string {
			db, err := sql.Open("sqlite", "file:"+path+"?mode=rw&_pragma=busy_timeout(1000)&_pragma=query_only(1)")
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			return listed(b, ctx, db, limit)
		}

		// The answer first: the same conversations in the same order.
		s, page := ours()
		want := inScope(b, s, upstream(1000))[:50]
		for i, c := range page.Conversations {
			if c.RootID != want[i] {
				b.Fatalf("row %d is %s, upstream has %s", i, c.RootID, want[i])
			}
		}
		s.Close()

		var mine, theirs []time.Duration
		for b.Loop() {
			start := time.Now()
			s, _ := ours()
			mine = append(mine, time.Since(start))
			s.Close()
			start = time.Now()
			upstream(50)
			theirs = append(theirs, time.Since(start))
		}
		report(b, mine, theirs)
	})
}

// listed asks upstream's question and reads every column of the answer.
func listed(b *testing.B, ctx context.Context, q *sql.DB, limit int) []string {
	rows, err := q.QueryContext(ctx, upstreamList, limit)
	if err != nil {
		b.Fatal(err)
	}
	var ids []string
	if err := db.ScanRecords(rows, func(r Record) error {
		ids = append(ids, db.AsText(r[0].Value))
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	return ids
}

// inScope keeps the roots of conversations that the default scope shows.
func inScope(b *testing.B, s *Store, roots []string) []string {
	c, err := s.sessions.CurrentSnapshot(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return slices.DeleteFunc(roots, func(id string) bool {
		m, ok := c.ConversationOf(id)
		return !ok || m.Scope != model.ScopeConversations
	})
}

// BenchmarkTranscript reads the end of the longest conversation and a window
// in its middle, in turns with reading it whole as upstream does.
func BenchmarkTranscript(b *testing.B) {
	sizes(b, func(b *testing.B, path string) {
		ctx := b.Context()
		s, err := Open(ctx, path)
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		if _, err := s.sessions.CurrentSnapshot(ctx); err != nil {
			b.Fatal(err)
		}
		o, err := s.Outline(ctx, "longest")
		if err != nil {
			b.Fatal(err)
		}
		middle := o.MessageIDs[len(o.MessageIDs)/2:][:60]

		// The answer first: a window and the end are parts of the whole.
		whole, err := s.Messages(ctx, "longest")
		if err != nil {
			b.Fatal(err)
		}
		tail, err := s.Tail(ctx, "longest", 60)
		if err != nil {
			b.Fatal(err)
		}
		if len(whole) != len(o.MessageIDs) || len(tail) != 60 {
			b.Fatalf("%d of %d messages, %d at the end", len(o.MessageIDs), len(whole), len(tail))
		}
		for i, m := range tail {
			if want := whole[len(whole)-60+i]; want.Get("id") != m.ID {
				b.Fatalf("message %d from the end is %d, want %v", 60-i, m.ID, want.Get("id"))
			}
		}

		var atEnd, window, outline, all []time.Duration
		clock := func(into *[]time.Duration, f func() error) {
			start := time.Now()
			if err := f(); err != nil {
				b.Fatal(err)
			}
			*into = append(*into, time.Since(start))
		}
		for b.Loop() {
			clock(&atEnd, func() error { _, err := s.Tail(ctx, "longest", 60); return err })
			clock(&window, func() error { _, err := s.MessagesByID(ctx, middle); return err })
			clock(&outline, func() error { _, err := s.Outline(ctx, "longest"); return err })
			clock(&all, func() error { _, err := s.Messages(ctx, "longest"); return err })
		}
		b.ReportMetric(millis(window), "window-ms")
		b.ReportMetric(millis(outline), "outline-ms")
		report(b, atEnd, all)
	})
}

// report gives the medians and how many times faster ours is.
func report(b *testing.B, mine, theirs []time.Duration) {
	b.ReportMetric(0, "ns/op") // of both together it says nothing
	b.ReportMetric(millis(mine), "ours-ms")
	b.ReportMetric(millis(theirs), "upstream-ms")
	b.ReportMetric(millis(theirs)/millis(mine), "x")
}

func millis(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000
}
