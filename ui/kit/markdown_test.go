package kit

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/cputime"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/theme"
)

// plainProse draws Markdown and returns the words without style.
func plainProse(t testing.TB, m *Markdown, src string, width int) (string, bool) {
	t.Helper()
	lines, _, ok := m.Lines(src, width, false)
	for _, l := range lines {
		if w := ansi.StringWidth(l); w > width {
			t.Errorf("a line of %d columns in %d: %q", w, width, ansi.Strip(l))
		}
	}
	return ansi.Strip(strings.Join(lines, "\n")), ok
}

func TestProseKeepsWhatATextSays(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"type parameters", "use List<String> x and Map<K, V>", []string{"List<String> x", "Map<K, V>"}},
		{"inline tags", "a <b>bold</b> word", []string{"a <b>bold</b> word"}},
		{"blocks of HTML", "before\n\n<details>\n<summary>More</summary>\nhidden *text*\n</details>\n\nafter", []string{"<details>", "<summary>More</summary>", "</details>", "after"}},
		{"comments", "x <!-- note --> y", []string{"<!-- note -->"}},
		{"HTML with blank lines inside", "<pre>\na\n\n    b <i>c</i>\n</pre>", []string{"<pre>", "b <i>c</i>", "</pre>"}},
		{"placeholders", "run `git checkout <branch>` or <branch>", []string{"git checkout <branch>", "or <branch>"}},
		{"backslashes in code", "the path `C:\\_tmp\\*.go` and `\\.`", []string{`C:\_tmp\*.go`, `\.`}},
		{"backslashes in blocks", "```\nC:\\_tmp\\.env \\\\server\n```", []string{`C:\_tmp\.env \\server`}},
		{"backslashes in colored blocks", "```python\nre.compile(r'\\.\\_x')\n```", []string{`re.compile(r'\.\_x')`}},
		{"backslashes in indented code", "    a\\.b\\_c\n", []string{`a\.b\_c`}},
		{"character references in code", "write `&lt;` for `<`", []string{"write &lt; for <"}},
		{"character references in text", "a &lt; b &amp; c", []string{"a < b & c"}},
		{"ampersands of addresses", "see ?a=1&copy=2&para=3", []string{"?a=1&copy=2&para=3"}},
		{"references to controls", "a &#27;[31m b &#x202e; c &#7; d", []string{"&#27;[31m b", "&#x202e; c"}},
		{"dunder names", "in __init__.py and __main__", []string{"__init__.py and __main__"}},
		{"reference links", "see [the docs][1].\n\n[1]: https://example.com/x", []string{"[the docs][1]", "https://example.com/x"}},
		{"links", "see [docs](https://example.com/a_b)", []string{"docs", "https://example.com/a_b"}},
		{"anchors", "see [above](#top)", []string{"above"}},
		{"images", "![a cat](cat.png)", []string{"a cat", "cat.png"}},
		{"soft breaks", "one\ntwo\nthree", []string{"one\ntwo\nthree"}},
		{"lists", "1. first\n2. second\n   - inner\n\n- [x] done\n- [ ] open", []string{"1. first", "2. second", "• inner", "[✓] done", "[ ] open"}},
		{"lists that begin later", "7. seven\n8. eight", []string{"7. seven", "8. eight"}},
		{"tables", "| a | b |\n|---|---|\n| 日本 | x \\| y |", []string{"日本", "x | y"}},
		{"cells beyond the head", "|a|b|\n|-|-|\n|one|two|three|", []string{"three"}},
		{"fences without a language", "```\nls -la\n```\n\n~~~\nx\n~~~", []string{"ls -la", "x"}},
		{"fences in lists", "- do this:\n  ```\n  make test\n  ```\n- then that", []string{"make test", "then that"}},
		{"empty fences", "a\n```\n```\nb", []string{"a", "b"}},
		{"fences that never end", "```go\nfunc main() {", []string{"func main() {"}},
		{"unknown languages", "```foolang\nx <- 1\n```", []string{"x <- 1"}},
		{"tabs", "```\n\tif x {\n\t\ty\n```", []string{"    if x {\n          y"}},
		{"strikes", "~~gone~~ here", []string{"gone", "here"}},
		{"headings", "# One\n## Two\ntext", []string{"One", "Two", "text"}},
		{"quotes", "> quoted\n> > deeper", []string{"│ quoted", "deeper"}},
		{"hard breaks", "a  \nb\\\nc", []string{"a\nb\nc"}},
		{"names with underscores", "call snake_case_name(*args, **kwargs)", []string{"snake_case_name(*args, **kwargs)"}},
		{"maths", "2 * 3 * 4 < 5 > 1", []string{"2 * 3 * 4 < 5 > 1"}},
	} {
		for _, palette := range []theme.Palette{theme.Dark, theme.Mono} {
			p := NewMarkdown(theme.New(palette, false))
			got, ok := plainProse(t, p, c.src, 72)
			if !ok {
				got = c.src // shown as it is
			}
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s: %q is drawn as\n%s\nwithout %q", c.name, c.src, got, want)
				}
			}
		}
	}
}

