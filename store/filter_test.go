package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/search"
)

// picked returns the tips that a query finds in every scope.
func picked(t *testing.T, s *Store, query string) []string {
	t.Helper()
	var ids []string
	for _, m := range searchAllScopes(t, s, query).Matches {
		ids = append(ids, m.ID)
	}
	return ids
}

// sessionsOf asks the file for sessions.
func sessionsOf(t *testing.T, s *Store, query string) []string {
	t.Helper()
	rows, err := s.db.Pool.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// On files of every version: what a filter finds and what its negation finds
// is everything, and where the file cannot answer, the filter finds nothing
// and says so. What expires is said with its rule.
func TestFiltersOnEverySchemaVersion(t *testing.T) {
	t.Parallel()
	var filters []string
	for _, w := range query.Fields() {
		for _, v := range w.Values {
			filters = append(filters, string(w.Field)+":"+v)
		}
	}
	filters = append(filters, "source:cli", "source:te*", "model:gpt", "title:docker", "id:2026", "tool:terminal", "tool:web*", "failed:terminal", "failed:t*", "file:config.yaml", "file:src/**/*.py", "file:*", "cwd:/", "branch:main", "profile:work", "tag:later",
		"after:2026-01", "msgs:>5", "tokens:>10k", "cost:>0.01")
	for _, w := range query.Fields() {
		if !slices.ContainsFunc(filters, func(f string) bool { return strings.HasPrefix(f, string(w.Field)+":") }) {
			t.Errorf("no example of %s: add one, and the columns that it needs in CannotFilter", w.Field)
		}
	}
	answered := map[string]int{}
	for _, name := range versionsToTest(t) {
		s := openFixture(t, name)
		all := len(picked(t, s, ""))
		for _, f := range filters {
			r := searchAllScopes(t, s, f)
			q := query.Parse(f, false)
			if lacks := search.CannotFilter(s.db.Schema, q.Filters[0]); (lacks != "" || f == "is:expiring") != (len(r.Hints) > 0) || lacks != "" && r.Conversations > 0 {
				t.Errorf("%s, %s: %d conversations with the hints %q", name, f, r.Conversations, r.Hints)
			}
			if r.Conversations != len(r.Matches) {
				t.Errorf("%s, %s: %d conversations are counted, %d given", name, f, r.Conversations, len(r.Matches))
			}
			if not := len(picked(t, s, "-"+f)); r.Conversations+not != all {
				t.Errorf("%s: %d with %s and %d without are not all %d", name, r.Conversations, f, not, all)
			}
			if r.Conversations > 0 {
				answered[f]++
			}
		}
	}
	for _, f := range []string{"source:cli", "source:te*", "model:gpt", "title:docker", "tool:terminal", "tool:web*", "file:config.yaml", "file:src/**/*.py", "role:tool", "role:system", "cwd:/", "msgs:>5", "is:archived", "is:sub", "is:branch", "is:empty", "has:tool", "has:reasoning", "has:sub", "has:branch"} {
		if answered[f] == 0 {
			t.Errorf("%s finds nothing in any fixture", f)
		}
	}
	if s := openFixture(t, "v01.db"); len(searchAllScopes(t, s, "is:pinned").Hints) == 0 {
		t.Error("version 1 is said to know pins")
	}
}

// Filters are held against what SQL says.
func TestFiltersAgreeWithTheFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01", "v11", "v16", "v25", "v31", "life-long.db"} {
		s := openFixture(t, strings.TrimSuffix(name, ".db")+".db")
		visible := s.db.Schema.NotRewoundRows("m") + s.db.Schema.AndNotHidden("m") + " AND m.role <> 'session_meta'"
		for filter, asked := range map[string]string{
			"source:telegram":   `SELECT id FROM sessions WHERE source = 'telegram'`,
			"role:system":       `SELECT DISTINCT session_id FROM messages m WHERE role = 'system' AND ` + visible,
			"tool:terminal":     `SELECT DISTINCT session_id FROM messages m WHERE (tool_name = 'terminal' OR tool_calls LIKE '%"name": "terminal"%') AND ` + visible,
			"tool:execute_code": `SELECT DISTINCT session_id FROM messages m WHERE (tool_name = 'execute_code' OR tool_calls LIKE '%"name": "execute_code"%') AND ` + visible,
		} {
			q := query.ListOptions{Scope: model.ScopeAll, EverySession: true, Filters: query.Parse(filter, false).Filters}
			page, err := s.Conversations(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range page.Conversations {
				got = append(got, c.ID)
			}
			want := sessionsOf(t, s, asked)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: %q, want %q", name, filter, got, want)
			}
		}
	}
}

