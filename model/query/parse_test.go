package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
)

// Everything of the table in store/sanitizer_test.go (store/README.md#query-sanitizer), and what each input
// The right column is Query.String.
func TestParseQueryUnderstandsWhatPeopleType(t *testing.T) {
	for _, c := range [][2]string{
		{"docker deployment", "docker deployment"},
		{"  padded  ", "padded"},
		{"foo  bar", "foo bar"},
		{"\tfoo\nbar", "foo bar"},
		{`"exact phrase"`, `"exact phrase"`},
		{`"unbalanced`, "unbalanced"},
		{`a "b c`, `a "b c"`},
		{`"a" "b`, "a b"},
		{`"foo"bar"baz"`, "foo bar baz"},
		{`foo"bar"baz`, "foo bar baz"},
		{`a""b`, "a b"},
		{`""`, ""},
		{`"" foo`, "foo"},
		{`" "`, ""},
		{`"`, ""},
		{"docker OR kubernetes", "docker OR kubernetes"},
		{"python NOT java", "python -java"},
		{"hello AND", "hello"},
		{"hello and", "hello and"}, // store/README.md#q23: lower case is a word
		{"OR world", "world"},
		{"NOT foo", "foo"},
		{`NOT "a b"`, `"a b"`},
		{`"a" AND`, "a"},
		{`AND "a"`, "a"},
		{"and", "and"},
		{"AND", `"AND"`},
		{"and or not", "and or not"},
		{"foo AND OR bar", "foo OR bar"},
		{"OR AND foo", "foo"},
		{"foo OR AND", "foo"},
		{"foo AND NOT bar", "foo -bar"},
		{"NOT NOT foo", "foo"},
		{"foo\nAND", "foo"},
		{"and\tfoo", "and foo"},
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
		{`"a b"*`, `"a b"*`},
		{"x_y*", "x_y*"},
		{"my-app*", "my-app*"},
		{"chat-send", "chat-send"},
		{"P2.2", "P2.2"},
		{"my-app.config.ts", "my-app.config.ts"},
		{"foo__bar", "foo__bar"},
		{"foo-_bar", "foo-_bar"},
		{"_foo", "foo"},
		{"foo_", "foo"},
		{"__init__.py", "init__.py"},
		{"3.14", "3.14"},
		{"2024-01-15", "2024-01-15"},
		{`"chat-send" foo-bar`, "chat-send foo-bar"},
		{"foo-bar AND baz.qux NOT zip_zap", "foo-bar baz.qux -zip_zap"},
		{"C++", "C++"},
		{"c++11", "c++11"},
		{"a+b", "a+b"},
		{"(foo OR bar)", "foo OR bar"},
		{"a AND (b OR c)", "a b OR c"},
		{"a AND (b OR", "a b"},
		{"foo(bar)", "foo(bar"},
		{"NEAR(a b)", "NEAR(a b"},
		{"NEAR/2", "NEAR/2"},
		{"{x}", "x"},
		{"a^2", "a^2"},
		{"^start", "start"},
		{"-foo", "-foo"},
		{"foo-", "foo-"},
		{"a-", "a-"},
		{"foo--bar", "foo--bar"},
		{"foo..bar", "foo..bar"},
		{"a.-b", "a.-b"},
		{".env", ".env"},
		{".net", ".net"},
		{"foo.bar.", "foo.bar"},
		{"1-", "1-"},
		{"-1", `"-1"`},
		{"--", `"--"`},
		{"and-or", "and-or"},
		{"Not-a-dot", "Not-a-dot"},
		{"not.foo", "not.foo"},
		{"OR-gate x", "OR-gate x"},
		{"foo AND-gate", "foo AND-gate"},
		{"content:foo", "content:foo"},
		{"key:value", "key:value"},
		{"TODO: fix", "TODO fix"},
		{"foo:bar-baz", "foo:bar-baz"},
		{"hermes_state.py:120", "hermes_state.py:120"},
		{"http://example.com/a-b", "http://example.com/a-b"},
		{"user@example.com", "user@example.com"},
		{"/a/b/c", "/a/b/c"},
		{"~/.hermes/state.db", "~/.hermes/state.db"},
		{`C:\path\x`, `C:\path\x`},
		{"C#", "C#"},
		{"fix #123", "fix #123"},
		{"$HOME", "$HOME"},
		{"100%", "100%"},
		{"what?", "what"},
		{"it's", "it's"},
		{"don't stop", "don't stop"},
		{"foo, bar", "foo bar"},
		{"a=b", "a=b"},
		{"a<b", "a<b"},
		{"[x]", "x"},
		{"`code`", "code"},
		{"!bang", "bang"},
		{"a&b", "a&b"},
		{"a|b", "a|b"},
		{"😀", "😀"},
		{"a😀b-c", "a😀b-c"},
		{"大别山项目", "大别山项目"},
		{`"大别山"`, "大别山"},
		{"广西 OR 桂林", "广西 OR 桂林"},
		{"日本語-テスト", "日本語-テスト"},
		{"・a-b", "a-b"},
		{"カ・メラ-x", "カ・メラ-x"},
		{"é-à", "é-à"},
		{"naïve.test", "naïve.test"},
		{"\x00Q0\x00 \"x\"", "Q0 x"}, // store/README.md#q24
		// Beyond the table.
		{"what is wrong?", "what is wrong"},
		{"a -bcd c", "a c -bcd"},
		{"a -b c", `a "-b" c`},
		{`a -"b c"`, `a -"b c"`},
		{"a NOT b c", `a -"b" OR a -"c"`}, // FTS5: NOT (b AND c)
		{"a OR b c", "a OR b c"},
		{"a AND b OR c", "a b OR c"},
		{"a OR -bcd", "a"},
		{"-rf", `-"rf"`},
		{"pnpm -r publish", `pnpm "-r" publish`},
		{"git commit -m", `git commit "-m"`},
		{"-ldflags '-s -w'", `"-ldflags" "-s" "-w"`},
		{"git branch -f main", `git branch "-f" main`},
		{"docker run -it --rm", `docker run "-it" --rm`},
		{"kill -9 1234", `kill "-9" 1234`},
		{"find . -type file -name go.mod", `find "-type" file "-name" go.mod`},
		{"go test -race ./store", `go test "-race" ./store`},
		{"ps -aux | grep hermes", `ps "-aux" grep hermes`},
		{"java -jar $HOME/x.jar", `java "-jar" $HOME/x.jar`},
		{"tar -xzf x", `tar "-xzf" x`},
		{"netstat -tulpn", `netstat "-tulpn"`},
		{"go test -race ./...", `go test "-race"`},
		{"terraform plan -var-file=prod.tfvars", `terraform plan "-var-file=prod.tfvars"`},
		{"java -jar x", `java "-jar" x`},
		{"java -Xmx2g -jar", `java "-Xmx2g" "-jar"`},
		{"gcc -Wall", `gcc "-Wall"`},
		{"g++ -Wno-unused-variable main.cc", `g++ "-Wno-unused-variable" main.cc`},
		{"go test -race", `go test "-race"`},
		{"find -iname readme", `find "-iname" readme`},
		{"java -spring", "java -spring"},
		{"go -rust test", "go test -rust"},
		{"horse -race", "horse -race"},
		{"extract tar -macos", "extract tar -macos"},
		{`"tar" -macos`, "tar -macos"},
		{"/etc/hosts -nginx", "/etc/hosts -nginx"},
		{"a/b -nginx docker", "a/b docker -nginx"},
		{"-nginx /etc/hosts docker", "/etc/hosts docker -nginx"},
		{"docker -go -kubernetes", `docker -"go" -kubernetes`}, // a longer word is excluded, so this is no command
		{"docker -c -kubernetes", `docker "-c" "-kubernetes"`},
		{`docker -"c"`, `docker -"c"`},
		{`docker -"c" -go`, `docker "-go" -"c"`},
		{"docker NOT c", `docker -"c"`},
		{"docker NOT -c", `docker -"-c"`},
		{"docker -c++", "docker -c++"},
		{"docker -山", "docker -山"},
		{"docker -部署", "docker -部署"},
		{"-r", `-"r"`}, // no command, so a list
		{"-docker -podman", "-docker -podman"},
		{"-docker OR -podman", "-docker -podman"},
		{"-docker …", "-docker"},
		{`-"docker compose" -kube*`, `-"docker compose" -kube*`},
		{`-"go"`, `-"go"`},
		{"-docker source:cli", "source:cli -docker"},
		{"rm --force", "rm --force"},
		{"a - b", "a b"},
		{"-", `"-"`},
		{"a | b", "a b"},
		{"OR OR", `"OR"`},
		{"docker OR OR build", "docker OR build"},
		{"doc\x00ker", "doc ker"},
		{"foo\xff\xfebar", "foo bar"},
		{"\u200bdocker\u200b \u202efoo", "docker foo"},
		{"大*", "大"},
		{"山%", "山%"},
		{"大别山项目。", "大别山项目"}, // store/README.md#q6
		{"C#, .NET!", "C# .NET"},
		{`"docker?"`, `"docker?"`},
		{"'; DROP TABLE messages; --", "DROP TABLE messages"},
	} {
		q := Parse(c[0], false)
		if got := q.String(); got != c[1] {
			t.Errorf("%q understood as %q, want %q", c[0], got, c[1])
		}
		if q.Text != c[0] {
			t.Errorf("%q: Text is %q", c[0], q.Text)
		}
	}
}