func TestProseIsMarkdown(t *testing.T) {
	p := NewMarkdown(theme.New(theme.Dark, false))
	for _, src := range []string{
		"A **bold** word.", "- a\n- b\n", "| a | b |\n|---|---|\n| 1 | 2 |", "```go\nfunc main() {}\n```", "# Title\n\ntext", "> quote",
		"<details>\n\nx\n\n</details>", "see [docs][1]\n\n[1]: https://example.com", "![x](y.png)",
	} {
		if _, ok := plainProse(t, p, src, 60); !ok {
			t.Errorf("%q is shown as plain text", src)
		}
	}
	if lines, _, _ := p.Lines("- "+strings.Repeat("word ", 20)+"\n\n> "+strings.Repeat("quoted ", 12), 40, false); !strings.HasPrefix(ansi.Strip(lines[1]), "  word") ||
		!strings.HasPrefix(ansi.Strip(lines[len(lines)-1]), "│ quoted") {
		t.Errorf("long lines do not hang below their first word:\n%s", ansi.Strip(strings.Join(lines, "\n")))
	}
	if lines, _, _ := p.Lines("see [web](https://example.com) [js](javascript:alert(1)) [file](file:///etc/passwd)", 70, false); true {
		out := strings.Join(lines, "\n")
		if !strings.Contains(out, "\x1b]8;") || !strings.Contains(out, ";https://example.com") || strings.Contains(out, ";javascript:") || strings.Contains(out, ";file:") {
			t.Errorf("links to the web, and only they, are for the terminal: %q", out)
		}
	}
}

// Colors may come later: they must not move a line.
// The text around a table that is too wide is Markdown all the same; the rows are lines.
func TestATableThatDoesNotFit(t *testing.T) {
	const table = "| path | change | reason |\n|:--|--|--|\n| internal/very_long_folder/file.go | **new** | a long explanation |"
	p := NewMarkdown(theme.New(theme.Dark, false))
	for _, src := range []string{"It takes **7 seconds** now.\n\n" + table, "> It takes **7 seconds** now.\n>\n> " + strings.ReplaceAll(table, "\n", "\n> "), "- It takes **7 seconds** now.\n\n  " + strings.ReplaceAll(table, "\n", "\n  ") + "\n\n" + table} {
		for width := 12; width < 80; width++ {
			got, ok := plainProse(t, p, src, width)
			if !ok || strings.Contains(got, "**") || !strings.Contains(strings.Join(strings.Fields(got), " "), "seconds") {
				t.Errorf("in %d columns, %v:\n%s", width, ok, got)
			}
		}
	}
	if got, _ := plainProse(t, p, table, 60); strings.Contains(got, "|") {
		t.Errorf("a table that fits is none:\n%s", got)
	}
}

