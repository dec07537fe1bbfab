package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// Where the indexes lack what tools returned, or the ends of it, what Prepare has read gives the same
// answer for scripts without spaces, words beside them, words at the end, and symbols as reading
// every message, also while messages come, change and go. Of a large file these are the words at the
// ends of long results.
func TestWhatNoIndexHoldsIsThatOfReading(t *testing.T) {
	t.Parallel()
	for _, file := range []struct {
		name  string
		first int // id of the messages that are written
		read  string
	}{
		{"v08.db", 100_000, "what no index holds, read before"},
		{"v26.db", 100_000, "what no index holds, read before"},
		{"v31.db", 100_000, "what no index holds, read before"},
		{"v31.db", maxBorderID + 1, "the ends of long results, read before"},
	} {
		name := file.name
		r := rand.New(rand.NewPCG(9, 26))
		path := fixtures.Database(t, name)
		other := otherConnection(t, path)
		e := openAt(t, path)
		pieces := []string{
			"部署", "部", "署", "数据库", "デプロイ", "ﾃﾞ", "검색", "ไทย", "ー", "用", "docker", "Docker", "K", "é", "1", " ", " ", "\n", "\u3000", "。", "，", ".", "-", "$", `\u90e8`, `\u7f72`, `\n`, `\`,
			"=>", "#", "é.", ".É", "ｅ", "→", "…", "zeppelin", "Zeppelins", strings.Repeat("x", 15), strings.Repeat("y", 17), strings.Repeat("z", 40), "\u0301", "\u3099", "𠀀", "👍",
		}
		text := func(n int) string { return randomText(r, pieces, n) }
		read := 0
		for round := range 4 {
			for i := range 80 {
				role, content := []string{"tool", "assistant", "user"}[i%3], text(9)
				if i%6 == 0 { // more than the word index of v31.db holds
					content = strings.Repeat("a ", 4_096) + content
				}
				must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, tool_name, timestamp)
					SELECT %d, session_id, '%s', CAST(x'%x' AS TEXT), CASE WHEN '%s' = 'tool' THEN '部署x' END, timestamp FROM messages WHERE id = (SELECT min(id) FROM messages)`,
					file.first+round*100+i, role, content, []string{"tool", ""}[i%2]))
			}
			must(t, other, fmt.Sprintf(`DELETE FROM messages WHERE id >= %d AND id %% 7 = %d`, file.first, round))
			must(t, other, fmt.Sprintf(`UPDATE messages SET content = CAST(x'%x' AS TEXT) WHERE id >= %d AND id %% 11 = %d`, text(9), file.first, round))
			if round != 1 {
				if err := e.Prepare(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for _, asked := range []string{
				"部署", "部", "署", "数据库", `"署 数据库"`, `"部署 部"`, "デプ", "ﾃﾞ", "검색", "ไท", "ー", "用docker", "docker部署", "用DOCKER", "署1", `"部署 数据库"`, `"部署。"`, "部署。", "用K", "用k", "部署 검색", "검색 -部署", "部署 OR 검색",
				"docker", "dock", "docker*", "zeppelin", "zep*", "zeppelin docker", "docker -zeppelin", "zeppelin OR 部署", `"docker zeppelin"`, "zeppelin 部署", "zeppelin -部署", "x",
				"=>", "#", "=", "-", "$", ".", "$-", "=>#", "→", "…", "👍", "#docker", ".e", ".e*", "e.", "é.", "docker.", "$docker", ".docker", "zeppelin -#", "# -zeppelin", "=> 部署", "→docker", `"docker 1"`, "🚀",
				"用" + strings.Repeat("x", 15) + "部", "用" + strings.Repeat("y", 17) + "部", "用" + strings.Repeat("z", 40) + "部", strings.Repeat("z", 40) + "部", "部\u0301", "か\u3099", "𠀀", "。部署",
			} {
				got, want := ids(t, e, asked, nil), ids(t, e, asked, func(ex *executor) { ex.words.table = "" })
				if !slices.Equal(got, want) {
					t.Errorf("%s, round %d: %s: %v more, by reading %v more", name, round, asked, minus(got, want), minus(want, got))
				}
				found, err := e.Search(t.Context(), query.Parse(asked, true), query.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if slices.Contains(found.Plan, file.read) {
					read++
				}
			}
		}
		if read < 60 {
			t.Errorf("%s from %d on: the texts answered only %d queries", name, file.first, read)
		}
	}
}

