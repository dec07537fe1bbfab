package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// besideScript is a query of which the fixtures have a word beside a script without
// spaces. Only the pages of a trigram index find it there.
const besideScript = "exit code 137"

// The indexes of every layout and reading every message give the same answer.
func TestIndexFindsWhatReadingEveryMessageFinds(t *testing.T) {
	t.Parallel()
	files := fixtures.Names(t, "*.db", 27)
	for _, bad := range []string{"bad-json", "fts-out-of-step", "future", "hot-wal", "invalid-utf8", "orphan-parent", "timestamps", "nulls-everywhere"} {
		files = append(files, "bad/"+bad+".db")
	}
	asked, found := 0, 0
	for k, name := range files {
		s := openFixture(t, name)
		_, all, err := s.newExecutor(s.db.Pool, query.Query{}, 0).readAndMatch(t.Context(), query.Query{}, "1", nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range fixtures.Queries {
			if _, trigrams := s.db.Schema.Tables["messages_fts_trigram"]; (i+k)%campaign.Length(4, 1) > 0 || q == besideScript && !trigrams {
				continue
			}
			want := ids(t, s, q, func(ex *executor) { ex.words.table = "" })
			known := ids(t, s, q, nil)
			got := minus(known, minus(known, all.Rowids())) // an index may have deleted messages
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s: by index %v, by reading %v", name, q, minus(got, want), minus(want, got))
			}
			asked++
			found += len(want)
		}
	}
	if found < campaign.Length(250, 1000) {
		t.Errorf("only %d messages found: the test is empty", found)
	}
	t.Logf("%d queries, %d messages", asked, found)
}

// The texts of store/README.md#q1, and queries that must find them.
func TestQ1PunctuationIsSearchedLiterally(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		queries []string
		not     []string
	}{
		{"what is wrong with docker", []string{"what is wrong?", "docker?", "(docker)", "docker!", "'docker'", "wrong, docker", "docker | wrong", "`docker`"}, nil},
		{"don't panic, what's wrong", []string{"don't", "what's wrong", "don't panic"}, nil},
		{"error: file not found", []string{"error:", "error: file", `"error: file"`}, nil},
		{"fix #123 in src/auth/session.py", []string{"fix #123", "#123", "src/auth/session.py", "auth/session", "session.py"}, []string{"#12"}},
		{"mail user@example.com now", []string{"user@example.com", "@example.com"}, []string{"@user"}},
		{"copy .env to ~/.hermes/state.db", []string{".env", "~/.hermes/state.db", ".hermes", "state.db"}, []string{".copy"}},
		{"C# and C++ and F#", []string{"C#", "c#", "C++", "C# C++", "F#?"}, []string{"F++", "D#"}},
		{"TODO: fix it", []string{"TODO: fix", "TODO:fix", "todo"}, nil},
		{"run with -foo and --force", []string{`"-foo"`, "--force", "run NOT foobar"}, []string{"--foo"}},
		{"key:value a=b a&b 100% $HOME", []string{"key:value", "a=b", "a&b", "100%", "$HOME"}, []string{"$key", "value%"}},
		{`C:\path\x and "quoted" [x] {y} <z>`, []string{`C:\path\x`, `\path`, "[x]", "{y}", "<z>", `"quoted"`}, nil},
		{"hello 🚀 world", []string{"🚀", "hello 🚀"}, []string{"🎉"}},
	} {
		s := openWithMessages(t, "v11.db", c.text)
		for _, q := range c.queries {
			if finds(t, s, q) != 1 {
				t.Errorf("%s does not find %q", q, c.text)
			}
		}
		for _, q := range c.not {
			if finds(t, s, q) != 0 {
				t.Errorf("%s finds %q", q, c.text)
			}
		}
	}
}