func TestParseQueryWhileTyping(t *testing.T) {
	for _, c := range [][2]string{
		{"d", "d*"},
		{"docker bui", "docker bui*"},
		{"docker ", "docker"},
		{`"docker bui`, `"docker bui"*`},
		{`"docker build"`, `"docker build"`},
		{"docker -", "docker"},
		{"docker -b", `docker "-b"*`},
		{"docker -bu", `docker "-bu"*`},
		{"docker -bui", "docker -bui"},
		{"-d", `-"d"`},
		{"-do", `-"do"`},
		{"-docker", "-docker"},
		{"gcc -Wal", `gcc "-Wal"*`},
		{"gcc -Wal ", "gcc -Wal"},
		{"docker O", "docker"},
		{"docker OR", "docker*"},
		{"docker OR ", "docker*"},
		{"docker OR p", "docker* OR p*"},
		{"docker OR p ", "docker OR p"},
		{"\"docker\" OR p", "docker OR p*"},
		{"a docker OR p", "a docker* OR p*"},
		{"O", "O*"},
		{"docker AND O", "docker O*"},
		{"docker o", "docker o*"},
		{"docker NOT", "docker"},
		{`docker "`, "docker"},
		{"-", ""},
		{"*", ""},
		{`"`, ""},
		{"大", "大"},
		{"C#", "C#"},
		{".env", ".env*"},
		{"OR", `"OR"*`},
	} {
		if got := Parse(c[0], true).String(); got != c[1] {
			t.Errorf("typing %q understood as %q, want %q", c[0], got, c[1])
		}
	}
}

