package store

import (
	"database/sql"
	"testing"
	"time"

	"hermes-sessions/model"
)

// grove is a file with a lineage of 2,000 sessions among 6,000: 200 segments,
// each with eight delegates and a branch.
func grove(b *testing.B) *Store {
	s := fresh(b)
	Must(b, otherConnection(b, s.Path()), `
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5999)
		INSERT INTO sessions (id, parent_session_id, source, model_config, started_at, ended_at, end_reason, message_count, input_tokens, actual_cost_usd)
		SELECT printf('s%05d', i),
			CASE WHEN i >= 2000 OR i = 0 THEN NULL WHEN i % 10 = 0 THEN printf('s%05d', i - 10) ELSE printf('s%05d', i - i % 10) END,
			CASE WHEN i % 10 BETWEEN 1 AND 8 THEN 'subagent' ELSE 'cli' END,
			CASE WHEN i % 10 = 9 THEN json_object('_branched_from', printf('s%05d', i - 9)) END,
			1000 + i * 10, 1009 + i * 10 + CASE WHEN i % 10 = 0 THEN 90 ELSE 0 END,
			CASE WHEN i % 10 = 0 AND i < 1990 THEN 'compression' ELSE 'done' END, 10, i, 0.01 FROM n`, `
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59999)
		INSERT INTO messages (session_id, role, content, timestamp)
		SELECT printf('s%05d', i / 10), CASE i % 2 WHEN 0 THEN 'user' ELSE 'assistant' END, 'message ' || i || ' of some length, as they are', 1000 + i FROM n`)
	return s
}

// naive reads a tree as one would without thinking: one question for the
// children of each session, one for its messages, one for what was said first.
func naive(b *testing.B, db *sql.DB, id string) (sessions, messages int) {
	var n int
	var first sql.NullString
	if err := db.QueryRow(`SELECT count(*) FROM messages WHERE session_id = ?`, id).Scan(&n); err != nil {
		b.Fatal(err)
	}
	if err := db.QueryRow(`SELECT (SELECT content FROM messages WHERE session_id = ? AND role = 'user' ORDER BY timestamp, id LIMIT 1)`, id).Scan(&first); err != nil {
		b.Fatal(err)
	}
	rows, err := db.Query(`SELECT id FROM sessions WHERE parent_session_id = ? ORDER BY started_at`, id)
	if err != nil {
		b.Fatal(err)
	}
	var children []string
	for rows.Next() {
		var child string
		if err := rows.Scan(&child); err != nil {
			b.Fatal(err)
		}
		children = append(children, child)
	}
	rows.Close()
	sessions, messages = 1, n
	for _, child := range children {
		s, m := naive(b, db, child)
		sessions, messages = sessions+s, messages+m
	}
	return sessions, messages
}

// BenchmarkLineage opens a tree of 2,000 sessions from the list: the first
// picture, the whole, the whole after another process has written, and once
// more with nothing changed.
func BenchmarkLineage(b *testing.B) {
	s := grove(b)
	db := otherConnection(b, s.Path())
	root, err := s.Lineage(b.Context(), "s01234")
	if err != nil {
		b.Fatal(err)
	}
	if sessions, messages := naive(b, db, "s00000"); root.ID != "s00000" || root.Total.Sessions != sessions || sessions != 2000 || root.Total.Messages != messages {
		b.Fatalf("%s: %+v, want %d sessions and %d messages", root.ID, root.Total, sessions, messages)
	}
	open := func(s *Store) time.Duration {
		begun := time.Now()
		root, err := s.Lineage(b.Context(), "s01234")
		if err != nil || len(root.Rows(func(*model.Node) bool { return false })) != 2000 {
			b.Fatal(err)
		}
		return time.Since(begun)
	}
	var quick, cold, changed, warm, theirs []time.Duration
	for b.Loop() {
		fresh, err := Open(b.Context(), s.Path())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := fresh.sessions.CurrentSnapshot(b.Context()); err != nil { // the list has read it
			b.Fatal(err)
		}
		begun := time.Now()
		root, partial, err := fresh.QuickLineage(b.Context(), "s01234")
		if err != nil || !partial || len(root.Rows(func(*model.Node) bool { return false })) != 2000 {
			b.Fatal(partial, err)
		}
		quick = append(quick, time.Since(begun))
		cold = append(cold, open(fresh))
		Must(b, db, `UPDATE sessions SET input_tokens = input_tokens + 1 WHERE id = 's00001'`)
		changed = append(changed, open(fresh))
		if _, err := fresh.sessions.CurrentSnapshot(b.Context()); err != nil {
			b.Fatal(err)
		}
		warm = append(warm, open(fresh))
		begun = time.Now()
		naive(b, db, "s00000")
		theirs = append(theirs, time.Since(begun))
		if err := fresh.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(millis(quick), "ms/quick")
	b.ReportMetric(millis(cold), "ms/whole")
	b.ReportMetric(millis(changed), "ms/changed")
	b.ReportMetric(millis(warm), "ms/again")
	b.ReportMetric(millis(theirs), "ms/naive")
	b.ReportMetric(0, "ns/op")
}
