package document

import (
	"strings"
	"testing"

	"hermes-sessions/model"
)

// A page begins with a list of what was asked, which leads to the messages.
func TestPageListsPrompts(t *testing.T) {
	asked := func(id int64, text string, more ...func(*model.Message)) model.Message {
		m := model.Message{ID: id, Role: "user", Content: model.Content{Text: text}}
		for _, f := range more {
			f(&m)
		}
		return m
	}
	messages := []model.Message{
		asked(1, "# Why <b>?\n\nBecause"),
		{ID: 2, Role: "assistant", Content: model.Content{Text: "So."}},
		asked(3, "", func(m *model.Message) { m.Content.Media = []model.Attachment{{Kind: "image", Type: "image/png"}} }),
		asked(4, "<memory-context>likes tea</memory-context>\nthis", func(m *model.Message) { m.Content.Media = []model.Attachment{{Kind: "image"}} }),
		asked(5, "[switched]", func(m *model.Message) { m.DisplayKind = "model_switch" }),
		asked(6, strings.Repeat("é ", 400)),
	}
	got := write(t, Options{Form: HTML}, model.Conversation{}, messages)
	_, list, ok := strings.Cut(got, `<nav aria-label="Prompts of conversation 1">`)
	list, _, _ = strings.Cut(list, "</nav>")
	want := `
<details open>
<summary>4 prompts</summary>
<ol lang="">
<li><a href="#m1" dir="auto">Why &lt;b&gt;? Because</a></li>
<li><a href="#m3" dir="auto">[image, PNG]</a></li>
<li><a href="#m4" dir="auto">this</a></li>
<li><a href="#m6" dir="auto">` + strings.TrimSpace(strings.Repeat("é ", 50)) + `…</a></li>
</ol>
</details>
`
	if !ok || list != want {
		t.Errorf("%s\nwant\n%s", list, want)
	}
	if one := write(t, Options{Form: HTML}, model.Conversation{}, messages[:2]); strings.Contains(one, "<nav") {
		t.Error("a list of one prompt")
	}
}

// The summary of a compression is Markdown; reasoning is not.
func TestPageFormatsSummaries(t *testing.T) {
	o := Options{Form: HTML, Reasoning: true, Tools: true, Prose: func(s string) (string, bool) { return "<b>" + s + "</b>", true }}
	got := write(t, o, model.Conversation{}, []model.Message{
		{ID: 1, Role: "user", Content: model.Content{Text: "[CONTEXT SUMMARY]:\n**Goal:** tea"}},
		{ID: 2, Role: "assistant", Content: model.Content{Text: "Tea."}, Reasoning: "**tea**"},
	})
	for _, want := range []string{"<summary>summary (2 lines)</summary>\n<div class=\"prose\" dir=\"auto\">\n<b>[CONTEXT", "<summary>reasoning (1 line)</summary>\n<div class=\"plain\" dir=\"auto\">**tea**"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got[strings.Index(got, "<article>"):])
		}
	}
}

// A table that is wider than the page scrolls by itself, and its words are not broken; on paper
// it fits.
func TestWideTablesKeepTheirWords(t *testing.T) {
	screen, print, _ := strings.Cut(style, "@media print")
	for _, want := range []string{"overflow-x: auto", "overflow-wrap: normal", "max-width: 100%"} {
		if _, rule, _ := strings.Cut(screen, ".prose table {"); !strings.Contains(rule[:strings.Index(rule, "}")], want) {
			t.Errorf("tables have no %s", want)
		}
	}
	if !strings.Contains(print, ".prose table { display: table; width: auto; overflow-wrap: anywhere }") {
		t.Error("tables do not fit on paper")
	}
}

func TestPageShowsDiffs(t *testing.T) {
	o := Options{
		Form:      HTML,
		Arguments: func(s string) (string, Change) { return "path: x", Change{Diff: s, Signs: true} },
		Result:    func(s string) (body, rest string) { return s, "success: true" },
	}
	got := write(t, o, model.Conversation{}, []model.Message{
		{ID: 1, Role: "assistant", Calls: []model.ToolCall{{ID: "1", Name: "patch", Arguments: "-<a>\n+++ b"}}},
		{ID: 2, Role: "tool", ToolCallID: "1", Content: model.Content{Text: "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- <a>\n b"}},
	})
	for _, want := range []string{
		"<pre class=\"call\">path: x</pre>",
		"<pre class=\"call diff\"><span class=\"removed\">-&lt;a&gt;\n</span><span class=\"added\">+++ b</span></pre>",
		"<span class=\"file\">+++ b/x\n</span><span class=\"hunk\">@@ -1,2 +1 @@\n</span><span class=\"removed\">--- &lt;a&gt;\n</span> b</pre>",
		"<pre class=\"result rest\">success: true</pre>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got[strings.Index(got, "<article>"):])
		}
	}
}

// The style sheet loads nothing and has a style for every class of code and diffs.
func TestStyleSheetIsSelfContained(t *testing.T) {
	for _, word := range []string{"url(", "@import", "<", "http:", "https:", "expression("} {
		if strings.Contains(style, word) {
			t.Errorf("the style sheet has %q", word)
		}
	}
	if strings.Count(style, "{") != strings.Count(style, "}") {
		t.Error("a bracket is not closed")
	}
	for _, class := range []string{"file", "hunk", "added", "removed", "keyword", "type", "name", "string", "number", "comment"} {
		if !strings.Contains(style, "."+class) {
			t.Errorf("no style for %s", class)
		}
	}
}
