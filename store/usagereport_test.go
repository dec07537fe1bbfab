package store

import (
	"database/sql"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/usage"
	"hermes-sessions/store/internal/db"
)

// On files of every version, the sums by day, source and model, and the total, equal those
// of plain SQL.
func TestUsageReportEqualsSQL(t *testing.T) {
	t.Parallel()
	for _, name := range append(append(versionsToTest(t), ownFiles()...), "life-long.db", "bad/nulls-everywhere.db", "bad/cycle.db", "bad/timestamps.db", "bad/bad-json.db", "bad/duplicate-titles.db", "bad/fts-corrupt.db",
		"bad/fts-missing.db", "bad/fts-out-of-step.db", "bad/future.db", "bad/hot-wal.db", "bad/invalid-utf8.db", "bad/invalid-utf8-title.db", "bad/no-version-row.db", "bad/orphan-parent.db", "bad/two-version-rows.db") {
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

// The calls of tools are those that plain SQL finds: the stored calls, and the results
// without one before them. Those that failed are as many as results that say so.
func TestToolCountsEqualSQL(t *testing.T) {
	t.Parallel()
	for _, name := range append(versionsToTest(t), ownFiles()...) {
		s := openFixture(t, name)
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
		calls, failed := 0, 0
		for _, c := range counts {
			calls += c.Calls
			failed += c.Failed
		}
		shown := `m.session_id IN (SELECT id FROM sessions) AND ` + s.db.Schema.NotRewoundRows("m") + s.db.Schema.AndNotHidden("m")
		tools := func(column string) string { return s.db.Schema.ColumnOrNull("messages", "m", column) }
		want := Count(t, s, `WITH calls(message, session, id) AS (
				SELECT m.id, m.session_id, CASE c.type WHEN 'object' THEN coalesce(nullif(c.value ->> 'id', ''), c.value ->> 'call_id') END
				FROM messages m, json_each(CASE json_type(`+tools("tool_calls")+`) WHEN 'array' THEN `+tools("tool_calls")+` ELSE json_array(json(`+tools("tool_calls")+`)) END) c
				WHERE m.role = 'assistant' AND json_valid(`+tools("tool_calls")+`) AND `+shown+`)
			SELECT (SELECT count(*) FROM calls) + (SELECT count(*) FROM messages m WHERE m.role = 'tool' AND `+shown+`
				AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.session = m.session_id AND c.message < m.id AND c.id <> '' AND c.id = `+tools("tool_call_id")+`))`)
		if calls != want {
			t.Errorf("%s: %d calls of tools, want %d", name, calls, want)
		}
		wantFailed := 0
		if err := db.EachRow(t.Context(), s.db.Pool, `SELECT m.content FROM messages m WHERE m.role = 'tool' AND `+shown, nil, func(r db.Row) {
			if model.StoredFailure(r.Text(0)) != "" {
				wantFailed++
			}
		}); err != nil || failed != wantFailed {
			t.Errorf("%s: %d failed calls, want %d (%v)", name, failed, wantFailed, err)
		}
	}
}

// The filter started: finds the conversations of a row by month, and by month and source.
func TestStartedFindsTheSessionsOfAMonth(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v11.db", "v25.db", "life-long.db", "bad/timestamps.db"} {
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