func TestColorOfCodeMovesNothing(t *testing.T) {
	p := NewMarkdown(theme.New(theme.Dark, false))
	for _, src := range []string{
		"a\n\n```go\nfunc main() {\n\n\tx := `\n`\n}\n\n```\n\nb", "```python\n\"\"\"doc\nstring\"\"\"\n```", "```json\n{\"a\": 1}\n```\ntext",
		"```diff\n-a\n+b\n```", "- x\n  ```bash\n  ls | wc -l\n  ```\n", "```text\n" + strings.Repeat("long ", 40) + "\n```", "```yaml\na:\n  - b\n```\n```sql\nselect 1;\n```",
	} {
		quick, rough, ok1 := p.Lines(src, 60, true)
		full, _, ok2 := p.Lines(src, 60, false)
		a, b := ansi.Strip(strings.Join(quick, "\n")), ansi.Strip(strings.Join(full, "\n"))
		if !ok1 || !ok2 || !rough || a != b {
			t.Errorf("%q: without color (%v, more to come %v)\n%s\nwith color (%v)\n%s", src, ok1, rough, a, ok2, b)
		}
	}
}

// Addresses may have any letters; nothing of them may be taken for text.
func TestLinksToAddressesInAllScripts(t *testing.T) {
	p := NewMarkdown(theme.New(theme.Dark, false))
	lines, _, ok := p.Lines("See [the exercise](https://ex.org/Übung/本?“q”) and <https://ja.org/日本語>.", 100, false)
	got := strings.Join(lines, "\n")
	if !ok || !strings.Contains(got, ";https://ex.org/%C3%9Cbung/%E6%9C%AC") || !strings.Contains(got, ";https://ja.org/%E6%97%A5%E6%9C%AC%E8%AA%9E\a") {
		t.Errorf("%v %q", ok, got)
	}
	if text := ansi.Strip(got); strings.ContainsAny(text, "\a\x1b") || strings.Count(text, "bung") != 1 || !strings.HasPrefix(strings.TrimSpace(text), "See the exercise") {
		t.Errorf("%q", text)
	}
}

// No text may hold up the keys.
func TestMarkdownBombs(t *testing.T) {
	p := NewMarkdown(theme.New(theme.Dark, false))
	for name, src := range fixtures.MarkdownBombs() {
		took := cputime.Of(func() {
			for _, width := range []int{100, 20} {
				plainProse(t, p, src, width)
			}
		})
		if took > 3*time.Second { // none takes 100 ms
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestEscapeHTML(t *testing.T) {
	p := NewMarkdown(theme.New(theme.Dark, false))
	for in, want := range map[string]string{
		"no tags":                  "no tags",
		"a < b":                    "a < b",
		"<b>x</b>":                 `\<b>x\</b>`,
		"`<b>`":                    "`<b>`",
		"```\n<xml>\n```":          "```\n<xml>\n```",
		"<https://x.io>":           "<https://x.io>",
		"List<String> x":           `List\<String> x`,
		"<!-- c -->":               `\<!-- c -->`,
		"<div>\n<p a=\"<\">\n":     "\\<div>\n\\<p a=\"\\<\">\n",
		"<script>\nif (a<b)\n":     "\\<script>\nif (a\\<b)\n",
		"text\n\n<details>\n\nx\n": "text\n\n\\<details>\n\nx\n",
	} {
		if got := p.escapeHTML(in); got != want {
			t.Errorf("escapeHTML(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzProse: whatever is drawn is harmless, fits, and has every letter.
func FuzzProse(f *testing.F) {
	for _, s := range []string{
		"# a\n\n- b **c** `d`\n\n```go\nx\n```", "<b>x</b>", "|a|b|\n|-|-|\n|1|2|3|", "> a\n> - b", "[a][b]\n\n[b]: c", "&#27;[31m", "a\tb\\\nc", "[x](javascript:y \"t\")",
	} {
		f.Add(s, 40)
	}
	p := NewMarkdown(theme.New(theme.Dark, false))
	f.Fuzz(func(t *testing.T, s string, width int) {
		if width < 8 || width > 200 || len(s) > 4096 {
			return
		}
		src := Clean(s)
		lines, _, ok := p.Lines(src, width, false)
		for _, l := range lines {
			if ansi.StringWidth(l) > width {
				t.Fatalf("%q at %d: a line of %d columns: %q", src, width, ansi.StringWidth(l), l)
			}
			if strings.ContainsFunc(ansi.Strip(l), unicode.IsControl) || harmless(l) != l {
				t.Fatalf("%q at %d: %q is not harmless", src, width, l)
			}
		}
		if ok && len(lines) == 0 {
			t.Fatalf("%q at %d: nothing is drawn", src, width)
		}
	})
}
