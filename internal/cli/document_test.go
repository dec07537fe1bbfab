package cli

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"hermes-sessions/internal/cli/export"
	"hermes-sessions/internal/cputime"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/document"
)

// elements is what a page may be made of, with the attributes that each may
// have beside those of any.
var elements = map[string][]string{
	"html": nil, "head": nil, "meta": {"charset", "http-equiv", "content", "name"}, "title": nil, "style": nil, "body": nil,
	"main": nil, "article": nil, "header": nil, "section": nil, "time": nil, "span": nil, "div": nil, "details": {"open"}, "summary": nil, "nav": {"aria-label"},
	"h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "p": nil, "br": nil, "hr": nil,
	"ul": nil, "ol": {"start"}, "li": nil, "blockquote": nil, "pre": nil, "code": nil, "em": nil, "strong": nil, "del": nil, "sup": nil,
	"table": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"style"}, "td": {"style"}, "a": {"href", "rel", "title"},
}

// strictly reads a page as a browser does and fails where there is anything in
// it that this program does not write, or a link leads nowhere in it. It returns the
// text that is shown.
func strictly(t *testing.T, page string) string {
	t.Helper()
	var open, targets []string
	var text strings.Builder
	ids := map[string]int{}
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		kind := z.Next()
		tok := z.Token()
		switch kind {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("never closed: %q", open)
			}
			for _, to := range targets {
				if ids[to] != 1 {
					t.Errorf("%d elements have the id %q", ids[to], to)
				}
			}
			return text.String()
		case html.CommentToken:
			t.Errorf("a comment: %q", tok.Data)
		case html.TextToken:
			if len(open) == 0 || open[len(open)-1] != "style" {
				text.WriteString(tok.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				t.Fatalf("</%s> within %q", tok.Data, open)
			}
			open = open[:len(open)-1]
		case html.StartTagToken, html.SelfClosingTagToken:
			own, known := elements[tok.Data]
			if !known {
				t.Errorf("an element %q", tok.Data)
			}
			for _, a := range tok.Attr {
				switch {
				case a.Key == "id":
					ids[a.Val]++
				case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
					targets = append(targets, a.Val[1:])
				case a.Key == "href" && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://"):
					t.Errorf("a link to %q", a.Val)
				case a.Key == "style" && !slices.Contains([]string{"text-align:left", "text-align:center", "text-align:right"}, a.Val):
					t.Errorf("a style %q", a.Val)
				case !slices.Contains(append([]string{"class", "id", "dir", "lang"}, own...), a.Key):
					t.Errorf("<%s %s=%q>", tok.Data, a.Key, a.Val)
				}
			}
			if !slices.Contains([]string{"meta", "br", "hr"}, tok.Data) {
				open = append(open, tok.Data)
			}
		}
	}
}

// hostile is what tries to get out of its place.
var hostile = []string{
	`<script>alert(1)</script>`, `</pre></div></section></main><img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`,
	"```html\n</code></pre><script>x</script>\n```", "```\" onclick=\"x\n<b>\n```", "`<script>`", `<!-- --><b>`, `<!--`, `<style>*{}</style>`,
	"<details><summary>x", "</details></details>", "<plaintext>", "<textarea>", "]]>", "<?php x ?>", "<![CDATA[x]]>",
	"[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](data:text/html;base64,x)", "[a](&#106;avascript:x)", "[a](vbscript:x)", "[a](file:///etc/passwd)",
	`[a](https://x.example/" onmouseover="x)`, `[a](<https://x.example/ "> 'y')`, "![a](https://x.example/pixel.png)", "![a](javascript:x)", "<javascript:alert(1)>",
	"<https://x.example/?a=1&b=<c>>", "https://x.example/<script>", "www.x.example", "me@x.example", "[x]: https://x.example\n\n[x]",
	"&lt;script&gt; &#60;b&#62; &#0; &#27;[31m &#x202e;", "\x00\x1b[31m\u202e\u009b\x7f\ufffe", "a\r\nb\rc", "\xff\xfe<b>",
	"| a | b |\n|:-:|--:|\n| <b> | `</td>` |", "- [x] <b>\n- [ ] y", "1) a\n   <div>\n\n# <h1>\n> <q>", "a\\<b>\\", "~~<del>~~ **<b>**",
	"a[^1]\n\n[^1]: one[^1]", "a[^<b>\"] ![b[^x]](https://x.example)\n\n[^<b>\"]: <i>\n[^x]: </div>\n\n    <script>", strings.Repeat("[^1]", 5000) + "\n\n[^1]: x",
	strings.Repeat(">", 5000) + "x", strings.Repeat("[", 5000), strings.Repeat("*a ", 5000), strings.Repeat("- ", 3000) + "x", strings.Repeat("<b>", 3000),
}