// Text that JSON stores as \uXXXX is found in every layout.
func TestQ2EscapedTextIsFound(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v10.db", "v11.db", "v22.db", "v25.db", "v28.db", "v31.db", "bad/fts-missing.db", "bad/fts-out-of-step.db"} {
		s := openWithMessages(t, name,
			"\x00json:"+`[{"type": "text", "text": "\u5927\u522b\u5c71 picture"}, {"type": "image_url", "image_url": {"url": "x"}}]`,
			"\x00json:"+`[{"type": "text", "text": "caf\u00e9 \u00c9t\u00e9 \ud83d\ude80"}]`)
		fixtures.Exec(t, s.db.Path, `INSERT INTO messages (session_id, role, tool_calls, timestamp) VALUES ('asked', 'assistant',
			'[{"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{\"command\": \"echo \u6f13\u6c5f \\u90e8\\u7f72\"}"}}]', 1780000009)`)
		for _, q := range []string{"大别山", "大别", "大", "大别山 picture", "café", "été", "🚀", "漓江", "部署", "漓江 terminal", `"大别山"`} {
			if finds(t, s, q) != 1 {
				t.Errorf("%s: %s is not found", name, q)
			}
		}
		if finds(t, s, "漓江 -部署") != 0 {
			t.Errorf("%s: an excluded word was found", name)
		}
		for _, m := range searchAllScopes(t, s, "漓江").Matches {
			if m.RootID == "asked" && !strings.Contains(marked(m.Best.Snippet), "«漓江»") {
				t.Errorf("%s: snippet %s", name, marked(m.Best.Snippet))
			}
		}
	}
}

// Text behind a NUL is found by every kind of query.
func TestQ3TextBehindNULIsFound(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v11.db", "\x00json:"+`[{"type": "text", "text": "raw 部署 needleinthehay"}]`, "before\x00 behind")
	for _, q := range []string{"部署", "needleinthehay", "needleinthe*", "raw 部署", "behind", `"部署"`} {
		if finds(t, s, q) != 1 {
			t.Errorf("%s is not found", q)
		}
	}
}

func TestQ5OperatorsHoldForShortCJK(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v11.db", "去桂林玩", "去广西玩", "广西 桂林")
	for q, want := range map[string]int{
		"广西 桂林": 1, "广西 AND 桂林": 1, "广西 OR 桂林": 3, "桂林 NOT 广西": 1, "桂林 -广西": 1, `"广西 桂林"`: 1, "玩 -桂林": 1, "去 OR 桂林 -玩": 3,
	} {
		if got := finds(t, s, q); got != want {
			t.Errorf("%s finds %d, want %d", q, got, want)
		}
	}
}

// The prolonged sound mark is used in hiragana and katakana, and Unicode assigns it to
// neither script. Like kana it matches as a substring, not as a word.
func TestKanaProlongedSoundMarkMatchesAsASubstring(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v11.db", "コードを書く", "らーめん", "ｺｰﾄﾞ")
	for q, want := range map[string]int{"ー": 2, "ーめ": 1, "コー": 1, "ｰ": 1, "ー -めん": 1} {
		if got := finds(t, s, q); got != want {
			t.Errorf("%s finds %d, want %d", q, got, want)
		}
	}
}

func TestQ6OperatorsInTrigramQueries(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v11.db", "深度学习和项目管理", "AI大别山项目", "大别山项目 english", "大别山项目 or 深度学习", "大别山-项目", "100%完成")
	for q, want := range map[string]int{
		`深度学习 "项目管理"`: 1, "大别山*": 4, "大别山项目 or 深度学习": 1, "大别山项目 OR 深度学习": 4, "大别山项目 AND AI": 1,
		"AI大别山项目": 1, "大别山项目。": 3, "大别山-项目": 1, "english 大别山": 1, "100%完成": 1, "大别山项目 -english": 2, "ai大别山": 1,
	} {
		if got := finds(t, s, q); got != want {
			t.Errorf("%s finds %d, want %d", q, got, want)
		}
	}
}

// Snippets show the arguments of a tool call without JSON, with the matches marked.
func TestQ20SnippetsShowToolCallsWithoutJSON(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v25.db", strings.Repeat("filler ", 100)+"部署 done")
	fixtures.Exec(t, s.db.Path, `INSERT INTO messages (session_id, role, content, tool_calls, timestamp) VALUES ('asked', 'assistant', NULL,
		'[{"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{\"command\": \"grep -rn \\\"quicksand\\\" .\\nls\"}"}}]', 1780000009)`)
	for q, want := range map[string]string{"quicksand": `grep -rn "«quicksand»" .`, "部署": "filler «部署» done"} {
		for _, m := range searchAllScopes(t, s, q).Matches {
			if m.RootID == "asked" {
				if got := marked(m.Best.Snippet); !strings.HasSuffix(got, want) {
					t.Errorf("%s: %s, want …%s", q, got, want)
				}
			}
		}
		if finds(t, s, q) != 1 {
			t.Errorf("%s is not found", q)
		}
	}
}