// Beside words, role: and tool: are about the messages that hold the words,
// and a title alone does not match.
func TestFiltersOnMessagesNarrowTheHits(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	all := searchAllScopes(t, s, "the")
	sum := 0
	for _, role := range []string{"user", "assistant", "tool", "system"} {
		r := searchAllScopes(t, s, "the role:"+role)
		for _, m := range r.Matches {
			if m.Best.MessageID == 0 || m.Best.Role != role {
				t.Errorf("role:%s: the best hit of %s is %+v", role, m.ID, m.Best)
			}
			hits, err := s.Hits(t.Context(), query.Parse("the role:"+role, false), m.ID, 0)
			if err != nil || len(hits) != m.Hits {
				t.Errorf("role:%s: %d hits in %s, %d counted (%v)", role, len(hits), m.ID, m.Hits, err)
			}
		}
		sum += r.Hits
	}
	if sum != all.Hits || sum == 0 {
		t.Errorf("%d hits by role, %d in all", sum, all.Hits)
	}
	with, without := searchAllScopes(t, s, "the tool:terminal"), searchAllScopes(t, s, "the -tool:terminal")
	if with.Hits == 0 || with.Hits+without.Hits != all.Hits {
		t.Errorf("%d hits of the terminal and %d others are not all %d", with.Hits, without.Hits, all.Hits)
	}
	hits, total, err := s.SearchMessages(t.Context(), "the role:user source:telegram", SearchOptions{Limit: -1})
	if err != nil || total == 0 || slices.ContainsFunc(hits, func(h MessageHit) bool { return h.Role != "user" || h.Source != "telegram" }) {
		t.Errorf("as messages: %d of %v (%v)", total, hits, err)
	}
}