// The word index does not tell of changes of a message that it has no word of: such a message is
// read by each key.
func TestMessagesWithoutIndexedWordsChange(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v26.db", "v31.db"} {
		path := fixtures.Database(t, name)
		other := otherConnection(t, path)
		write := func(id int, role, text string) {
			must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp) SELECT %d, session_id, '%s', %s, timestamp FROM messages LIMIT 1`, id, role, text))
		}
		long := `replace(hex(zeroblob(5000)), '0', '=') || ' zyzzyva'` // of which v31.db indexes no word
		write(100_001, "user", `'👍'`)
		write(100_002, "user", `'👍'`)
		write(100_003, "user", `'⺀'`)
		write(100_004, "tool", long)
		write(100_005, "tool", long)
		write(100_006, "user", `'hello world'`)
		e := openAt(t, path)
		if err := e.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		must(t, other, `DELETE FROM messages WHERE id IN (100001, 100003, 100004)`, `UPDATE messages SET content = '=>' WHERE id = 100002`,
			`UPDATE messages SET content = replace(content, 'zyzzyva', 'quokka') WHERE id = 100005`)
		compare := func() {
			t.Helper()
			for _, asked := range []string{"👍", "=>", "⺀", "zyzzyva", "quokka"} {
				if got, want := ids(t, e, asked, nil), ids(t, e, asked, func(ex *executor) { ex.words.table = "" }); !slices.Equal(got, want) {
					t.Errorf("%s: %s: %v, by reading %v", name, asked, got, want)
				}
			}
		}
		compare()
		write(100_001, "user", `'👍'`) // as undo writes what was deleted
		compare()
	}
}

// A message with a great id, and the end of the newest one, do not stop or mislead a search.
func TestUnindexedTextsBesideOddIDs(t *testing.T) {
	t.Parallel()
	for _, first := range []int64{100_000, maxBorderID + 1} {
		path := fixtures.Database(t, "v31.db")
		other := otherConnection(t, path)
		write := func(id int64, role, text string) {
			must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp) SELECT %d, session_id, '%s', %s, timestamp FROM messages LIMIT 1`, id, role, text))
		}
		long := `replace(hex(zeroblob(5000)), '0', 'a ') || ' zyzzyva'`
		write(first, "tool", long)
		write(first+1, "tool", long)
		e := openAt(t, path)
		compare := func() {
			t.Helper()
			if err := e.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, asked := range []string{"zyzzyva", "=>"} {
				if got, want := ids(t, e, asked, nil), ids(t, e, asked, func(ex *executor) { ex.words.table = "" }); !slices.Equal(got, want) {
					t.Errorf("%s: %v, by reading %v", asked, got, want)
				}
			}
		}
		compare()
		must(t, other, fmt.Sprintf(`DELETE FROM messages WHERE id = %d`, first+1))
		compare()
		for _, id := range []int64{1 << 26, 1 << 30, 1 << 40} {
			write(id, "user", "'=> hello'")
			compare()
		}
	}
}

// The first rows of a key have nothing that the query excludes, however much of that has not been
// read yet.
func TestFirstRowsExcludeWhatOnlyTextsTell(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v26.db")
	other := otherConnection(t, path)
	must(t, other, `INSERT INTO sessions (id, source, started_at) VALUES ('old', 'cli', 1780000000), ('new', 'cli', 1780000001)`)
	must(t, other, `INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (100001, 'old', 'tool', 'zyzzyva 部署', 1780000000)`)
	must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (%d, 'new', 'tool', 'zyzzyva', 1780000001)`, 100_002+newestRead))
	e := openAt(t, path)
	for asked, want := range map[string]string{"zyzzyva -部署": "new", "部署 zyzzyva": "old", "zyzzyva": "new old"} {
		res, err := e.Search(t.Context(), query.Parse(asked, true), query.ListOptions{Limit: 60, FirstPage: true, Order: query.ByActivity})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range res.Matches {
			got = append(got, m.ID)
		}
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%s finds %v, want %s", asked, got, want)
		}
	}
}

// The end of a long result of a tool, which the index of today's Hermes lacks, is found; a key has
// the rows of the index before, and says that more may match.
func TestFirstRowsBeforeTheEndsOfLongResults(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v31.db")
	other := otherConnection(t, path)
	must(t, other, `INSERT INTO sessions (id, source, started_at) VALUES ('end', 'cli', 1780000000), ('begin', 'cli', 1780000001)`)
	must(t, other, `INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (100001, 'end', 'tool', replace(hex(zeroblob(5000)), '0', 'a ') || 'zyzzyva zyzzyvas', 1780000000)`)
	must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (%d, 'begin', 'user', 'zyzzyva', 1780000001)`, 100_002+newestRead))
	e := openAt(t, path)
	for _, c := range []struct {
		asked       string
		first, all  string
		moreMayHave bool
	}{
		{"zyzzyva", "begin", "begin end", true},
		{"zyzzyva -zyzzyvas", "begin", "begin", false}, // what is excluded is known whole
		{"zyzzyvas", "end", "end", false},              // nothing found is certain
	} {
		for first, want := range map[bool]string{true: c.first, false: c.all} {
			res, err := e.Search(t.Context(), query.Parse(c.asked, true), query.ListOptions{Limit: 60, FirstPage: first, Order: query.ByActivity})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range res.Matches {
				got = append(got, m.ID)
			}
			if slices.Sort(got); strings.Join(got, " ") != want || res.RowsOnly != (first && c.moreMayHave) {
				t.Errorf("%s, first rows %v: %v, want %s; more may match: %v", c.asked, first, got, want, res.RowsOnly)
			}
		}
	}
}