// Whatever a column of the database holds, a page runs nothing, loads nothing from
// elsewhere, and shows every letter.
func TestPageRunsAndLoadsNothing(t *testing.T) {
	for _, text := range hostile {
		for _, role := range []string{"user", "assistant", "system", "tool", "summary", text} {
			var b bytes.Buffer
			d := export.NewDocument(&b, document.Options{Form: document.HTML, Title: text, Zone: time.UTC})
			c := export.CleanConversation(model.Conversation{Session: model.Session{ID: text, Title: text, Source: text, Model: text, CWD: text, GitBranch: text}})
			m := model.Message{Role: role, Content: model.Content{Text: text, Media: []model.Attachment{{Kind: "file", Name: text, Type: text}}}, Reasoning: text, ToolName: text, DisplayKind: text, DecodeError: text}
			if role == "summary" {
				m.Content.Text = "[CONTEXT SUMMARY]:\n" + text
			}
			var err error
			took := cputime.Of(func() {
				_ = d.Begin(c)
				_ = d.Message(m)
				m.Calls = []model.ToolCall{{ID: text, Name: text, Arguments: text}}
				_ = d.Message(m)
				_ = d.Note(text)
				err = d.End()
			})
			if err != nil {
				t.Fatal(err)
			}
			if took > 2*time.Second {
				t.Errorf("%.40q took %v", text, took)
			}
			shown := strictly(t, b.String())
			if t.Failed() {
				t.Fatalf("%s said %.60q:\n%.2000s", role, text, b.String()[strings.Index(b.String(), "<body>"):])
			}
			if strings.ContainsAny(b.String(), "\x00\x1b\u009b\x7f") || role == "user" && strings.Contains(shown, "\u202e") && !strings.Contains(text, "\u202e") {
				t.Errorf("not harmless: %.200q", b.String())
			}
		}
	}
}

// What Markdown would drop is shown: tags, targets of links, images.
func TestMarkdownLosesNothingAsHTML(t *testing.T) {
	prose := export.NewHTMLRenderer()
	for src, want := range map[string]string{
		"a <b>bold</b> tag":                                "a <b>bold</b> tag",
		"<div>\nx\n</div>\n\nafter":                        "<div>\nx\n</div>\nafter",
		"[here](file:///etc/passwd)":                       "here (file:///etc/passwd)",
		"![plan](https://x.example/)":                      "[image plan]",
		"- [x] done":                                       "☑ done",
		"```go\nif x < 1 { // </code>\n```":                "if x < 1 { // </code>",
		"```diff\n-<a>\n+<b>\n```":                         "-<a>\n+<b>",
		"```<b>\nx <y>\n```":                               "x <y>",
		"```json\n{\"a\": \"<\\u003c\"}\n```":              "{\"a\": \"<\\u003c\"}",
		"so[^1] and[^b], so[^1]\n\n[^b]: *two*\n[^1]: one": "so1 andb, so1 b. two 1. one",
		"a[^1]\n\n[^1]: one\n\n    more\n[^<i>]: unused":   "a1 1. one more <i>. unused",
		"[^1]: one\n`still`\n\na[^1] [^none]":              "a1 [^none] 1. one still",
		"[^1]: twice\n[^1]: again":                         "1. twice 1: again",
		"[^a]: to[^b]\n[^b]: fro[^a]":                      "a. tob b. froa",
		"```\n[^1]: x\n```\n`[^1]` [^ab]":                  "[^1]: x [^1] [^ab]",
		"[^1]:\n    x":                                     "1. x",
		"```python\n\n\ndef f(): return '''<x>\n```":       "def f(): return '''<x>",
	} {
		out, ok := prose(src)
		if !ok {
			t.Fatalf("%q is not drawn", src)
		}
		shown := strictly(t, out)
		if got := strings.Join(strings.Fields(shown), " "); got != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%q shows %q, want %q", src, got, want)
		}
	}
	if _, ok := prose("[x]\n\n[x]: https://x.example"); ok {
		t.Error("the definition of a reference vanishes")
	}
}

