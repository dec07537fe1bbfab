package transcript

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// visible counts the characters of texts that must not be lost. White space
// and ASCII punctuation are left out: Markdown and JSON are written with them.
func visible(texts ...string) map[rune]int {
	n := map[rune]int{}
	for _, text := range texts {
		for _, r := range text {
			if unicode.IsGraphic(r) && !unicode.IsSpace(r) && (r > '~' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
				n[r]++
			}
		}
	}
	return n
}

// storedTexts returns all that a message says, as it was before it was laid out.
func storedTexts(m model.Message) []string {
	c := kit.CleanMessage(m)
	texts := []string{c.Content.Text, c.Reasoning}
	if m.Role == "tool" {
		texts = append(flat(c.Content.Text), c.Reasoning)
	}
	for _, call := range c.Calls {
		texts = append(append(texts, call.Name), flat(call.Arguments)...)
	}
	for _, a := range c.Content.Media {
		texts = append(texts, a.Placeholder())
	}
	return texts
}

// flat returns the texts in JSON, and any other text as it is. Names of fields
// that describe the whole, or say only that all went well, are left out.
func flat(text string) []string {
	if t := strings.TrimSpace(text); t == "" || t[0] != '{' && t[0] != '[' || len(t) > kit.MaxJSON {
		return []string{text}
	}
	v, err := pyjson.Parse(text)
	if err != nil {
		return []string{text}
	}
	var out []string
	var walk func(v any, top bool)
	walk = func(v any, top bool) {
		switch v := v.(type) {
		case string:
			out = append(out, kit.CleanOutput(v))
		case []any:
			for _, e := range v {
				walk(e, false)
			}
		case pyjson.Object:
			for _, f := range v {
				whole := top && (strings.HasPrefix(f.Name, "old_str") || strings.HasPrefix(f.Name, "new_str") ||
					f.Value == nil || f.Value == "" || f.Name == "exit_code" && f.Value == pyjson.Int("0"))
				for _, body := range kit.Bodies {
					whole = whole || top && f.Name == body
				}
				if !whole {
					out = append(out, kit.CleanOutput(f.Name))
				}
				walk(f.Value, false)
			}
		}
	}
	walk(v, true)
	return out
}

// drawn returns all lines of a conversation with everything unfolded.
func drawn(msgs []model.Message, width int, s *theme.Styles, numbered bool) string {
	return ansi.Strip(unfolded(msgs, width, s, time.Now(), numbered))
}

// drawnWith returns messages as they are drawn, in color, on a fixed day.
func drawnWith(msgs []model.Message, width int, s *theme.Styles) string {
	day := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for i := range msgs {
		msgs[i].At = day.Add(time.Duration(i-30) * time.Minute)
	}
	return unfolded(msgs, width, s, day, false)
}

// pageShell is as much of a shell as drawing a transcript asks for.
type pageShell struct {
	shell.Shell
	env    shell.Env
	styles *theme.Styles
}

func (s *pageShell) Env() *shell.Env       { return &s.env }
func (s *pageShell) Styles() *theme.Styles { return s.styles }
func (s *pageShell) HasFooter() bool       { return true }

func unfolded(msgs []model.Message, width int, s *theme.Styles, day time.Time, numbered bool) string {
	p := &pages{index: map[int64]int{}, skeletons: make([]model.Skeleton, len(msgs)), messages: map[int]*model.Message{}}
	for i := range msgs {
		m := kit.CleanMessage(msgs[i])
		m.ID = int64(i + 1)
		p.outline.MessageIDs = append(p.outline.MessageIDs, m.ID)
		p.messages[i], p.skeletons[i] = &m, m.Skeleton()
	}
	p.outline.SegmentStarts = []int{0}
	sh := &pageShell{env: shell.Env{Clock: func() time.Time { return day }}, styles: s}
	t := &Screen{textView: textView{sh: sh, pages: p, w: width, h: 40, folds: map[int]bool{}, wholes: map[int]bool{}}, env: sh.Env()}
	t.tools, t.systems, t.reasoning, t.numbered = true, true, true, numbered
	t.cache = newRenderCache[itemKey](1 << 30)
	t.rows.Lines = func(i int) []string { return t.render(i).lines }
	t.pairTools()
	t.Restyle()
	t.rows.Len = 2 * len(msgs)
	var b strings.Builder
	for item := range 2 * len(msgs) {
		t.wholes[item] = true
		if part, ok := t.itemAt(item); ok {
			for _, l := range t.renderer.render(part).lines {
				b.WriteString(l + "\n")
			}
		}
	}
	return b.String()
}