// Closest conversations do not hide that a conversation with all words was not looked for yet, and
// have nothing that the query excludes, however far behind in a long result it stands.
func TestRowsWithTheClosestBeforeTheEndsOfLongResults(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v31.db")
	other := otherConnection(t, path)
	must(t, other, `INSERT INTO sessions (id, source, started_at) VALUES ('end', 'cli', 1780000000), ('one', 'cli', 1780000001), ('out', 'cli', 1780000002)`)
	for i, c := range []struct{ session, begins, ends string }{{"end", "", "zyzzyva quokka"}, {"out", "zyzzyva", "compose"}, {"one", "quokka", ""}} {
		must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (%d, '%s', 'tool', '%s ' || replace(hex(zeroblob(5000)), '0', 'a ') || '%s', 1780000000)`, 100_001+i, c.session, c.begins, c.ends))
	}
	must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (%d, 'one', 'user', 'quokka', 1780000001)`, 100_010+newestRead))
	for asked, want := range map[string]string{"zyzzyva quokka": "end", "zyzzyva -compose": "end"} {
		res, err := openAt(t, path).Search(t.Context(), query.Parse(asked, true), query.ListOptions{Limit: 60, RowsOnly: true, Closest: true, Order: query.ByRelevance})
		if err != nil || len(res.Matches) == 0 || res.Matches[0].ID != want || res.Conversations != 1 {
			t.Fatalf("%s: %d conversations with all words, %+v, %v", asked, res.Conversations, res.Matches, err)
		}
		for _, m := range res.Matches[1:] {
			if m.ID == "out" && strings.Contains(asked, "-") {
				t.Errorf("%s has what the query excludes among the closest", asked)
			}
		}
	}
}

// Rows that come at once have nothing that the query excludes where it stands beside a script, however
// many messages have the words that it asks for.
func TestRowsExcludeWordsBesideAScript(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	other := otherConnection(t, path)
	must(t, other, `INSERT INTO sessions (id, source, started_at) VALUES ('many', 'cli', 1780000000), ('out', 'cli', 1780000001)`)
	must(t, other, fmt.Sprintf(`WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO messages (session_id, role, content, timestamp) SELECT 'many', 'user', 'zyzzyva', 1780000000 FROM n`, manyRows))
	must(t, other, `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('out', 'user', 'zyzzyva, 用compose部署', 1780000001)`)
	res, err := openAt(t, path).Search(t.Context(), query.Parse("zyzzyva -compose", true), query.ListOptions{Limit: 60, RowsOnly: true})
	if err != nil || len(res.Matches) != 1 || res.Matches[0].ID != "many" {
		t.Errorf("%+v, %v", res.Matches, err)
	}
}

// What Prepare reads of a file is kept where another process writes and a key searches meanwhile.
func TestWhatNoIndexHoldsIsKeptBesideAWriter(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v31.db")
	other := otherConnection(t, path)
	write := func(id int, text string) {
		must(t, other, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp) SELECT %d, session_id, 'tool', '%s', timestamp FROM messages LIMIT 1`, id, text))
	}
	write(100_001, "x部署zyzzyva")
	write(100_002, "x部署zyzzyva")
	e := openAt(t, path)
	err := e.db.ReadTx(t.Context(), func(conn db.Querier) error {
		ex := e.newExecutor(conn, query.Query{}, e.db.SameVersion(t.Context(), conn))
		if err := ex.probeOnce(t.Context()); err != nil {
			return err
		}
		if _, _, err := ex.idRange(t.Context()); err != nil {
			return err
		}
		unread, all, err := e.unindexed.Unread(t.Context(), ex.changesOf(&ex.words), ex.maxID, false)
		if err != nil || !all {
			t.Fatalf("all are unread: %v; %v", all, err)
		}
		write(100_003, "x部署zyzzyva")
		must(t, other, `UPDATE messages SET content = 'nothing' WHERE id = 100002`)
		ids(t, e, "zyzzyva", nil)
		texts, err := ex.readUnindexed(t.Context(), unread, all, false)
		if err == nil {
			e.unindexed.Add(texts, ex.maxID, all)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(t, e, "zyzzyva", nil); !slices.Equal(got, []int64{100_001, 100_003}) {
		t.Errorf("finds %v", got)
	}
	found, err := e.Search(t.Context(), query.Parse("部署zyzzyva", true), query.ListOptions{})
	if err != nil || !slices.Contains(found.Plan, "what no index holds, read before") {
		t.Errorf("%v, %v", found.Plan, err)
	}
}
