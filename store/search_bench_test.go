package store

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// upstream is the statement that Hermes runs for a page of results.
const upstream = `SELECT m.id, m.session_id, m.role, snippet(messages_fts, 0, '>>>', '<<<', '...', 40) AS snippet,
	m.content, m.timestamp, m.tool_name, s.source, s.model, s.started_at
	FROM messages_fts JOIN messages m ON m.id = messages_fts.rowid JOIN sessions s ON s.id = m.session_id
	WHERE messages_fts MATCH ? ORDER BY rank LIMIT 50`

const upstreamLike = `SELECT m.id, m.session_id, m.role, substr(m.content, max(1, instr(m.content, ?1) - 40), 120),
	m.content, m.timestamp, m.tool_name, s.source, s.model, s.started_at
	FROM messages m JOIN sessions s ON s.id = m.session_id
	WHERE m.content LIKE '%' || ?1 || '%' OR m.tool_name LIKE '%' || ?1 || '%' OR m.tool_calls LIKE '%' || ?1 || '%'
	ORDER BY m.timestamp DESC LIMIT 50`

// BenchmarkSearch runs upstream's statement and ours in turns on the same
// connections and reports how many times faster ours is. Ours counts all hits
// and conversations; upstream's gives one page of messages.
func BenchmarkSearch(b *testing.B) {
	sizes(b, benchmarkSearch)
}

func benchmarkSearch(b *testing.B, path string) {
	s, err := Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := s.sessions.CurrentSnapshot(b.Context()); err != nil { // not what is measured
		b.Fatal(err)
	}
	for _, q := range []struct{ name, query, match string }{
		{"common", "error", `"error"`},
		{"rare", "dockerfile", `"dockerfile"`},
		{"prefix1", "d*", `d*`},
		{"prefix3", "doc*", `doc*`},
		{"twoWords", "docker deploy", `"docker" "deploy"`},
		{"threeWords", "docker error kubernetes", `"docker" "error" "kubernetes"`},
		{"cjk2", "部署", ""},
		{"cjk3", "数据库", ""},
	} {
		b.Run(q.name, func(b *testing.B) {
			asked := query.Parse(q.query, false)
			// The answer first: the same messages as upstream's condition finds.
			statement, arg, want := upstream, q.match, 0
			if q.match != "" {
				want = Count(b, s, fmt.Sprintf(`SELECT count(*) FROM messages_fts WHERE messages_fts MATCH '%s'`, q.match))
			} else {
				statement, arg = upstreamLike, q.query
				want = Count(b, s, fmt.Sprintf(`SELECT count(*) FROM messages WHERE content LIKE '%%%s%%' OR tool_calls LIKE '%%%[1]s%%'`, q.query))
			}
			r, err := s.Search(b.Context(), asked, query.ListOptions{Scope: model.ScopeAll, Limit: 50})
			if err != nil {
				b.Fatal(err)
			}
			if r.Hits != want && q.match != "" || r.Hits < want { // escaped text comes on top
				b.Fatalf("%d hits, upstream finds %d", r.Hits, want)
			}
			var theirs, ours time.Duration
			for b.Loop() {
				start := time.Now()
				rows, err := s.db.Pool.QueryContext(b.Context(), statement, arg)
				if err != nil {
					b.Fatal(err)
				}
				var v [10]any
				for rows.Next() {
					if err := rows.Scan(&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9]); err != nil {
						b.Fatal(err)
					}
				}
				if err := rows.Close(); err != nil {
					b.Fatal(err)
				}
				theirs += time.Since(start)
				start = time.Now()
				if _, err := s.Search(b.Context(), asked, query.ListOptions{Scope: model.ScopeAll, Limit: 50}); err != nil {
					b.Fatal(err)
				}
				ours += time.Since(start)
			}
			b.ReportMetric(float64(theirs)/float64(ours), "x")
			b.ReportMetric(float64(ours.Microseconds())/1000/float64(b.N), "ms/search")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkUnusualQueries searches for what nobody types, but pastes: the time until all
// conversations with all words are known, and with the closest ones.
func BenchmarkUnusualQueries(b *testing.B) {
	sizes(b, func(b *testing.B, path string) {
		s, err := Open(b.Context(), path, ReadOnly())
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		var words, log, scripts strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&words, "%s%s ", []string{"docker", "build", "w", "the"}[i%4], strconv.FormatInt(int64(i)*7919, 36))
		}
		for i := 0; log.Len() < 1<<20; i++ {
			fmt.Fprintf(&log, "2026-01-02 03:%02d INFO worker %d finished batch %d of docker\n", i%60, i%7, i)
		}
		for _, script := range unicode.Scripts {
			for _, r := range script.R16 {
				scripts.WriteRune(rune(r.Lo))
			}
			scripts.WriteByte(' ')
		}
		for _, q := range []struct{ name, text string }{
			{"words", words.String()},
			{"log", log.String()},
			{"character", strings.Repeat("x", 1<<20)},
			{"cjk", strings.Repeat("部署", 1<<17)},
			{"functionWords", strings.Repeat("the of and to is in a ", 1000)},
			{"symbols", strings.Repeat("{ } [ ] ( ) && || ;; != += ", 1000)},
			{"scripts", scripts.String()},
		} {
			for _, closest := range []bool{false, true} {
				b.Run(q.name+map[bool]string{true: "/closest", false: "/allWords"}[closest], func(b *testing.B) {
					for b.Loop() {
						if _, err := s.Search(b.Context(), query.Parse(q.text, true), query.ListOptions{Limit: 50, Closest: closest}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	})
}

// BenchmarkReadWithoutIndex searches a file without a full-text index, in which
// every message is read.
func BenchmarkReadWithoutIndex(b *testing.B) {
	path, err := corpus.Cached(b.Context(), corpus.S())
	if err != nil {
		b.Fatal(err)
	}
	s, err := Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	delete(s.db.Schema.Tables, "messages_fts")
	asked := query.Parse("docker deploy", false)
	for b.Loop() {
		if r, err := s.Search(b.Context(), asked, query.ListOptions{Limit: 50}); err != nil || r.IndexNote == "" {
			b.Fatal(r.IndexNote, err)
		}
	}
}
