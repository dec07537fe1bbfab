package store

import (
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// notAsSanitised are queries that find other messages than what the real
// software made of them, and why: a fault by its number in
// store/README.md#known-faults, or the query language, in which what is typed is
// taken at its word.
var notAsSanitised = map[string]string{
	"hello and": "Q23", "and or not": "Q23", "not docker": "Q23", // lower case is no operator
	"42":               "Q35", // also beside a script without spaces
	"\x00Q0\x00 \"x\"": "Q24", "\x00Q1\x00 \"a\" \"b\"": "Q24",
	"C++": "at its word", "c++": "at its word", "a+b": "at its word", "a^2": "at its word", "a*b*": "at its word", "\"a*\"*": "at its word",
	"NEAR(a b)": "at its word", "{content} : x": "at its word", "_": "at its word", "\"\" AND": "at its word",
	"\"a\"\"b\"": "two phrases", "a\u00a0b": "two words", "เอกสาร": "looked for anywhere",
}

// sanitised is queries and what the real software makes of them
// (store/README.md#query-sanitizer).
var sanitised = []struct{ Input, Output string }{
	{"docker deployment", "docker deployment"},
	{"  padded  ", "padded"},
	{"foo  bar", "foo  bar"},
	{"\tfoo\nbar", "foo\nbar"},
	{"\"exact phrase\"", "\"exact phrase\""},
	{"\"unbalanced", "unbalanced"},
	{"a \"b c", "a  b c"},
	{"\"a\" \"b", "\"a\"  b"},
	{"\"foo\"bar\"baz\"", "\"foo\"bar\"baz\""},
	{"foo\"bar\"baz", "foo\"bar\"baz"},
	{"a\"\"b", "a\"\"b"},
	{"\"\"", "\"\""},
	{"\"\" foo", "\"\" foo"},
	{"\" \"", "\" \""},
	{"\"", ""},
	{"docker OR kubernetes", "docker OR kubernetes"},
	{"python NOT java", "python NOT java"},
	{"hello AND", "hello"},
	{"hello and", "hello"},
	{"OR world", "world"},
	{"NOT foo", "foo"},
	{"NOT \"a b\"", "\"a b\""},
	{"\"a\" AND", "\"a\""},
	{"AND \"a\"", "\"a\""},
	{"and", ""},
	{"AND", ""},
	{"and or not", "or"},
	{"foo AND OR bar", "foo AND OR bar"},
	{"OR AND foo", "AND foo"},
	{"foo OR AND", "foo OR"},
	{"foo AND NOT bar", "foo AND NOT bar"},
	{"NOT NOT foo", "NOT foo"},
	{"foo\nAND", "foo"},
	{"and\tfoo", "foo"},
	{"orange", "orange"},
	{"notfoo", "notfoo"},
	{"ＡＮＤ foo", "ＡＮＤ foo"},
	{"NOT 大别山", "大别山"},
	{"deploy*", "deploy*"},
	{"***", ""},
	{"*foo", "foo"},
	{"foo *", "foo"},
	{"foo ***", "foo"},
	{"foo*bar", "foo*bar"},
	{"**a**", "a*"},
	{"a*b*", "a*b*"},
	{"\"a b\"*", "\"a b\"*"},
	{"x_y*", "\"x_y\"*"},
	{"my-app*", "\"my-app\"*"},
	{"chat-send", "\"chat-send\""},
	{"P2.2", "\"P2.2\""},
	{"my-app.config.ts", "\"my-app.config.ts\""},
	{"snake_case_name", "\"snake_case_name\""},
	{"foo_bar.baz-qux", "\"foo_bar.baz-qux\""},
	{"foo__bar", "\"foo__bar\""},
	{"foo-_bar", "\"foo-_bar\""},
	{"_foo", "_foo"},
	{"foo_", "foo_"},
	{"__init__.py", "\"__init__.py\""},
	{"1.2.3", "\"1.2.3\""},
	{"3.14", "\"3.14\""},
	{"2024-01-15", "\"2024-01-15\""},
	{"node.js", "\"node.js\""},
	{"state.db", "\"state.db\""},
	{"\"chat-send\" foo-bar", "\"chat-send\" \"foo-bar\""},
	{"foo-bar AND baz.qux NOT zip_zap", "\"foo-bar\" AND \"baz.qux\" NOT \"zip_zap\""},
	{"C++", "C"},
	{"c++11", "c  11"},
	{"a+b", "a b"},
	{"(foo OR bar)", "foo OR bar"},
	{"a AND (b OR c)", "a AND  b OR c"},
	{"a AND (b OR", "a AND  b"},
	{"foo(bar)", "foo bar"},
	{"NEAR(a b)", "NEAR a b"},
	{"NEAR/2", "NEAR/2"},
	{"{x}", "x"},
	{"a^2", "a 2"},
	{"^start", "start"},
	{"-foo", "-foo"},
	{"foo-", "foo-"},
	{"a-", "a-"},
	{"foo--bar", "foo--bar"},
	{"foo..bar", "foo..bar"},
	{"a.-b", "a.-b"},
	{".env", ".env"},
	{".net", ".net"},
	{"foo.bar.", "\"foo.bar\"."},
	{"1-", "1-"},
	{"-1", "-1"},
	{"--", "--"},
	{"and-or", "-or"},
	{"Not-a-dot", "-\"a-dot\""},
	{"not.foo", ".foo"},
	{"OR-gate x", "-gate x"},
	{"foo AND-gate", "foo \"AND-gate\""},
	{"content:foo", "content:foo"},
	{"key:value", "key:value"},
	{"TODO: fix", "TODO: fix"},
	{"foo:bar-baz", "foo:\"bar-baz\""},
	{"hermes_state.py:120", "\"hermes_state.py\":120"},
	{"http://example.com/a-b", "http://\"example.com\"/\"a-b\""},
	{"user@example.com", "user@\"example.com\""},
	{"/a/b/c", "/a/b/c"},
	{"~/.hermes/state.db", "~/.hermes/\"state.db\""},
	{"C:\\path\\x", "C:\\path\\x"},
	{"C#", "C#"},
	{"fix #123", "fix #123"},
	{"$HOME", "$HOME"},
	{"100%", "100%"},
	{"what?", "what?"},
	{"it's", "it's"},
	{"don't stop", "don't stop"},
	{"foo, bar", "foo, bar"},
	{"a=b", "a=b"},
	{"a<b", "a<b"},
	{"[x]", "[x]"},
	{"`code`", "`code`"},
	{"!bang", "!bang"},
	{"a&b", "a&b"},
	{"a|b", "a|b"},
	{"😀", "😀"},
	{"a😀b-c", "a😀\"b-c\""},
	{"大别山项目", "大别山项目"},
	{"\"大别山\"", "\"大别山\""},
	{"广西 OR 桂林", "广西 OR 桂林"},
	{"日本語-テスト", "\"日本語-テスト\""},
	{"・a-b", "・\"a-b\""},
	{"カ・メラ-x", "カ・\"メラ-x\""},
	{"é-à", "\"é-à\""},
	{"naïve.test", "\"naïve.test\""},
	{"\x00Q0\x00 \"x\"", "\"x\" \"x\""},
}

// Every query of which it is recorded what the real software made of it (the
// table above among them) finds the same messages, whatever
// is in it; where FTS5 refused the sanitized query, ours finds its words.
func TestRecordedQueriesFindWhatFTS5Finds(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	var r struct {
		Items []struct{ Input, Output string }
	}
	Recorded(t, "v11/sanitize_fts5_query", &r)
	equal, refused, other := 0, 0, map[string]int{}
	all := append(sanitised[:len(sanitised):len(sanitised)], someOf(r.Items, 12)...)
	for _, i := range all {
		for _, typing := range []bool{false, true} {
			got, err := s.Search(t.Context(), query.Parse(i.Input, typing), query.ListOptions{Scope: model.ScopeAll, Closest: true})
			if err != nil || got.IndexNote != "" {
				t.Errorf("%q: %v %s", i.Input, err, got.IndexNote)
			}
		}
		hits, _, err := s.SearchMessages(t.Context(), i.Input, SearchOptions{Limit: -1})
		if err != nil {
			t.Errorf("%q: %v", i.Input, err)
		}
		var ours []int64
		for _, h := range hits {
			ours = append(ours, h.ID)
		}
		slices.Sort(ours)
		if strings.ContainsFunc(i.Output, func(r rune) bool { return r >= 0x2e80 }) {
			continue // asked of the trigrams: TestSearchMessagesAnswersAsRecorded
		}
		var theirs []int64
		rows, err := s.db.Pool.QueryContext(t.Context(), `SELECT m.id FROM messages_fts f JOIN messages m ON m.id = f.rowid WHERE messages_fts MATCH ? ORDER BY m.id`, i.Output)
		if err == nil {
			err = db.ScanRecords(rows, func(r Record) error {
				theirs = append(theirs, db.AsInt(r[0].Value))
				return nil
			})
		}
		why := notAsSanitised[i.Input]
		switch {
		case err != nil || i.Output == "":
			refused++
		case slices.Equal(ours, theirs):
			equal++
			if why != "" {
				t.Errorf("%q finds the same: the reason %s is stale", i.Input, why)
			}
		case why == "":
			t.Errorf("%q (%s): %d found, FTS5 finds %d of %s", i.Input, query.Parse(i.Input, false), len(ours), len(theirs), i.Output)
		default:
			other[why]++
		}
	}
	t.Logf("of %d queries %d find the same, %d were refused by FTS5, deliberate differences %v", len(all), equal, refused, other)
}