// markup is what Markdown may be written with instead of showing it: the
// language of code, the tick of a task, characters by their names, and the
// numbers of a list, which are counted anew.
var markup = regexp.MustCompile("(?m)^[ >]*```\\w+|\\[x\\]|&\\w+;|(?m)^[ >]*(?:[-*] )?\\d+[.)]")

// missing returns the stored text that is not drawn.
func missing(stored []string, drawn string) string {
	got, out := visible(drawn), ""
	for _, text := range stored {
		for r, n := range visible(markup.FindAllString(text, -1)...) {
			got[r] += n
		}
	}
	want := visible(stored...)
	for r, n := range want {
		if got[r] < n {
			out += fmt.Sprintf("%q ×%d ", r, n-got[r])
		}
	}
	return out
}

// Nothing that a message says gets lost between the database and the screen.
// What may: marks of Markdown and JSON, the languages of code, what cleaning
// makes harmless, and a character that is wider than the window.
func TestDocumentContainsEveryWord(t *testing.T) {
	s := theme.New(theme.Mono, false)
	for name, msgs := range uitest.Kinds() {
		for _, width := range []int{120, 80, 40, 20} {
			for i, m := range msgs {
				if lost := missing(storedTexts(m), drawn(msgs, width, s, true)); lost != "" {
					t.Errorf("%s, message %d at %d: %s", name, i, width, lost)
				}
			}
		}
	}
	// ansi.Wrap breaks such lines a column late.
	listing := uitest.Result("1", "terminal", " cmd/entire/cli/agent/agent.go                      |  16 ++")
	for width := 12; width < 60; width++ {
		if lost := missing(storedTexts(listing), drawn([]model.Message{listing}, width, s, false)); lost != "" {
			t.Errorf("a listing at %d: %s", width, lost)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		m := uitest.Said([]string{"user", "assistant", "system", "tool", "developer"}[r.IntN(5)], invented(r))
		if m.Role == "assistant" && r.IntN(2) == 0 {
			m.Reasoning = invented(r)
			m.Calls = []model.ToolCall{uitest.Call("1", "tööl", `{"command": "`+strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(invented(r), `\`, `\\`), `"`, `\"`), "\n", `\n`)+`", "n": 3}`)}
		}
		width := 30 + r.IntN(90)
		if lost := missing(storedTexts(m), drawn([]model.Message{m}, width, s, false)); lost != "" {
			t.Fatalf("document %d at %d: %s of\n%q\nas\n%s", n, width, lost, storedTexts(m), drawn([]model.Message{m}, width, s, false))
		}
	}
}

// invented writes Markdown of all kinds, broken ones too.
func invented(r *rand.Rand) string {
	words := strings.Fields("Brot ofen 日本語 naïve <b>fett</b> List<T> __init__ snake_case *betont* **stark** `code<x>` [Verweis](https://ex.org/a_b) ![Bild](x.png) a\\_b &amp; &lt;tag&gt; ~~weg~~ 12:30 C:\\tmp 👩‍🍳 é́ \u200b http://a.b/c?d=1&e=2 ©️ ½ <br> </details> [x] 🇩🇪")
	some := func() string {
		var out []string
		for range 1 + r.IntN(14) {
			out = append(out, words[r.IntN(len(words))])
		}
		return strings.Join(out, " ")
	}
	var b strings.Builder
	for range 1 + r.IntN(7) {
		switch r.IntN(9) {
		case 0:
			b.WriteString(strings.Repeat("#", 1+r.IntN(6)) + " " + some() + "\n")
		case 1:
			for range 1 + r.IntN(4) {
				b.WriteString(strings.Repeat("  ", r.IntN(3)) + []string{"- ", "1. ", "* ", "- [ ] ", "7) "}[r.IntN(5)] + some() + "\n")
			}
		case 2:
			b.WriteString("```" + []string{"", "go", "python", "text"}[r.IntN(4)] + "\n" + some() + "\n\t" + some() + "\n" + []string{"```\n", ""}[r.IntN(5)/4])
		case 3:
			b.WriteString("> " + some() + "\n> " + some() + "\n")
		case 4:
			b.WriteString("| a | b |\n|---|---|\n| " + some() + " | " + some() + " |\n")
		case 5:
			b.WriteString("<details>\n" + some() + "\n</details>\n")
		case 6:
			b.WriteString("    " + some() + "\n")
		default:
			b.WriteString(some() + "\n")
		}
		if r.IntN(2) == 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}
