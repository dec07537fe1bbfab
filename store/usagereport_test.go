package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/usage"
	"hermes-sessions/store/internal/db"
)

// filesWithSums are files whose sums are compared with plain SQL, besides those of each version.
var filesWithSums = []string{
	"life-long.db", "bad/nulls-everywhere.db", "bad/cycle.db", "bad/timestamps.db", "bad/bad-json.db", "bad/duplicate-titles.db", "bad/fts-corrupt.db",
	"bad/fts-missing.db", "bad/fts-out-of-step.db", "bad/future.db", "bad/hot-wal.db", "bad/invalid-utf8.db", "bad/invalid-utf8-title.db", "bad/no-version-row.db", "bad/orphan-parent.db", "bad/two-version-rows.db",
}

// On files of every version, the sums by day, source and model, and the total, equal those
// of plain SQL.
func TestUsageReportEqualsSQL(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(versionsToTest(t), ownFiles(), filesWithSums) {
		s := openFixture(t, name)
		r, err := s.UsageReport(t.Context())
		if err != nil {
			t.Fatal(name, err)
		}
		for by, key := range map[usage.Dimension]string{
			usage.ByDay:    "coalesce(date(r.at, 'unixepoch'), '')",
			usage.ByMonth:  "coalesce(strftime('%Y-%m', r.at, 'unixepoch'), '')",
			usage.ByHour:   "coalesce(strftime('%H:00', r.at, 'unixepoch'), '')",
			usage.BySource: "coalesce(r.source, '')",
			usage.ByModel:  "coalesce(r.model, '')",
		} {
			want := sumsBySQL(t, s, key)
			got := map[string]string{}
			for _, row := range r.Group([]usage.Dimension{by}, time.UTC) {
				got[row.Keys[0]] = sumText(row.Sessions, row.Usage.Input, row.Usage.Output, row.Usage.CacheRead, row.Actual+row.Estimated)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s by %s:\n%v\nplain SQL:\n%v", name, by, got, want)
			}
		}
		total, models := r.Total(), usage.Sum{}
		if all := sumsBySQL(t, s, "''")[""]; all != sumText(total.Sessions, total.Usage.Input, total.Usage.Output, total.Usage.CacheRead, total.Usage.Cost.USD) {
			t.Errorf("%s: in all %+v, plain SQL %s", name, total, all)
		}
		stats, err := s.Stats(t.Context())
		if err != nil {
			t.Fatal(name, err)
		}
		models.Usage = stats.Total
		if models.Usage.Tokens() != total.Usage.Tokens() || math.Abs(models.Usage.Cost.USD-total.Usage.Cost.USD) > 1e-9 || stats.Sessions != total.Sessions || stats.Messages != total.Messages {
			t.Errorf("%s: stats %+v, by day %+v", name, stats, total)
		}
	}
}

func sumText(sessions int, in, out, cached int64, usd float64) string {
	return fmt.Sprintf("%d sessions, %d in, %d out, %d cached, $%.6f", sessions, in, out, cached, usd)
}

