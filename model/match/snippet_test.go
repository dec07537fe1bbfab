package match_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
)

// marked writes spans with «» around what matched.
func marked(spans []match.Span) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Hit {
			b.WriteString("«" + s.Text + "»")
		} else {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func TestMarkFollowsTheTokenizer(t *testing.T) {
	for _, c := range [][3]string{
		{"docker", "Docker DOCKER dockerfile", "«Docker» «DOCKER» dockerfile"},
		{"dock*", "Docker DOCKER dockerfile", "«Docker» «DOCKER» «dockerfile»"},
		{"cafe", "Café, CAFÉ, cafe\u0301 bar", "«Café», «CAFÉ», «cafe\u0301» bar"},
		{"straße", "STRAßE strasse", "«STRAßE» strasse"},
		{"łódź", "Łódź", "«Łódź»"},
		{`"connection refused"`, "connection\nrefused; connection is refused", "«connection\nrefused»; connection is refused"},
		{`"a a b"`, "a a a b", "a «a a b»"},
		{"chat-send", "chat_send chat send chatsend", "«chat_send» «chat send» chatsend"},
		{".env", "env .env .envrc x.env", "env «.env» .envrc x«.env»"},
		{"C#", "c C# C#x C", "c «C#» «C#»x C"},
		{"what?", "what now", "«what» now"},
		{"don't", "don’t don't dont", "«don’t» «don't» dont"},
		{"大别", "AI大别山项目 大别", "AI«大别»山项目 «大别»"},
		{`"全文 検索"`, "全文 検索 全文検索", "«全文 検索» 全文検索"},
		{"docker", "用docker部署，Docker镜像 再docker docker部dockers", "用«docker»部署，«Docker»镜像 再«docker» «docker»部dockers"},
		{"dock*", "用docker部署 docker部署", "用«docker»部署 «docker部署»"},
		{"docker -build", "用docker和build", "用«docker»和build"},
		{"ab", "用ab部署 ab部", "用«ab»部署 «ab»部"},
		{"a", "用a部署 a部", "用a部署 a部"}, // too short
		{"docker-compose", "用docker-compose部署", "用docker-compose部署"},
		{"2024", "在2024年", "在«2024»年"},
		{"สวัสดี", "คำสวัสดีครับ", "คำ«สวัสดี»ครับ"},
		{"🚀", "go 🚀🚀 go", "go «🚀🚀» go"},
		{"ПРИВЕТ", "привет мир", "«привет» мир"},
		{"ab ab* abc", "abc ab", "«abc» «ab»"},
		{"a NOT b", "a b", "«a» b"},
		{"x", "", ""},
		{"x", "\x00x\xff x", "\x00«x»\xff «x»"},
	} {
		if got := marked(match.NewMatcher(query.Parse(c[0], false).Groups).Mark(c[1])); got != c[2] {
			t.Errorf("%s in %q: %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

func TestMatchIsAndOrNot(t *testing.T) {
	for _, c := range []struct {
		query string
		texts []string
		want  bool
	}{
		{"a b", []string{"a", "b"}, true},
		{"a b", []string{"a"}, false},
		{`"a b"`, []string{"a", "b"}, false}, // a phrase does not reach into the next part
		{"a OR b", []string{"b"}, true},
		{"a NOT b", []string{"a b"}, false},
		{"a NOT b", []string{"a c"}, true},
		{"a NOT b c", []string{"a b"}, true},
		{"a NOT b c", []string{"a b c"}, false},
		{"部署 -失败", []string{"部署失败"}, false},
		{"", []string{"anything"}, true},
	} {
		if got := match.NewMatcher(query.Parse(c.query, false).Groups).Match(c.texts...); got != c.want {
			t.Errorf("%s in %q: %v", c.query, c.texts, got)
		}
	}
}

func TestSnippetShowsTheDensestPlaceOnOneLine(t *testing.T) {
	filler := strings.Repeat("lorem ipsum ", 40)
	for _, c := range []struct {
		query, text string
		width       int
		want        string
	}{
		{"needle", "a needle here", 40, "a «needle» here"},
		{"needle", "a\n\n  needle\there\n", 40, "a «needle» here"},
		{"needle", filler + "the needle is found " + filler, 40, "…the «needle» is found lorem ipsum lorem…"},
		{"needle", filler + "the needle", 30, "…lorem ipsum the «needle»"},
		{"one two", "one " + filler + "one two " + filler, 30, "…ipsum «one» «two» lorem ipsum…"},
		{`"one two"`, "x one\n two y", 30, "x «one two» y"},
		{"部署", strings.Repeat("一", 50) + "部署" + strings.Repeat("二", 50), 20, ""},
		{"needle", "the needle in 29… codes that were wrong", 19, "…«needle» in 29…"},
		{"none", "nothing at all", 9, "nothing…"},
		{"abcdefghijklmnop", "abcdefghijklmnop", 8, "«abcdefg»…"},
	} {
		got, ok := match.NewMatcher(query.Parse(c.query, false).Groups).Snippet(c.text, c.width)
		if ok != (c.query != "none") {
			t.Errorf("%s: found is %v", c.query, ok)
		}
		n := 0
		for _, s := range got {
			n += match.TextWidth(s.Text)
		}
		if n > c.width {
			t.Errorf("%s: %s has %d columns, more than %d", c.query, marked(got), n, c.width)
		}
		if c.want != "" && marked(got) != c.want {
			t.Errorf("%s: %s, want %s", c.query, marked(got), c.want)
		}
	}
}

func TestSnippetCutsBetweenCharacters(t *testing.T) {
	for _, unit := range []string{"e\u0301", "👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "한", "\u1112\u1161\u11ab"} {
		text := strings.Repeat(unit, 60) + " needle " + strings.Repeat(unit, 60)
		for width := 8; width < 40; width++ {
			got, _ := match.NewMatcher(query.Parse("needle", false).Groups).Snippet(text, width)
			for _, s := range got {
				s := strings.Trim(s.Text, "… ")
				if !utf8.ValidString(s) || s != "needle" && strings.ReplaceAll(s, unit, "") != "" {
					t.Fatalf("width %d cuts %q: %q", width, unit, s)
				}
			}
		}
	}
}

func BenchmarkMarkOneMegabyte(b *testing.B) {
	text := strings.Repeat("The query on nginx takes 64 ms, 部署脚本 Café ☀ docker-compose.yml.\n", 1<<20/72)
	for _, asked := range []string{"docker nginx caf*", "部署", "🚀 DÉPLOY"} {
		q := query.Parse(asked, false)
		b.Run(asked, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				match.NewMatcher(q.Groups).Mark(text)
			}
		})
	}
}