// Every conversation of real files, damaged ones too, makes sound documents.
func TestDocumentsOfRealFiles(t *testing.T) {
	for _, name := range []string{"v05", "v11", "v25", "v31", "life-long", "bad/bad-json", "bad/invalid-utf8", "bad/invalid-utf8-title", "bad/nulls-everywhere", "bad/cycle", "bad/timestamps", "bad/truncated"} {
		dir := t.TempDir()
		fixtures.Unpack(t, name+".db", filepath.Join(dir, "state.db"))
		for _, format := range []string{"html", "md"} {
			code, out, errs := run(t, dir, "", "export", "-", "--format", format)
			if code != 0 && !strings.HasPrefix(name, "bad/") {
				t.Errorf("%s as %s: %d %s", name, format, code, errs)
			}
			if strings.ContainsAny(out, "\x00\x1b\u009b\u202e\x7f") || !utf8.ValidString(out) {
				t.Errorf("%s as %s is not harmless", name, format)
			}
			if format == "html" && out != "" {
				strictly(t, out)
			}
		}
	}
}

func TestAttachmentsAreNamed(t *testing.T) {
	dir := t.TempDir()
	fixtures.Unpack(t, "v25.db", filepath.Join(dir, "state.db"))
	for _, args := range [][]string{{"show", "20260306_101614_beaadca8"}, {"show", "20260306_101614_beaadca8", "--format", "md"}, {"export", "-", "--format", "html"}} {
		code, out, errs := run(t, dir, "", args...)
		out = strings.ReplaceAll(out, `\`, "")
		if code != 0 || !strings.Contains(out, "[image, PNG, 8 bytes]") || !strings.Contains(out, "[image a.png]") {
			t.Errorf("%q: %d %s\n%.2000s", args, code, errs, out)
		}
	}
}

// Every word of code keeps its letters, and gets the class of what it is.
func TestCodeInAPageHasColors(t *testing.T) {
	prose := export.NewHTMLRenderer()
	for src, want := range map[string]string{
		"```go\nfunc main() { x := \"<\" } // y\n```":   `<pre><code><span class="keyword">func </span><span class="name">main</span>() { x := <span class="string">&#34;&lt;&#34; </span>} <span class="comment">// y`,
		"```diff\n@@ -1 +1 @@\n-a\n+b\n```":             "<pre><code><span class=\"hunk\">@@ -1 +1 @@\n</span><span class=\"removed\">-a\n</span><span class=\"added\">+b\n</span></code></pre>",
		"```brainfuck\n+++\n```":                        "<pre><code>+++\n</code></pre>",
		"    indented <code>":                           "<pre><code>indented &lt;code&gt;",
		"```go\n" + strings.Repeat("x", 5000) + "\n```": "<pre><code>xxx",
	} {
		if out, ok := prose(src); !ok || !strings.Contains(out, want) {
			t.Errorf("%.40q: %v\n%.400s", src, ok, out)
		}
	}
}