// sumsBySQL sums up with a statement that says what a report should: the rows of
// session_model_usage where a session has them, else the session's own columns.
func sumsBySQL(t *testing.T, s *Store, key string) map[string]string {
	t.Helper()
	column := func(table, alias, name string) string {
		if s.db.Schema.Mentions(table, name) {
			return alias + "." + name
		}
		return "NULL AS " + name
	}
	columns := func(table, alias string) string {
		text := ""
		for _, name := range []string{"input_tokens", "output_tokens", "cache_read_tokens", "estimated_cost_usd", "actual_cost_usd", "cost_status"} {
			text += ", " + column(table, alias, name)
		}
		return text
	}
	own := `SELECT s.id, s.source, ` + column("sessions", "s", "model") + `, s.started_at` + columns("sessions", "s") + ` FROM sessions s`
	if s.db.Schema.Mentions("session_model_usage", "session_id", "model") {
		own += ` WHERE s.id NOT IN (SELECT session_id FROM session_model_usage)
			UNION ALL SELECT s.id, s.source, u.model, s.started_at` + columns("session_model_usage", "u") + ` FROM session_model_usage u JOIN sessions s ON s.id = u.session_id`
	}
	// No time is what is no number, and Go's zero time; beyond the year 5138 it is in milliseconds.
	own = `SELECT q.*, CASE WHEN typeof(q.started_at) NOT IN ('integer', 'real') OR abs(q.started_at) > 1e20 OR q.started_at <= -62135596800 THEN NULL
		WHEN q.started_at > 1e11 THEN q.started_at / 1000 ELSE q.started_at END AS at FROM (` + own + `) q`
	rows, err := s.db.Pool.QueryContext(t.Context(), `SELECT `+key+`, count(DISTINCT r.id), total(r.input_tokens), total(r.output_tokens), total(r.cache_read_tokens),
		total(CASE WHEN r.actual_cost_usd > 0 THEN r.actual_cost_usd WHEN r.actual_cost_usd = 0 AND r.cost_status IN ('included', 'free', 'actual') THEN 0 WHEN r.estimated_cost_usd > 0 THEN r.estimated_cost_usd END) FROM (`+own+`) r GROUP BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	sums := map[string]string{}
	for rows.Next() {
		var key sql.NullString
		var sessions int
		var in, out, cached, usd float64
		if err := rows.Scan(&key, &sessions, &in, &out, &cached, &usd); err != nil {
			t.Fatal(err)
		}
		sums[key.String] = sumText(sessions, int64(in), int64(out), int64(cached), usd)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return sums
}

// The calls of each tool are those that plain SQL finds: the stored calls, and the results
// without one before them. Those that failed are as many as results that say so. Where a clock
// was set back, too, a result belongs to the call before it.
func TestToolCountsEqualSQL(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(versionsToTest(t), ownFiles(), filesWithSums) {
		s := openFixture(t, name)
		toolCountsEqualSQL(t, name, s)
	}
	file := fixtures.Database(t, "v25.db")
	fixtures.Exec(t, file, `UPDATE messages SET timestamp = 3e9 - timestamp`)
	s := openAt(t, file)
	toolCountsEqualSQL(t, "with times in the wrong order", s)
}

func toolCountsEqualSQL(t *testing.T, name string, s *Store) {
	t.Helper()
	r, err := s.UsageReport(t.Context())
	if err != nil {
		t.Fatal(name, err)
	}
	var ids []string // a session has a record for each of its models
	for _, one := range r.Records {
		ids = append(ids, one.Session)
	}
	slices.Sort(ids)
	counts, err := s.ToolCounts(t.Context(), slices.Compact(ids))
	if err != nil {
		t.Fatal(name, err)
	}
	got, want := map[string][2]int{}, map[string][2]int{} // calls and failed ones
	add := func(to map[string][2]int, tool string, calls, failed int) {
		to[tool] = [2]int{to[tool][0] + calls, to[tool][1] + failed}
	}
	for _, c := range counts {
		add(got, c.Tool, c.Calls, c.Failed)
	}
	shown := `m.session_id IN (SELECT id FROM sessions) AND ` + s.db.Schema.NotRewoundRows("m") + s.db.Schema.AndNotHidden("m")
	column := func(name string) string { return s.db.Schema.ColumnOrNull("messages", "m", name) }
	stored := column("tool_calls")
	// Python writes numbers that only JSON5 has.
	calls := `WITH calls(message, session, id, tool) AS (
			SELECT m.id, m.session_id, CASE c.type WHEN 'object' THEN coalesce(nullif(c.value ->> 'id', ''), c.value ->> 'call_id') END,
				coalesce(nullif(CASE WHEN c.type = 'object' THEN CASE json_type(c.value, '$.function') WHEN 'object' THEN c.value ->> '$.function.name' ELSE c.value ->> 'name' END END, ''), 'unknown')
			FROM messages m, json_each(CASE json_type(` + stored + `) WHEN 'array' THEN ` + stored + ` ELSE json_array(json(` + stored + `)) END) c
			WHERE m.role = 'assistant' AND json_valid(` + stored + `, 2) AND json_type(` + stored + `) IN ('array', 'object') AND json(` + stored + `) <> '{}' AND ` + shown + `)`
	if err := db.EachRow(t.Context(), s.db.Pool, calls+` SELECT tool, count(*) FROM calls GROUP BY 1`, nil, func(r db.Row) {
		add(want, r.Text(0), int(r.Int(1)), 0)
	}); err != nil {
		t.Fatal(name, err)
	}
	if err := db.EachRow(t.Context(), s.db.Pool, calls+` SELECT (SELECT c.tool FROM calls c WHERE c.session = m.session_id AND c.message < m.id AND c.id <> '' AND c.id = `+column("tool_call_id")+`
			ORDER BY c.message DESC LIMIT 1), `+column("tool_name")+`, m.content FROM messages m WHERE m.role = 'tool' AND `+shown, nil, func(r db.Row) {
		tool, calls, failed := r.Text(0), 0, 0
		if r[0] == nil {
			tool, calls = r.Text(1), 1
		}
		if model.StoredFailure(r.Text(2)) != "" {
			failed = 1
		}
		add(want, tool, calls, failed)
	}); err != nil {
		t.Fatal(name, err)
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s: calls and failed ones by tool:\n%v\nplain SQL:\n%v", name, got, want)
	}
}

// A count that is no longer wanted ends, with the error of its context.
func TestToolCountsCanBeCancelled(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "life-long.db")
	r, err := s.UsageReport(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if counts, err := s.ToolCounts(ctx, []string{r.Records[0].Session}); !errors.Is(err, context.Canceled) {
		t.Errorf("after it was cancelled: %v and %d counts", err, len(counts))
	}
}

// The filter started: finds the conversations of a row by month, and by month and source.
func TestStartedFindsTheSessionsOfAMonth(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v11.db", "v25.db", "v31.db", "life-long.db", "bad/timestamps.db"} {
		s := openFixture(t, name)
		r, err := s.UsageReport(t.Context())
		if err != nil {
			t.Fatal(name, err)
		}
		for _, row := range r.Group([]usage.Dimension{usage.ByMonth}, clock().Location()) {
			if row.Keys[0] == "" {
				continue
			}
			roots := map[int32]bool{}
			of := usage.Selection{Picks: []usage.Pick{{By: usage.ByMonth, Key: row.Keys[0]}}}.In(r, clock().Location())
			for _, one := range of.Records {
				roots[one.Conversation] = true
			}
			if found := searchAllScopes(t, s, "started:"+row.Keys[0]); found.Conversations != len(roots) {
				t.Errorf("%s: started:%s finds %d conversations, want %d", name, row.Keys[0], found.Conversations, len(roots))
			}
		}
	}
}