// While OR and a second word are typed, no row that the first finds is lost.
func TestEveryKeyOfOrKeepsWhatIsFound(t *testing.T) {
	texts := []string{"docker", "docker build", "dockerfile build", "Oracle docker", "podman", "docker podman", "build"}
	found := func(q Query) (n []string) {
		m := match.NewMatcher(q.Groups)
		for _, text := range texts {
			if m.Match(text) {
				n = append(n, text)
			}
		}
		return n
	}
	for _, first := range []string{"docker", "build docker", `"docker build"`, "docke"} {
		typed := first + " OR podman build"
		for end := len(first) + 1; end <= len(typed); end++ {
			before := Parse(typed[:len(first)+1], true)
			if typed[end-1] != ' ' && end > len(first)+2 { // the word before OR goes on again
				before = Parse(first, true)
			}
			now := found(Parse(typed[:end], true))
			for _, text := range found(before) {
				if !slices.Contains(now, text) {
					t.Errorf("%q finds %q, and not %q", typed[:end], now, text)
				}
			}
		}
	}
}

func sameGroups(a, b []match.Group) bool {
	return slices.EqualFunc(a, b, func(a, b match.Group) bool { return slices.Equal(a.All, b.All) && slices.Equal(a.Not, b.Not) })
}

func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{
		"", "a b", `"a b" -c OR d*`, "a NOT b c AND d", ".env C# -", "大别山 😀", "\x00\"", "- -a -\"b", "NOT NOT", `-"-"`, "-*", `"*"*`,
		"source:cli -title:\"a b\"* kafka", "after:2026-0 is:pin has:tool*", "NOT source:x OR msgs:>1k", `cost:1..  -cwd:"~/x y`, "id:\xff\u200b:", "-is:",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, typing bool) {
		q := Parse(text, typing)
		printed := 0
		for _, g := range q.Groups {
			printed += len(g.All) + len(g.Not)
			if len(g.All) == 0 {
				t.Fatalf("%q: a group that only excludes", text)
			}
			for _, term := range append(slices.Clone(g.All), g.Not...) {
				if strings.TrimSpace(term.Text) == "" {
					t.Fatalf("%q: an empty term", text)
				}
			}
		}
		p := Parse(q.String(), false)
		if len(q.String()) <= maxBytes && printed <= maxTerms && (!sameGroups(p.Groups, q.Groups) || !slices.Equal(p.Filters, q.Filters)) {
			t.Fatalf("%q: %q is read back as %q", text, q.String(), p.String())
		}
		end := 0
		for _, p := range q.Tokens {
			if p.Start < end || p.End <= p.Start || p.End > len(text) || (p.Kind == TokenFilter || p.Kind == TokenIncomplete) && (p.ValueStart <= p.Start || p.ValueStart > p.End) {
				t.Fatalf("%q: a token in an impossible place: %+v", text, p)
			}
			end = p.End
		}
		for _, f := range q.Filters {
			if f.Describe(time.Unix(1.7e9, 0)) == "" {
				t.Fatalf("%q: %+v means nothing", text, f)
			}
		}
		c := model.Conversation{Session: model.Session{Source: text, Title: text, CWD: text, GitBranch: text}}
		Predicate(q.Filters, time.Unix(1.7e9, 0), func(Filter) bool { return false }, nil)(&c)
		var b strings.Builder
		for _, s := range match.NewMatcher(q.Groups).Mark(text) {
			b.WriteString(s.Text)
		}
		if b.String() != text {
			t.Fatalf("%q: marking changed the text to %q", text, b.String())
		}
		match.NewMatcher(q.Groups).Snippet(text, 20)
	})
}

