package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// Sessions that a wrong clock has dated in the future, that ended before they started, and
// whose tokens and costs are negative or not known are listed, found and counted as what
// is stored, and no command takes them for what is going on now.
func TestWrongClocksAndCosts(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v05.db", "v11.db", "v25.db"} {
		dir := t.TempDir()
		db := filepath.Join(dir, "state.db")
		fixtures.Unpack(t, version, db)
		fixtures.Exec(t, db, // now is 1790000000, 2026-09-21
			`UPDATE sessions SET ended_at = started_at + 10 WHERE ended_at IS NULL`,
			`INSERT INTO sessions (id, source, title, started_at, ended_at, input_tokens, actual_cost_usd) VALUES
				('ahead', 'cli', 'ahead', 1830000000, NULL, NULL, NULL),
				('ahead-over', 'cli', 'ahead-over', 1830000000, 1830000100, 7, 1.5),
				('minute-ahead', 'cli', 'minute-ahead', 1789999000, NULL, 7, 1),
				('backwards', 'cli', 'backwards', 1789990000, 1789980000, -500, -3)`,
			`INSERT INTO messages (session_id, role, content, timestamp) VALUES
				('ahead', 'user', 'turbine', 1830000000), ('ahead-over', 'user', 'turbine', 1830000000), ('minute-ahead', 'user', 'turbine', 1790000060),
				('backwards', 'user', 'turbine', 1789990000), ('backwards', 'assistant', 'turbine', 1789980000)`)
		var running struct {
			Sessions []struct {
				ID, State string
				Silent    float64 `json:"silent_seconds"`
			}
		}
		answerOf(t, dir, &running, "running")
		if r := running.Sessions; len(r) != 2 || r[0].ID != "ahead" || r[0].State != "silent" || r[0].Silent != -40_000_000 || r[1].State != "working" || r[1].Silent != 0 {
			t.Errorf("%s: running %+v", version, r)
		}
		var found struct {
			Sessions []struct {
				ID   string
				Cost any `json:"cost_usd"`
			}
			Conversations int
		}
		for query, want := range map[string]string{
			"turbine": "ahead ahead-over backwards minute-ahead", "turbine after:2027": "ahead ahead-over", "turbine started:2027": "ahead ahead-over",
			"turbine before:2027": "backwards minute-ahead", "turbine cost:>0": "ahead-over minute-ahead", "turbine is:expiring": "",
		} {
			found.Sessions = nil
			answerOf(t, dir, &found, append([]string{"list", "--sort", "title"}, strings.Fields(query)...)...)
			ids := ""
			for _, s := range found.Sessions {
				ids += " " + s.ID
			}
			if strings.TrimSpace(ids) != want {
				t.Errorf("%s: %s finds%s, want %s", version, query, ids, want)
			}
		}
		var usage struct {
			Rows []struct {
				Month    string
				Sessions int
				Input    int64    `json:"input_tokens"`
				Cost     *float64 `json:"cost_usd"`
				Unknown  int      `json:"unknown_cost"`
			}
		}
		answerOf(t, dir, &usage, "stats", "--by", "month")
		months := 0
		for _, row := range usage.Rows {
			switch row.Month {
			case "2026-09":
				months++
				if row.Sessions != 2 || row.Input != -493 || row.Cost == nil || *row.Cost != 1 || row.Unknown != 1 {
					t.Errorf("%s: %+v", version, row)
				}
			case "2027-12":
				months++
				if row.Sessions != 2 || row.Input != 7 || row.Cost == nil || *row.Cost != 1.5 || row.Unknown != 1 {
					t.Errorf("%s: %+v", version, row)
				}
			}
		}
		if months != 2 {
			t.Errorf("%s: by month %+v", version, usage.Rows)
		}
		if _, out, errs := run(t, dir, "", "list"); !strings.Contains(out, "2027-12-28    ahead") || !strings.Contains(out, "2h ago        backwards") {
			t.Errorf("%s: %s%s", version, out, errs)
		}
	}
}

// answerOf reads the JSON that a command answers.
func answerOf(t *testing.T, dir string, into any, args ...string) {
	t.Helper()
	code, out, errs := run(t, dir, "", append(args, "--json")...)
	if code > 1 {
		t.Fatal(args, code, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatal(args, err, out, errs)
	}
}