// A filter that names what a scope is made of shows it, and the counts say
// what is hidden.
func TestFiltersAndScopes(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	ask := func(asked string) model.SearchResults {
		r, err := s.Search(t.Context(), query.Parse(asked, false), query.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, f := range []string{"is:archived", "source:cron", "is:sub", "is:empty"} {
		if here, all := ask(f), searchAllScopes(t, s, f); here.Conversations == 0 || here.Conversations != all.Conversations {
			t.Errorf("%s shows %d of %d", f, here.Conversations, all.Conversations)
		}
	}
	here, all := ask("msgs:>1"), searchAllScopes(t, s, "msgs:>1")
	if here.HiddenConversations == 0 || here.Conversations+here.HiddenConversations != all.Conversations {
		t.Errorf("%d shown and %d hidden are not all %d", here.Conversations, here.HiddenConversations, all.Conversations)
	}
}

// The cached roles of a session are read again when it gets or loses messages.
func TestSessionRolesFollowTheFile(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	fixtures.Exec(t, path, `INSERT INTO sessions (id, source, started_at) VALUES ('asked', 'cli', 1780000000)`,
		`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('asked', 'user', 'hello', 1780000001)`)
	s := openAt(t, path)
	if slices.Contains(picked(t, s, "tool:hammer"), "asked") || !slices.Contains(picked(t, s, "role:user"), "asked") {
		t.Fatal("the session is not found by its role")
	}
	fixtures.Exec(t, path, `INSERT INTO messages (session_id, role, content, tool_name, timestamp) VALUES ('asked', 'tool', 'done', 'hammer', 1780000002)`)
	if !slices.Contains(picked(t, s, "tool:hammer"), "asked") {
		t.Error("a new message of a tool is not found")
	}
	fixtures.Exec(t, path, `DELETE FROM messages WHERE tool_name = 'hammer'`)
	if slices.Contains(picked(t, s, "tool:hammer"), "asked") {
		t.Error("a deleted message is still found")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Search(ctx, query.Parse("tool:hammer", false), query.ListOptions{}); err == nil {
		t.Error("a canceled query is answered")
	}
}

// No query is an error or says anything else than what stands there, whatever
// filters are in it.
func TestFilteredSearchesNeverFail(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v10.db", "v25.db", "v31.db"} {
		s := openFixture(t, name)
		for i, q := range []string{
			`source:"`, `title:*`, `title:"?"`, "id:%", "cwd:'", `tool:\`, "role:\x00 x", "after:9999 x", "before:0001", "msgs:>99999999999999999999", "tokens:..",
			"cost:..", "the is:live has:sub role:tool tool:x -tool:y title:.env", "部署 role:user", "C# source:cli", strings.Repeat("source:x ", 200), "-foo source:cli",
		} {
			for _, typing := range []bool{false, true} {
				if _, err := s.Search(t.Context(), query.Parse(q, typing), query.ListOptions{Limit: 5}); err != nil {
					t.Errorf("%s: query %d %q: %v", name, i, q, err)
				}
			}
		}
	}
}

func TestTheRouteIsTold(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	for query, want := range map[string]string{
		"docker":             "messages_fts",
		"大别山":                "messages_fts_trigram",
		"大":                  "the pages of messages_fts_trigram",
		"?":                  "the pages of messages_fts_trigram",
		`\`:                  "the pages of messages_fts_trigram",
		"部и":                 "symbols, by reading the messages that the index found",
		"\u0345":             "symbols, by reading the messages that the index found",
		"source:cli":         "the list of sessions",
		"100%":               "symbols, by reading the messages that the index found",
		"the role:user":      "filters on messages",
		"docker source:cli ": "messages_fts",
	} {
		if r := searchAllScopes(t, s, query); !strings.Contains(fmt.Sprint(r.Plan), want) {
			t.Errorf("%q was answered by %q, want %s", query, r.Plan, want)
		}
	}
	if r := searchAllScopes(t, openFixture(t, "v01.db"), "大"); !strings.Contains(fmt.Sprint(r.Plan), "reading messages") {
		t.Errorf("without trigrams it was answered by %q", r.Plan)
	}
}

// Each value that is offered finds as many conversations as it is said to.
func TestFieldValueCountsEqualTheFilter(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v11.db", "v25.db", "v31.db"} {
		s := openFixture(t, name)
		for _, w := range query.Fields() {
			values, err := s.FieldValues(t.Context(), w.Field)
			if err != nil {
				t.Fatal(err)
			}
			if len(values) == 0 && (w.Field == query.FieldSource || w.Field == query.FieldTool || w.Field == query.FieldRole) {
				t.Errorf("%s: no values of %s", name, w.Field)
			}
			for i, v := range values {
				if i > 0 && v.Conversations > values[i-1].Conversations {
					t.Errorf("%s: %s comes behind a rarer one", name, v.Value)
				}
				if w.Field == query.FieldModel || w.Field == query.FieldCWD || w.Field == query.FieldBranch || w.Field == query.FieldFile {
					continue // these find by a part
				}
				f := query.Filter{Field: w.Field, Value: v.Value}
				if got := searchAllScopes(t, s, f.String()).Conversations; got != v.Conversations {
					t.Errorf("%s: %s finds %d, said to find %d", name, f, got, v.Conversations)
				}
			}
		}
	}
}

// A conversation has a failed tool call where the transcript marks one.
func TestHasFailedAgreesWithTheTranscript(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v11.db", "v25.db", "v31.db"} {
		s := openFixture(t, name)
		page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
		if err != nil {
			t.Fatal(err)
		}
		for i, content := range []string{"Error: no such file", "exit code 7", "fine", `{"output": "", "exit_code": 3}`} {
			id := page.Conversations[i%len(page.Conversations)].ID
			fixtures.Exec(t, s.db.Path, `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('`+id+`', 'tool', '`+content+`', 2000000000)`)
		}
		failed := picked(t, s, "has:failed")
		counted, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll, Filters: query.Parse("has:failed", false).Filters})
		if err != nil {
			t.Fatal(err)
		}
		if len(failed) < 3 {
			t.Errorf("%s: only %q have failed tool calls", name, failed)
		}
		for _, c := range page.Conversations {
			o, err := s.Outline(t.Context(), c.ID)
			if err != nil {
				t.Fatal(err)
			}
			messages, err := s.MessagesByID(t.Context(), o.MessageIDs)
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			for _, m := range messages {
				if m.Failed() {
					want++
				}
			}
			if i := slices.IndexFunc(counted.Conversations, func(f model.Conversation) bool { return f.ID == c.ID }); i < 0 && want > 0 || i >= 0 && counted.Conversations[i].Failed != want {
				t.Errorf("%s: has:failed counts no %d failed calls of %s", name, want, c.ID)
			}
			if got := slices.Contains(failed, c.ID); got != (want > 0) {
				t.Errorf("%s: has:failed finds %s: %v, want %v", name, c.ID, got, want > 0)
			}
		}
	}
}