// Of a long text what stands out is searched for, at its beginning and at its end.
func TestOfALongTextBothEndsAreSearched(t *testing.T) {
	t.Parallel()
	many := make([]string, 500)
	for i := range many {
		many[i] = fmt.Sprintf("word%d", i)
	}
	for name, text := range map[string]string{
		"many words": "alpha beta " + strings.Join(many[:60], " ") + " omega psi",
		"many bytes": "alpha beta " + strings.Join(many, " ") + " omega psi",
		"a quote":    `alpha beta "` + strings.Join(many, " ") + `" omega psi`,
		"the same":   "alpha beta " + strings.Repeat("INFO started ", 500) + " omega psi",
		"CJK":        "alpha beta " + strings.Repeat("部署", 3000) + " omega psi",
	} {
		q := Parse(text, false)
		var terms []string
		for _, term := range q.Terms() {
			terms = append(terms, term.Text)
		}
		if len(terms) > maxTerms {
			t.Errorf("%s: %d terms", name, len(terms))
		}
		for _, want := range []string{"alpha", "beta", "omega", "psi"} {
			if !strings.Contains(strings.Join(terms, " "), want) {
				t.Errorf("%s: %q is not searched for; these are: %q", name, want, terms)
			}
		}
		for _, token := range q.Tokens {
			if s := text[token.Start:token.End]; token.Kind == TokenWord && strings.TrimSpace(s) != s {
				t.Errorf("%s: a token is %q", name, s)
			}
		}
	}
}

// A paste is found by the lines that stand out, wherever they stand in it.
func TestOfAPastedLogTheLinesThatStandOutAreSearched(t *testing.T) {
	t.Parallel()
	var noise []string
	for i := range 400 {
		noise = append(noise, []string{
			fmt.Sprintf("2026-03-04T05:%02d:%02dZ INFO worker[%d]: finished batch id=%08x", i%60, i*7%60, i*31, i*2654435761%(1<<32)),
			fmt.Sprintf("\tat com.example.queue.Worker.handle(Worker.java:%d)", i),
			fmt.Sprintf("npm warn deprecated inflight@1.0.%d: no longer supported", i),
		}[i%3])
	}
	telling := "panic: cannot decode glacier manifest\nwhile restoring tenant marmalade\ncaused by truncated archive"
	for _, around := range [][2]int{{0, 400}, {400, 0}, {200, 200}, {10, 10}, {40, 40}} {
		text := strings.Join(noise[:around[0]], "\n") + "\n" + telling + "\n" + strings.Join(noise[400-around[1]:], "\n")
		var terms []string
		for _, term := range Parse(text, false).Terms() {
			terms = append(terms, term.Text)
		}
		for _, want := range []string{"glacier", "manifest", "marmalade", "truncated", "archive"} {
			if !slices.Contains(terms, want) {
				t.Errorf("%d lines before and %d behind: %q is not searched for; these are: %q", around[0], around[1], want, terms)
			}
		}
		if slices.Contains(terms, "deprecated") || slices.Contains(terms, "worker") {
			t.Errorf("%d lines before and %d behind: noise is searched for: %q", around[0], around[1], terms)
		}
		if s := Condense(text, 1000); len(s) > 1000 || !strings.Contains(s, telling[:20]) {
			t.Errorf("%d lines before and %d behind: condensed to %q", around[0], around[1], s)
		}
	}
}

// What is in quotes is searched for as it is, however many words it has.
func TestALongPhraseStaysWhole(t *testing.T) {
	t.Parallel()
	phrase := strings.TrimSpace(strings.Repeat("one two three four five ", 20))
	if got := Parse(`"`+phrase+`"`, false).Terms(); len(got) != 1 || got[0].Text != phrase {
		t.Errorf("searched for: %+v", got)
	}
}

// A pasted URL is text; a path with one slash is the value of a filter.
func TestAFileURLIsNoFilter(t *testing.T) {
	for _, typing := range []bool{false, true} {
		q := Parse("at file:///src/a.go#1-9 file:/etc/hosts", typing)
		if len(q.Filters) != 1 || q.Filters[0].Value != "/etc/hosts" {
			t.Errorf("filters %v", q.Filters)
		}
		if all := q.Groups[0].All; len(all) != 2 || all[1].Text != "file:///src/a.go#1-9" {
			t.Errorf("terms %v", all)
		}
	}
}
