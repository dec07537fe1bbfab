package prose

import (
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"# Plan\n\nDo **this** and *that*.":                              "Plan Do this and that.",
		"- [x] one\n- [ ] two\n* three\n+ four":                          "one two three four",
		"> quoted\n> > twice":                                            "quoted twice",
		"Run:\n```bash\ngit log -3\n```\nthen":                           "Run: git log -3 then",
		"```python\nx = a**b * c\n# no heading\n```":                     "x = a**b * c # no heading",
		"| Name | Size |\n|---|--:|\n| a | **1** |":                      "Name · Size a · 1",
		"above\n\n---\n\nbelow":                                          "above below",
		"see [the docs](https://example.com/a_(b)) and ![a plan](x.png)": "see the docs and a plan",
		"call `foo(**args)` and ``a`b``":                                 "call foo(**args) and a`b",
		"2 * 3 * 4 and *ptr and **kwargs":                                "2 * 3 * 4 and *ptr and kwargs",
		"a `code that never ends":                                        "a code that never ends",
		`one\ntwo\tthree`:                                                "one two three",
		`C:\new\test`:                                                    `C:\new\test`,
		"snake_case and __init__":                                        "snake_case and __init__",
		"~~gone~~":                                                       "gone",
		"## A heading ##":                                                "A heading",
		"  many \n\n spaces\t here ":                                     "many spaces here",
		"":                                                               "",
		"**":                                                             "",
		"用 **部署** 吧":                                                     "用 部署 吧",
	} {
		if got := Line(text); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestInline(t *testing.T) {
	for text, want := range map[string]string{
		"Do the plan:  # Plan: **Add** it": "Do the plan:  Plan: Add it",
		"```python print(1) ``` fails":     "print(1) fails",
		"issue # 5":                        "issue # 5",
		" spaces stay ":                    " spaces stay ",
	} {
		if got := Inline(text); got != want {
			t.Errorf("Inline(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct{ text, hit, want string }{
		{"Some **bold heron** here", "heron", "Some bold heron here"},
		{`{"success": true, "path": "/srv/heron.txt", "content": "x"}`, "heron", "/srv/heron.txt"},
		{`{"output": "first\n**second** heron \"q\"\n", "exit_code": 0}`, "heron", "first second heron \"q\""},
		{`{"output": "a\u00e9 heron"}`, "heron", "aé heron"},
		{`{"heron": 5, "b": [1, "x"]}`, "heron", "heron: 5 b: 1 x"},
		{`[{"type": "text", "text": "a heron"}]`, "heron", "a heron"},
		{`{"output": "{\"inner\": \"a heron\", \"n\": 1}"}`, "heron", "a heron"},
		{`{"a": "one", "b": "two"}`, `one", "b": "two`, "a: one b: two"},
		{"[not JSON] a heron", "heron", "[not JSON] a heron"},
		{"{ braces } heron", "heron", "{ braces } heron"},
		{"text\n```\nx**2 heron\n```\nmore", "heron", "text x**2 heron more"},
		{"text\n```heronfile\nFROM x\n```\nmore", "heron", "text heronfile FROM x more"},
		{"text\n```heronfile\nFROM x\n```\n```sh\nls", "FROM", "text FROM x ls"},
		{"two herons:\n```sh\nls heron\n```", "herons:\n```sh\nls heron", "two herons: ls heron"},
		{"~~~ heron title=x\na\n~~~", "heron", "heron title=x a"},
	} {
		at := strings.Index(c.text, c.hit)
		if got := joined(Excerpt(c.text, at, at+len(c.hit))); got != c.want {
			t.Errorf("Excerpt(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestExcerptOfALongTextIsShort(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{strings.Repeat("word ", 50_000), strings.Repeat("word ", 50_000)},
		{strings.Repeat("a line\n", 50_000), strings.Repeat("a line\n", 50_000)},
		{`{"output": "` + strings.Repeat(`日本\n`, 50_000), strings.Repeat(`\"x`, 50_000) + `"}`},
		{strings.Repeat("日本", 50_000), strings.Repeat("日本", 50_000)},
		{"```go\n" + strings.Repeat("x := a**b\n", 5_000), strings.Repeat("x := a**b\n", 5_000) + "```"},
	} {
		got := Excerpt(c.before+" heron "+c.after, len(c.before)+1, len(c.before)+6)
		if !strings.Contains(got, "heron") || len(got) > 2*(before+after) {
			t.Errorf("%d bytes: %.80q", len(got), got)
		}
		if strings.HasPrefix(c.before, "```") && !strings.Contains(got, "a**b") {
			t.Errorf("code lost its marks: %.80q", got)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add(`{"a": "b\n"}`, 3, 5)
	f.Add("**x** `y", 0, 2)
	f.Add(`{"a\`, 2, 4)
	f.Fuzz(func(_ *testing.T, text string, from, n int) {
		if from >= 0 && n >= 0 && from <= len(text) && n <= len(text)-from {
			Excerpt(text, from, from+n)
		}
		Line(text)
		Inline(text)
	})
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"     1→package main\n     2→\n     3→import heron\n     4→func": "import heron",
		"ok  \tstore\t(cached)\n?   \theron\t[no test files]\nok":        "? heron [no test files]",
		"\x1b[31merror:\x1b[0m no heron":                                 "error: no heron",
		`{"output": "1\tpackage\n2\theron lands\n3\t"}`:                  "heron lands",
		"12 | the heron": "the heron",
		"12 herons":      "12 herons",
	} {
		at := strings.Index(text, "heron")
		if got := joined(Lines(text, at, at+len("heron"))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
