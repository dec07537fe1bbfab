package store

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

var demoNow = time.Date(2026, 6, 18, 16, 30, 0, 0, time.UTC)

func openDemo(t testing.TB) *Store {
	t.Helper()
	s, err := Demo(t.Context(), WithClock(func() time.Time { return demoNow }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestDemoIsRemovedByClose(t *testing.T) {
	t.Parallel()
	s, err := Demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Path()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(s.Path())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder is still there: %v", err)
	}
}

func TestDemoIsTheSameAtTheSameTime(t *testing.T) {
	t.Parallel()
	var sums [2][32]byte
	for i := range sums {
		data, err := os.ReadFile(openDemo(t).db.Path)
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = sha256.Sum256(data)
	}
	if sums[0] != sums[1] {
		t.Error("two demos of the same moment differ")
	}
}

// The demo has an example of every feature of the program.
func TestDemoShowsEverything(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	for what, query := range map[string]string{
		"every source": `SELECT count(*) = 0 FROM json_each('["cli","tui","web","api","telegram","discord","slack","whatsapp","signal","matrix","email","cron","batch","tool","webhook"]')
			WHERE value NOT IN (SELECT source FROM sessions)`,
		"reasoning":                   `SELECT count(*) > 8 FROM messages WHERE reasoning != ''`,
		"reasoning_content":           `SELECT count(*) > 0 FROM messages WHERE reasoning_content != ''`,
		"reasoning_details":           `SELECT count(*) > 0 FROM messages WHERE json_valid(reasoning_details)`,
		"codex reasoning":             `SELECT count(*) > 0 FROM messages WHERE json_valid(codex_reasoning_items)`,
		"ten kinds of tools":          `SELECT count(DISTINCT tool_name) >= 10 FROM messages`,
		"several calls at once":       `SELECT count(*) > 3 FROM messages WHERE tool_calls LIKE '%}, {"id"%'`,
		"every call with its result":  `SELECT count(*) > 100 FROM messages WHERE role = 'tool' AND tool_call_id IS NOT NULL`,
		"a tool that failed":          `SELECT count(*) > 0 FROM messages WHERE role = 'tool' AND content LIKE '{"error": "%'`,
		"a command that failed":       `SELECT count(*) > 0 FROM messages WHERE content LIKE '%"exit_code": 127%'`,
		"pictures":                    `SELECT count(*) > 2 FROM messages WHERE substr(CAST(content AS BLOB), 1, 6) = x'006A736F6E3A'`,
		"a progress bar":              `SELECT count(*) > 0 FROM messages WHERE role = 'tool' AND content LIKE '%\r%' AND content LIKE '%\u001b[%'`,
		"an escape in a title":        `SELECT count(*) = 1 FROM sessions WHERE instr(title, char(27)) > 0`,
		"text that is not UTF-8":      `SELECT count(*) = 1 FROM messages WHERE instr(CAST(content AS BLOB), x'FFFE') > 0`,
		"broken tool calls":           `SELECT count(*) = 1 FROM messages WHERE NOT json_valid(tool_calls)`,
		"an odd role":                 `SELECT count(*) = 1 FROM messages WHERE role NOT IN ('user', 'assistant', 'tool')`,
		"conversations without title": `SELECT count(*) > 2 FROM sessions WHERE title IS NULL AND parent_session_id IS NULL`,
		"folders":                     `SELECT count(DISTINCT cwd) > 12 FROM sessions WHERE cwd LIKE '/home/sam/%'`,
		"branches of git":             `SELECT count(DISTINCT git_branch) > 5 FROM sessions WHERE git_repo_root = cwd`,
		"pins":                        `SELECT count(*) > 0 FROM sessions WHERE pinned`,
		"archived conversations":      `SELECT count(*) > 2 FROM sessions WHERE archived AND parent_session_id IS NULL`,
		"a chat reset":                `SELECT count(*) = 1 FROM sessions c JOIN sessions p ON c.parent_session_id = p.id AND c.session_key = p.session_key WHERE p.end_reason = 'session_reset'`,
		"an empty ghost":              `SELECT count(*) = 1 FROM sessions WHERE message_count = 0 AND title IS NULL`,
		"a numbered line of titles":   `SELECT count(*) = 3 FROM sessions WHERE title IN ('my project', 'my project #2', 'my project #3')`,
		"three levels of delegates": `SELECT count(*) = 1 FROM sessions a JOIN sessions b ON a.parent_session_id = b.id JOIN sessions c ON b.parent_session_id = c.id
			WHERE a.end_reason = 'agent_close' AND b.end_reason = 'agent_close'`,
		"costs paid":              `SELECT count(*) > 5 FROM sessions WHERE actual_cost_usd > 0`,
		"costs estimated":         `SELECT count(*) > 5 FROM sessions WHERE estimated_cost_usd > 0 AND actual_cost_usd IS NULL`,
		"costs unknown":           `SELECT count(*) > 3 FROM sessions WHERE estimated_cost_usd IS NULL AND actual_cost_usd IS NULL AND message_count > 0`,
		"Japanese":                `SELECT count(*) > 0 FROM messages WHERE content LIKE '%鉄道博物館%'`,
		"Chinese":                 `SELECT count(*) > 0 FROM messages WHERE content LIKE '%数据库%'`,
		"Korean":                  `SELECT count(*) > 0 FROM messages WHERE content LIKE '%김치%'`,
		"Arabic":                  `SELECT count(*) > 0 FROM messages WHERE content LIKE '%البيتزا%'`,
		"Hebrew":                  `SELECT count(*) > 0 FROM messages WHERE content LIKE '%תיק%'`,
		"a family of one emoji":   `SELECT count(*) > 0 FROM sessions WHERE title LIKE '%👨‍👩‍👧‍👦%'`,
		"angle brackets in prose": `SELECT count(*) > 0 FROM messages WHERE content LIKE '%<details>%' AND content LIKE '%List<String>%'`,
		"tables":                  `SELECT count(*) > 8 FROM messages WHERE content LIKE '%|---%'`,
		"diffs":                   `SELECT count(*) > 2 FROM messages WHERE content LIKE '%` + "```diff" + `%'`,
		"code in ten languages": `SELECT count(*) > 9 FROM (SELECT DISTINCT value FROM json_each('["sql","python","go","js","haskell","csharp","sh","yaml","java","rust","ts","c","html","dockerfile","make"]')
			WHERE (SELECT count(*) FROM messages WHERE role = 'assistant' AND content LIKE '%` + "```' || value || char(10) || '" + `%') > 0)`,
	} {
		var there bool
		if err := s.db.Pool.QueryRowContext(t.Context(), query).Scan(&there); err != nil {
			t.Errorf("%s: %v", what, err)
		} else if !there {
			t.Errorf("the demo does not show %s", what)
		}
	}
}

func TestDemoFillsTheList(t *testing.T) {
	t.Parallel()
	s := openDemo(t)
	least := map[model.Scope]int{model.ScopeConversations: 60, model.ScopeAutomation: 8, model.ScopeSubagents: 7}
	states := map[model.State]int{}
	days := map[int]int{}
	longest, branches := 0, 0
	segments := map[int]int{}
	for _, scope := range []model.Scope{model.ScopeConversations, model.ScopeAutomation, model.ScopeSubagents, model.ScopeAll} {
		page, err := s.Conversations(t.Context(), query.ListOptions{Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		if page.Total < least[scope] {
			t.Errorf("scope %d has %d conversations, want %d", scope, page.Total, least[scope])
		}
		for _, c := range page.Conversations {
			if c.LastActive.After(demoNow) {
				t.Errorf("%s was active in the future, at %s", c.ID, c.LastActive)
			}
			if scope == model.ScopeAll {
				states[c.State]++
			}
			if scope == model.ScopeConversations {
				days[int(demoNow.Sub(c.LastActive)/(24*time.Hour))]++
				segments[len(c.Segments)]++
				branches += c.Branches
				longest = max(longest, c.Messages)
			}
		}
	}
	for _, state := range []model.State{model.StateDone, model.StateRunning, model.StateInterrupted, model.StateFailed, model.StateEmpty} {
		if states[state] == 0 {
			t.Errorf("no conversation is in state %d", state)
		}
	}
	if states[model.StateRunning] > 2 || states[model.StateInterrupted] > 6 {
		t.Errorf("states are out of proportion: %v", states)
	}
	for _, n := range []int{2, 3, 5} {
		if segments[n] == 0 {
			t.Errorf("no conversation has %d segments: %v", n, segments)
		}
	}
	if branches < 2 || longest < 150 {
		t.Errorf("%d branches, longest conversation %d", branches, longest)
	}
	older := 0
	for day, n := range days {
		if day > 31 {
			older += n
		}
	}
	if days[0] < 5 || days[1] < 1 || days[2]+days[3]+days[4]+days[5] < 2 || older < 60 { // the first screen shows each group once
		t.Errorf("the days are unevenly filled: %v", days)
	}
	if len(s.Notes()) > 0 {
		t.Errorf("the demo is not in order: %v", s.Notes())
	}
}

func TestDemoIsIndexed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "copy.db")
	data, err := os.ReadFile(openDemo(t).db.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var damage string
	if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&damage); err != nil || damage != "ok" {
		t.Errorf("integrity_check: %s, %v", damage, err)
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		// A message added afterwards goes through the triggers.
		if _, err := db.ExecContext(t.Context(), `INSERT INTO messages (session_id, role, content, timestamp)
			SELECT id, 'user', 'afterwards', 1 FROM sessions LIMIT 1`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), `INSERT INTO `+table+`(`+table+`) VALUES ('integrity-check')`); err != nil {
			t.Errorf("%s is out of step: %v", table, err)
		}
		var found bool
		err := db.QueryRowContext(t.Context(), `SELECT count(*) > 0 FROM `+table+` WHERE `+table+` MATCH 'afterwards'`).Scan(&found)
		if err != nil || !found {
			t.Errorf("%s does not follow messages: %v", table, err)
		}
	}
	var orphans int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM pragma_foreign_key_check`).Scan(&orphans); err != nil || orphans > 0 {
		t.Errorf("%d rows refer to nothing, %v", orphans, err)
	}
}

func BenchmarkDemo(b *testing.B) {
	for b.Loop() {
		s, err := Demo(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// The query of the screenshots finds the conversation that solved the problem.
func TestDemoFindsTheDockerBuild(t *testing.T) {
	t.Parallel()
	found, err := openDemo(t).engine.Search(t.Context(), query.Parse("docker build", true), query.ListOptions{Order: query.ByRelevance})
	if err != nil {
		t.Fatal(err)
	}
	if found.Conversations < 5 || found.HiddenHits == 0 {
		t.Errorf("%d conversations, %d hidden hits", found.Conversations, found.HiddenHits)
	}
	best := found.Matches[0]
	if best.Title != "Docker build fails: missing go.sum" || best.Hits < 4 {
		t.Fatalf("the first match is %q with %d hits", best.Title, best.Hits)
	}
	hits, err := openDemo(t).engine.Hits(t.Context(), query.Parse("docker build", true), best.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if last := hits[len(hits)-1]; last.Role != "assistant" {
		t.Errorf("the newest hit is said by %s, not by the agent", last.Role)
	}
}
