package document

import (
	"cmp"
	_ "embed"
	"html"
	"strconv"
	"strings"
	"unicode"

	"hermes-sessions/model"
	"hermes-sessions/model/prose"
)

//go:embed page.css
var style string

// page is the layout of the HTML form, one self-contained file. Its content security
// policy forbids scripts and external resources, in case an escape is ever missed.
//
// The language is known only of the page's own words: an empty lang says that it is not of
// the rest. The list of prompts of a conversation is written after its messages, because they are
// written as they come; the style sheet shows it before them.
type page struct {
	*sink
	render        func(string) (string, bool)
	conversations int // begun so far
	prompts       []prompt
	promptPending bool // the last prompt has no text yet
}

// prompt is an entry in the list of prompts.
type prompt struct {
	anchor string
	text   string // its first words
}

// promptText is how many characters the list shows of a prompt.
const promptText = 100

func (p *page) begin(title string) {
	p.put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`, "\n",
		`<meta name="viewport" content="width=device-width, initial-scale=1">`, "\n",
		`<meta name="referrer" content="no-referrer">`, "\n",
		`<meta name="color-scheme" content="light dark">`, "\n",
		"<title>", quoted(title), "</title>\n<style>\n", style, "</style>\n</head>\n<body>\n<main>\n")
}

func (p *page) heading(title string, facts []string, _ bool) {
	p.conversations++
	p.prompts = nil
	p.put("<article>\n<header>\n<h1 dir=\"auto\" lang=\"\">", quoted(title), "</h1>\n<p>")
	for i, f := range facts {
		if i > 0 {
			p.put(" · ")
		}
		p.put("<span>", quoted(f), "</span>")
	}
	p.put("</p>\n</header>\n<div class=\"talk\" lang=\"\">\n")
}

// anchor is the id of an entry in the page. A message may be in several conversations.
func (p *page) anchor(id int64) string {
	a := "m" + strconv.FormatInt(id, 10)
	if p.conversations > 1 {
		a = "c" + strconv.Itoa(p.conversations) + "-" + a
	}
	return a
}

// setPromptText gives the last prompt its text, if it has none yet.
func (p *page) setPromptText(s string) {
	if !p.promptPending {
		return
	}
	s = model.Opening(s)
	text := prose.Line(strings.ToValidUTF8(s[:min(len(s), 8*promptText)], ""))
	if r := []rune(text); len(r) > promptText {
		text = strings.TrimSpace(string(r[:promptText])) + "…"
	}
	if text != "" {
		p.prompts[len(p.prompts)-1].text, p.promptPending = text, false
	}
}

func (p *page) segmentBreak(note string) { p.put(`<p class="seam">`, quoted(note), "</p>\n") }

func (p *page) author(e entry) {
	class := "other"
	switch e.who {
	case model.AuthorUser:
		class = "user"
	case model.AuthorAgent:
		class = "agent"
	case model.AuthorSystem:
		class = "system"
	}
	anchor := p.anchor(e.id)
	if e.who == model.AuthorUser && !e.event {
		p.prompts, p.promptPending = append(p.prompts, prompt{anchor, ""}), true
	}
	p.put(`<section class="`, class, `" id="`, anchor, "\">\n<h2>", quoted(e.name))
	if e.at != "" {
		p.put(` <a href="#`, anchor, `"><time>`, quoted(e.at), "</time></a>")
	}
	p.put("</h2>\n")
}

func (p *page) prose(s string) {
	p.setPromptText(s)
	p.formatted(s)
}

// formatted writes Markdown as HTML, or as it is where it cannot be rendered.
func (p *page) formatted(s string) {
	if p.render != nil {
		if out, ok := p.render(s); ok {
			p.put(`<div class="prose" dir="auto">`, "\n", out, "</div>\n")
			return
		}
	}
	for _, b := range Blocks(s) {
		if b.Code {
			p.put("<pre><code>")
			p.quote(b.Text)
			p.put("</code></pre>\n")
		} else {
			p.plain(strings.Trim(b.Text, "\n"))
		}
	}
}

func (p *page) plain(s string) {
	p.put(`<div class="plain" dir="auto">`)
	p.quote(s)
	p.put("</div>\n")
}

func (p *page) note(s string) {
	if p.promptPending { // an attachment, unless words follow
		p.prompts[len(p.prompts)-1].text = s
	}
	p.put(`<p class="aside">`, quoted(s), "</p>\n")
}