func TestQ23OperatorsAreWholeWords(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v11.db", "an and-or gate", "not.foo here", "Not-a-dot", "foo only")
	for q, want := range map[string]int{"and-or": 1, "not.foo": 1, "Not-a-dot": 1, "foo OR AND": 2, "OR-gate": 1, "and or gate": 1} {
		if got := finds(t, s, q); got != want {
			t.Errorf("%s finds %d, want %d", q, got, want)
		}
	}
}

func TestQ24PlaceholderBytesAreOrdinaryText(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v11.db", "Q0 stands here", "x stands here")
	for q, want := range map[string]int{"\x00Q0\x00 \"x\"": 0, "\x00Q0\x00": 1, "Q0 OR x": 2} {
		if got := finds(t, s, q); got != want {
			t.Errorf("%q finds %d, want %d", q, got, want)
		}
	}
}

// A conversation is one result however many of its messages match. The hits of a
// subagent are hidden by the scope and counted.
func TestQ30OneResultPerConversation(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v25.db", "xylophone one", "xylophone two", "xylophone three")
	fixtures.Exec(t, s.db.Path,
		`INSERT INTO sessions (id, source, started_at, parent_session_id, model_config) VALUES ('sub', 'cli', 1780000010, 'asked', '{"_delegate_from": "asked"}')`,
		`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('sub', 'user', 'xylophone of the subagent', 1780000011)`)
	r, err := s.Search(t.Context(), query.Parse("xylophone", false), query.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Matches) != 1 || r.Matches[0].Hits != 3 || r.Hits != 3 || r.Conversations != 1 {
		t.Errorf("%d matches, %d hits in %d conversations", len(r.Matches), r.Hits, r.Conversations)
	}
	if r.HiddenHits != 1 || r.HiddenConversations != 1 || r.HiddenScope != model.ScopeSubagents {
		t.Errorf("%d hidden in scope %d", r.HiddenHits, r.HiddenScope)
	}
	if best := r.Matches[0].Best; marked(best.Snippet) != "«xylophone» three" || best.Kind != model.HitUser {
		t.Errorf("best is %+v", best)
	}
	if r.Matches[0].Preview != "xylophone one" {
		t.Errorf("preview %q", r.Matches[0].Preview)
	}
	all := searchAllScopes(t, s, "xylophone")
	if all.Conversations != 2 || all.Hits != 4 || all.HiddenHits != 0 {
		t.Errorf("in all scopes %d hits in %d conversations", all.Hits, all.Conversations)
	}
}

func TestBestHitPrefersMessagesWithoutToolCalls(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v11.db", "the xylophone")
	fixtures.Exec(t, s.db.Path, `INSERT INTO messages (session_id, role, content, tool_name, timestamp) VALUES ('asked', 'tool', 'xylophone xylophone', 'terminal', 1780000009)`)
	fixtures.Exec(t, s.db.Path, `INSERT INTO messages (session_id, role, content, tool_calls, timestamp) VALUES
		('asked', 'assistant', 'one moment', '[{"function": {"name": "terminal", "arguments": "{\"command\": \"xylophone\"}"}}]', 1780000010)`)
	m := searchAllScopes(t, s, "xylophone").Matches[0]
	if m.Best.Role != "user" || m.Hits != 3 {
		t.Errorf("best of %d is %+v", m.Hits, m.Best)
	}
	fixtures.Exec(t, s.db.Path, `INSERT INTO messages (session_id, role, content, tool_calls, timestamp) VALUES
		('asked', 'assistant', 'a xylophone, one moment', '[{"function": {"name": "terminal", "arguments": "{}"}}]', 1780000011),
		('asked', 'assistant', 'and again', '[{"function": {"name": "terminal", "arguments": "{\"command\": \"xylophone\"}"}}]', 1780000012)`)
	if m = searchAllScopes(t, s, "xylophone").Matches[0]; m.Best.Role != "user" || m.Hits != 5 {
		t.Errorf("best of %d is %+v, not a message without a call", m.Hits, m.Best)
	}
	fixtures.Exec(t, s.db.Path, `DELETE FROM messages WHERE session_id = 'asked' AND role = 'user'`)
	if m = searchAllScopes(t, s, "xylophone").Matches[0]; m.Best.Kind != model.HitAgent || marked(m.Best.Snippet) != "a «xylophone», one moment" || m.Hits != 4 {
		t.Errorf("best of %d beside calls is %+v", m.Hits, m.Best)
	}
	fixtures.Exec(t, s.db.Path, `DELETE FROM messages WHERE session_id = 'asked' AND content LIKE '%xylophone,%'`)
	if m = searchAllScopes(t, s, "xylophone").Matches[0]; m.Best.Role != "assistant" || m.Best.Kind != model.HitTool || m.Hits != 3 {
		t.Errorf("best of %d without words is %+v", m.Hits, m.Best)
	}
}

func TestTitlesIDsAndSourcesMatch(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v11.db", "nothing of note")
	fixtures.Exec(t, s.db.Path, `UPDATE sessions SET title = 'Ocarina lessons', source = 'pigeonpost' WHERE id = 'asked'`,
		`INSERT INTO sessions (id, source, started_at) VALUES ('20260101_120000_abcdef', 'cli', 1780000000)`)
	for _, c := range []struct {
		query, snippet string
		why            model.HitKind
	}{
		{"ocarina", "«Ocarina» lessons", model.HitTitle},
		{"pigeonpost", "«pigeonpost»", model.HitSource},
		{"20260101_1200", "«20260101_1200»00_abcdef", model.HitID},
	} {
		r := searchAllScopes(t, s, c.query)
		if len(r.Matches) != 1 {
			t.Errorf("%s: %d matches", c.query, len(r.Matches))
			continue
		}
		if m := r.Matches[0]; m.Best.Kind != c.why || marked(m.Best.Snippet) != c.snippet || m.Best.MessageID != 0 || m.Hits != 0 {
			t.Errorf("%s: %d hits, best %+v", c.query, m.Hits, m.Best)
		}
	}
	// A message is a better hit than a title.
	fixtures.Exec(t, s.db.Path, `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('asked', 'user', 'my ocarina', 1780000009)`)
	if m := searchAllScopes(t, s, "ocarina").Matches[0]; m.Best.MessageID == 0 || m.Hits != 1 {
		t.Errorf("best %+v", m.Best)
	}
}

// Rewound rows are never found, compacted ones are (store/README.md#hidden-rows).
func TestRewoundMessagesAreHiddenAndCompactedOnesAreFound(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v20.db", "v25.db", "v31.db"} {
		s := openWithMessages(t, name, "alpaca active", "alpaca rewound", "alpaca compacted", "alpaca hidden", "漓江 rewound")
		fixtures.Exec(t, s.db.Path,
			`UPDATE messages SET active = 0 WHERE content LIKE '% rewound' AND session_id = 'asked'`,
			`UPDATE messages SET active = 0, compacted = 1 WHERE content = 'alpaca compacted'`)
		want := 3
		if s.db.Schema.Has("messages", "display_kind") {
			fixtures.Exec(t, s.db.Path, `UPDATE messages SET display_kind = 'hidden' WHERE content = 'alpaca hidden'`)
			want = 2
		}
		if got := finds(t, s, "alpaca"); got != want {
			t.Errorf("%s: %d found, want %d", name, got, want)
		}
		hits, err := s.Hits(t.Context(), query.Parse("alpaca", false), "asked", 0)
		if err != nil || len(hits) != want {
			t.Errorf("%s: %d hits, %v", name, len(hits), err)
		}
		if finds(t, s, "漓江") != 0 {
			t.Errorf("%s: rewound text found by another kind of query", name)
		}
		fixtures.Exec(t, s.db.Path, `UPDATE messages SET active = 0 WHERE session_id = 'asked'`)
		if got := finds(t, s, "alpaca"); got != 1 {
			t.Errorf("%s: %d found after all was rewound, want the compacted one", name, got)
		}
	}
}