func (p *page) collapsible(name, body string) {
	lines := strings.Count(strings.TrimSpace(body), "\n") + 1
	p.put("<details>\n<summary>", quoted(name), " (", model.Quantity(lines, "line"), ")</summary>\n")
	if name == "summary" { // of compression, which writes Markdown
		p.formatted(body)
	} else {
		p.plain(body)
	}
	p.put("</details>\n")
}

func (p *page) toolRun(run toolRun, steps []step) {
	p.put("<details class=\"work\">\n<summary>")
	for i, part := range model.RunParts(run.groups, run.orphans) {
		if i > 0 {
			p.put(" · ")
		}
		if p.put("<strong>", quoted(part.Tool), "</strong>"); part.Object != "" {
			p.put(" ", quoted(part.Object))
		}
	}
	if run.failed > 0 {
		p.put(` · <em>`, quoted(run.failures()), "</em>")
	}
	p.put("</summary>\n")
	for _, s := range steps {
		if s.reasoning {
			p.collapsible(s.name, s.args)
			continue
		}
		class := "step"
		if s.failed {
			class = "step failed"
		}
		p.put(`<div class="`, class, "\">\n<h3>", quoted(s.label()), "</h3>\n")
		if s.args != "" {
			p.pre("call", s.args)
		}
		if s.change.Diff != "" {
			p.diff("call", s.change.Diff, s.change.Signs)
		}
		for _, n := range s.notes {
			p.note(n)
		}
		if IsDiff(s.result) {
			p.diff("result", s.result, false)
		} else if s.result != "" {
			p.pre("result", s.result)
		}
		if s.rest != "" {
			p.pre("result rest", s.rest)
		}
		p.put("</div>\n")
	}
	p.put("</details>\n")
}

func (p *page) pre(class, text string) {
	p.put(`<pre class="`, class, `">`, newline(text))
	p.quote(text)
	p.put("</pre>\n")
}

// diff writes a diff. Each changed line is an element of its own, so that the style sheet can
// give it a background.
func (p *page) diff(class, text string, signs bool) {
	p.put(`<pre class="`, class, ` diff">`, newline(text), DiffHTML(text, signs), "</pre>\n")
}

// DiffHTML writes the lines of a diff as elements with a class for what they are: file,
// note, hunk, added or removed. signs says that the diff has no headers.
func DiffHTML(text string, signs bool) string {
	classes := [...]string{DiffFile: "file", DiffHeader: "note", DiffHunk: "hunk", DiffAdded: "added", DiffRemoved: "removed"}
	var b strings.Builder
	d := DiffReader{Signs: signs}
	for l := range strings.Lines(text) {
		class := classes[d.Part(strings.TrimSuffix(l, "\n"))]
		if class == "" {
			b.WriteString(quoted(l))
			continue
		}
		b.WriteString(`<span class="` + class + `">` + quoted(l) + "</span>")
	}
	return b.String()
}

func (p *page) endEntry() {
	p.promptPending = false
	p.put("</section>\n")
}

func (p *page) endConversation() {
	p.put("</div>\n")
	if len(p.prompts) > 1 {
		p.put("<nav aria-label=\"Prompts of conversation ", strconv.Itoa(p.conversations), "\">\n<details open>\n<summary>",
			model.Quantity(len(p.prompts), "prompt"), "</summary>\n<ol lang=\"\">\n")
		for _, e := range p.prompts {
			e.text = cmp.Or(e.text, "(no text)")
			p.put(`<li><a href="#`, e.anchor, `" dir="auto">`, quoted(e.text), "</a></li>\n")
		}
		p.put("</ol>\n</details>\n</nav>\n")
	}
	p.put("</article>\n")
}

func (p *page) end() { p.put("</main>\n</body>\n</html>\n") }

// newline returns a second line break for text that begins with one: browsers drop the
// first line break of a pre element.
func newline(s string) string {
	if strings.HasPrefix(s, "\n") {
		return "\n"
	}
	return ""
}

// quote writes a text as [quoted] gives it, a long one some lines at a time, so that there is no
// second copy of it.
func (p *page) quote(s string) {
	const long = 64 << 10
	for len(s) > long {
		n := strings.IndexByte(s[long:], '\n')
		if n < 0 {
			break
		}
		p.put(quoted(s[:long+n]))
		s = s[long+n:]
	}
	p.put(quoted(s))
}

// quoted escapes text for HTML. Control characters, which HTML cannot contain, become
// U+FFFD.
func quoted(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s))
}