// The hits of one conversation are read over several lines: they show more than a row of the
// list does, and end at a word.
func TestHitsShowMoreThanARow(t *testing.T) {
	t.Parallel()
	s := openWithMessages(t, "v25.db", "an alpaca "+strings.Repeat("grazes on the hill ", 20))
	row := searchAllScopes(t, s, "alpaca").Matches[0].Best
	hits, err := s.Hits(t.Context(), query.Parse("alpaca", false), "asked", 0)
	if err != nil || len(hits) != 1 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	said, inRow := marked(hits[0].Snippet), marked(row.Snippet)
	if len(said) < len(inRow)+40 || !strings.HasPrefix(said, strings.TrimSuffix(inRow, "…")) {
		t.Errorf("the hit shows %q, the row %q", said, inRow)
	}
	for _, text := range []string{said, inRow} {
		if words := strings.Fields(strings.TrimSuffix(text, "…")); !slices.Contains([]string{"grazes", "on", "the", "hill"}, words[len(words)-1]) {
			t.Errorf("%q ends inside a word", text)
		}
	}
}

func TestHitsComeInReadingOrder(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	seen := 0
	for _, q := range []string{"docker", "the", "漓江", "deploy*", ".env OR config.yaml"} {
		query := query.Parse(q, false)
		for _, m := range searchAllScopes(t, s, q).Matches {
			hits, err := s.Hits(t.Context(), query, m.Segments[len(m.Segments)/2], 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(hits) != m.Hits {
				t.Errorf("%s in %s: %d hits, the list says %d", q, m.ID, len(hits), m.Hits)
			}
			ids, err := s.HitIDs(t.Context(), query, m.ID)
			if err != nil || !slices.EqualFunc(hits, ids, func(h model.Hit, id int64) bool { return h.MessageID == id }) {
				t.Errorf("%s in %s: the ids of the hits are %v, %v", q, m.ID, ids, err)
			}
			if first, err := s.Hits(t.Context(), query, m.ID, 2); err != nil || !reflect.DeepEqual(first, hits[:min(2, len(hits))]) {
				t.Errorf("%s in %s: the first two hits are %v, %v", q, m.ID, first, err)
			}
			for i, h := range hits {
				segment := slices.Index(m.Segments, h.SessionID)
				if segment < 0 || i > 0 && (segment < slices.Index(m.Segments, hits[i-1].SessionID) || h.SessionID == hits[i-1].SessionID && h.MessageID <= hits[i-1].MessageID) {
					t.Errorf("%s in %s: hit %d out of order", q, m.ID, i)
				}
			}
			seen += len(hits)
		}
	}
	if seen < 50 {
		t.Errorf("only %d hits", seen)
	}
	if _, err := s.Hits(t.Context(), query.Parse("x", false), "nobody", 0); err == nil {
		t.Error("an unknown conversation has hits")
	}
}

// Without a usable index a search finds the same messages and says why it is slow.
func TestSearchWithoutAnIndexFindsEveryMatch(t *testing.T) {
	t.Parallel()
	whole := searchAllScopes(t, openFixture(t, "bad/no-version-row.db"), "docker") // the same messages, index whole
	if whole.Hits == 0 || whole.IndexNote != "" {
		t.Fatalf("%d hits, note %q", whole.Hits, whole.IndexNote)
	}
	for _, name := range []string{"bad/fts-missing.db", "bad/fts-corrupt.db", "bad/fts-out-of-step.db"} {
		r := searchAllScopes(t, openFixture(t, name), "docker")
		if r.IndexNote == "" {
			t.Errorf("%s: no note", name)
		}
		if name != "bad/fts-out-of-step.db" && r.Hits != whole.Hits { // rows of that one differ
			t.Errorf("%s: %d hits, want %d", name, r.Hits, whole.Hits)
		}
		for _, q := range []string{"大别山项目", "山", "deploy*", "C#"} {
			searchAllScopes(t, openFixture(t, name), q)
		}
	}
	missing, err := openFixture(t, "bad/fts-missing.db").Search(t.Context(), query.Parse("docker nowhere", false), query.ListOptions{Closest: true})
	if want := "every message was read; the closest matches need it"; err != nil || !strings.HasSuffix(missing.IndexNote, want) {
		t.Errorf("note %q, want one that ends with %q: %v", missing.IndexNote, want, err)
	}
	path := fixtures.Database(t, "v25.db")
	fixtures.Exec(t, path, `INSERT INTO state_meta VALUES ('fts_stale', '1')`, `DROP TRIGGER messages_fts_insert`,
		`INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'zeppelin', 1780000000 FROM sessions LIMIT 1`)
	if r := searchAllScopes(t, openAt(t, path), "zeppelin"); r.Hits != 1 || r.IndexNote == "" {
		t.Errorf("stale: %d hits, note %q", r.Hits, r.IndexNote)
	}
}

// While Hermes rebuilds its index, rows between progress and high water are
// not in it (store/README.md#partial-rebuild). That is not an error and has no note.
func TestSearchDuringAPartialRebuildFindsEveryMatch(t *testing.T) {
	t.Parallel()
	want := searchAllScopes(t, openFixture(t, "v25.db"), "the").Hits
	path := fixtures.Database(t, "v25.db")
	fixtures.Exec(t, path, `INSERT INTO state_meta VALUES ('fts_rebuild_progress', '100'), ('fts_rebuild_high_water', '300')`,
		`INSERT INTO messages_fts(messages_fts, rowid, content, tool_name, tool_calls)
			SELECT 'delete', id, content, tool_name, tool_calls FROM messages WHERE id > 100 AND id <= 300`)
	s := openAt(t, path)
	if n := len(ids(t, s, "the", func(ex *executor) { ex.words.unindexedRows = "" })); n >= want {
		t.Fatalf("the index still holds all %d", n)
	}
	if r := searchAllScopes(t, s, "the"); r.Hits != want || r.IndexNote != "" {
		t.Errorf("%d hits, want %d; note %q", r.Hits, want, r.IndexNote)
	}
}

// Storage 3 indexes only the beginning of a long tool result.
func TestTruncatingStorageFindsTheEndOfToolResults(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v25.db")
	fixtures.Exec(t, path, `DROP TABLE messages_fts`,
		`CREATE VIEW messages_fts_src AS SELECT id, CASE WHEN role = 'tool' THEN substr(content, 1, 8192) ELSE content END AS content, tool_name, tool_calls FROM messages`,
		`CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name, tool_calls, content='messages_fts_src', content_rowid='id')`,
		`INSERT INTO state_meta VALUES ('fts_storage_version', '3')`,
		`DROP TRIGGER messages_fts_insert`,
		`INSERT INTO messages (session_id, role, tool_name, content, timestamp) SELECT id, 'tool', 'terminal',
			replace(hex(zeroblob(5000)), '0', 'x ') || 'zeppelin', 1780000000 FROM sessions LIMIT 1`,
		`INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')`)
	s := openAt(t, path)
	if n := len(ids(t, s, "zeppelin", func(ex *executor) { ex.words.cutRows = "" })); n != 0 {
		t.Fatal("the index holds the whole result")
	}
	if r := searchAllScopes(t, s, "zeppelin"); r.Hits != 1 {
		t.Errorf("%d hits", r.Hits)
	}
}

func TestSearchAppliesTheListOptions(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	all := searchAllScopes(t, s, "the")
	var sources []string
	for _, m := range all.Matches {
		if !slices.Contains(sources, m.Source) {
			sources = append(sources, m.Source)
		}
	}
	total := 0
	for _, source := range sources {
		r, err := s.Search(t.Context(), query.Parse("the", false), query.ListOptions{Scope: model.ScopeAll, Sources: []string{source}})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Matches {
			if m.Source != source {
				t.Errorf("%s among %s", m.Source, source)
			}
		}
		total += r.Hits
	}
	if total != all.Hits || len(sources) < 3 {
		t.Errorf("%d hits by source, %d in all, %d sources", total, all.Hits, len(sources))
	}
	var paged []string
	for offset := 0; offset < all.Conversations; offset += 7 {
		r, err := s.Search(t.Context(), query.Parse("the", false), query.ListOptions{Scope: model.ScopeAll, Limit: 7, Offset: offset})
		if err != nil || r.Conversations != all.Conversations || r.Hits != all.Hits {
			t.Fatal(r.Conversations, r.Hits, err)
		}
		for _, m := range r.Matches {
			paged = append(paged, m.ID)
		}
	}
	for i, m := range all.Matches {
		if paged[i] != m.ID {
			t.Fatalf("page by page %d is %s, want %s", i, paged[i], m.ID)
		}
		if i > 0 && m.LastActive.After(all.Matches[i-1].LastActive) {
			t.Errorf("%s is newer than the session before it", m.ID)
		}
	}
	best, err := s.Search(t.Context(), query.Parse("the", false), query.ListOptions{Scope: model.ScopeAll, Order: query.ByRelevance})
	if err != nil || len(best.Matches) != len(all.Matches) || best.Matches[0].Hits < best.Matches[len(best.Matches)-1].Hits {
		t.Errorf("by relevance: %v", err)
	}
	each, err := s.Search(t.Context(), query.Parse("the", false), query.ListOptions{Scope: model.ScopeAll, EverySession: true})
	if err != nil || each.Hits != all.Hits || each.Conversations < all.Conversations {
		t.Errorf("by session: %d hits in %d, %v", each.Hits, each.Conversations, err)
	}
}

func TestCanceledSearchReturnsContextCanceled(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Search(ctx, query.Parse("docker 部署", true), query.ListOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if _, err := s.Hits(ctx, query.Parse("docker", true), "x", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if searchAllScopes(t, s, "docker").Hits == 0 {
		t.Error("nothing is found after a canceled search")
	}
}

// Words are folded as FTS5 folds them: every word of the fixtures is found by
// both or by neither, in every form.
func TestWordsAreFoldedAsByFTS5(t *testing.T) {
	t.Parallel()
	q, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	q.SetMaxOpenConns(1)
	exec := func(query string, args ...any) {
		if _, err := q.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE VIRTUAL TABLE words USING fts5(text)`)
	exec(`CREATE VIRTUAL TABLE terms USING fts5vocab(words, instance)`)
	exec(`BEGIN`)
	texts := map[int64]string{}
	for r := rune(0x20); r < 0x2000; r++ {
		// Latin, Greek and Cyrillic, except for a few letters that FTS5 does not fold.
		if (r < 0x530 || r >= 0x1e00) && unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.P, unicode.S) &&
			r != 0x37f && (r < 0x528 || r > 0x52f) {
			texts[int64(r)] = "q" + string(r) + "q"
		}
	}
	n := int64(1 << 20)
	known := map[string]bool{}
	for _, name := range fixtures.Names(t, "*.db", 27) {
		s := openFixture(t, name)
		rows, err := s.db.Pool.Query(`SELECT content FROM messages WHERE content IS NOT NULL`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var v any
			if err := rows.Scan(&v); err != nil {
				t.Fatal(err)
			}
			for _, w := range strings.Fields(db.AsText(v)) {
				if !known[w] {
					known[w] = true
					n++
					texts[n] = w
				}
			}
		}
		rows.Close()
	}
	for id, s := range texts {
		exec(`INSERT INTO words (rowid, text) VALUES (?, ?)`, id, s)
	}
	exec(`COMMIT`)
	rows, err := q.Query(`SELECT doc, term FROM terms ORDER BY doc, offset`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	want := map[int64][]string{}
	for rows.Next() {
		var id int64
		var w string
		if err := rows.Scan(&id, &w); err != nil {
			t.Fatal(err)
		}
		want[id] = append(want[id], w)
	}
	wrong := 0
	for id, s := range texts {
		got := match.Term{Text: s}.Words()
		if got == nil && strings.ContainsFunc(s, func(r rune) bool { return r >= 0xe00 }) {
			continue // looked for anywhere, not as words
		}
		if !slices.Equal(got, want[id]) {
			if wrong++; wrong < 20 {
				t.Errorf("%q (%U): words %q, FTS5's are %q", s, []rune(s), got, want[id])
			}
		}
	}
	t.Logf("%d texts, %d folded differently", len(texts), wrong)
}

func FuzzSearch(f *testing.F) {
	s := openFixture(f, "v11.db")
	for _, q := range fixtures.Queries {
		f.Add(q, true)
		f.Add(q, false)
	}
	f.Fuzz(func(t *testing.T, text string, typing bool) {
		q := query.Parse(text, typing)
		r, err := s.Search(t.Context(), q, query.ListOptions{Scope: model.ScopeAll, Limit: 5, Closest: true})
		if err != nil || r.IndexNote != "" {
			t.Fatalf("%q, understood as %s: %v %s", text, q, err, r.IndexNote)
		}
		for i, m := range r.Matches {
			if m.Close != (i >= r.Conversations) {
				t.Fatalf("%q: row %d of %d with all words: close is %v", text, i, r.Conversations, m.Close)
			}
			if m.Best.MessageID != 0 && m.Hits == 0 && !m.Close {
				t.Fatalf("%q: a hit that is not counted", text)
			}
		}
	})
}

// A query of any size and of any characters has an answer of both tiers in little memory: a
// paste is found where it stands, and what says nothing finds nothing.
func TestQueriesOfAnySizeTakeLittleMemory(t *testing.T) { // not parallel: the memory is of the whole process
	s := openWithMessages(t, "v25.db", "the heron's beak is measured by the pelican")
	var words, scripts strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&words, "word%d ", i)
	}
	for _, script := range unicode.Scripts {
		if len(script.R16) > 0 {
			fmt.Fprintf(&scripts, "%c%c ", script.R16[0].Lo, script.R16[0].Hi)
		} else {
			fmt.Fprintf(&scripts, "%c%c ", script.R32[0].Lo, script.R32[0].Hi)
		}
	}
	const most = 32 << 20
	log := strings.Repeat("2026-05-03 12:04:11 INFO worker started\n", 1<<20/41)
	for name, c := range map[string]struct {
		query string
		finds bool
	}{
		"words":          {words.String(), false},
		"log":            {log[:len(log)/2] + "the heron's beak is measured by the pelican\n" + log[len(log)/2:], true},
		"words after":    {words.String() + "\nheron beak pelican", true},
		"one word":       {strings.Repeat("x", 1<<20), false},
		"no spaces":      {strings.Repeat("部署", 1<<18), false},
		"function words": {"the and is by of", true},
		"symbols":        {strings.Repeat("!? && ", 1<<17), false},
		"alternatives":   {strings.Repeat("zyzzyva OR ", 1<<16) + "heron", true},
		"exclusions":     {"heron" + strings.Repeat(" -zyzzyva -quodlibet", 1<<15), true},
		"phrases":        {strings.Repeat(`"a zyzzyva" `, 1<<16), false},
		"scripts":        {scripts.String(), false},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := s.Search(t.Context(), query.Parse(c.query, true), query.ListOptions{Scope: model.ScopeAll, Limit: 50, Closest: true})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > most {
			t.Errorf("%s: %d MB were allocated, want at most %d", name, n>>20, most>>20)
		}
		if found := slices.ContainsFunc(r.Matches, func(m model.Match) bool { return m.RootID == "asked" }); found != c.finds {
			t.Errorf("%s: the conversation is found: %v, want %v", name, found, c.finds)
		}
	}
}

// The best hit is a message that was said, where there is one, and not the summary that
// compression wrote of it later; a summary is marked as one.
func TestSummariesAreBehindWhatWasSaid(t *testing.T) {
	t.Parallel()
	const summary = "[CONTEXT COMPACTION] Earlier turns: the heron and the pelican were discussed."
	s := openWithMessages(t, "v25.db", "A heron stands there.", summary, summary+" Again.")
	for q, want := range map[string]struct{ text, speaker string }{"heron": {"A «heron» stands there.", "you"}, "pelican": {"«pelican»", "summary"}} {
		found := searchAllScopes(t, s, q).Matches
		if len(found) == 0 {
			t.Errorf("%s is not found", q)
		}
		for _, m := range found {
			if got := marked(m.Best.Snippet); m.RootID == "asked" && (!strings.Contains(got, want.text) || m.Best.Speaker() != want.speaker) {
				t.Errorf("%s: %s: %q, want %s: %q", q, m.Best.Speaker(), got, want.speaker, want.text)
			}
		}
	}
}
