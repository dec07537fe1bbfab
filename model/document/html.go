package document

import (
	_ "embed"
	"html"
	"strconv"
	"strings"
	"unicode"

	"hermes-sessions/model"
)

//go:embed page.css
var style string

// page is the layout of the HTML form, one self-contained file. Its content security
// policy forbids scripts and external resources, in case an escape is ever missed.
type page struct {
	*sink
	render func(string) (string, bool)
}

func (p *page) begin(title string) {
	p.put("<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`, "\n",
		`<meta name="viewport" content="width=device-width, initial-scale=1">`, "\n",
		`<meta name="referrer" content="no-referrer">`, "\n",
		`<meta name="color-scheme" content="light dark">`, "\n",
		"<title>", quoted(title), "</title>\n<style>\n", style, "</style>\n</head>\n<body>\n<main>\n")
}

func (p *page) heading(title string, facts []string, _ bool) {
	p.put("<article>\n<header>\n<h1 dir=\"auto\">", quoted(title), "</h1>\n<p>")
	for i, f := range facts {
		if i > 0 {
			p.put(" · ")
		}
		p.put("<span>", quoted(f), "</span>")
	}
	p.put("</p>\n</header>\n")
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
	p.put(`<section class="`, class, `" id="m`, strconv.FormatInt(e.id, 10), "\">\n<h2>", quoted(e.name))
	if e.at != "" {
		p.put(" <time>", quoted(e.at), "</time>")
	}
	p.put("</h2>\n")
}

func (p *page) prose(s string) {
	if p.render != nil {
		if out, ok := p.render(s); ok {
			p.put(`<div class="prose" dir="auto">`, "\n", out, "</div>\n")
			return
		}
	}
	for _, b := range Blocks(s) {
		if b.Code {
			p.put("<pre><code>", quoted(b.Text), "</code></pre>\n")
		} else {
			p.plain(strings.Trim(b.Text, "\n"))
		}
	}
}

func (p *page) plain(s string) { p.put(`<div class="plain" dir="auto">`, quoted(s), "</div>\n") }
func (p *page) note(s string)  { p.put(`<p class="aside">`, quoted(s), "</p>\n") }

func (p *page) collapsible(name, body string) {
	p.put("<details>\n<summary>", quoted(name), "</summary>\n")
	p.plain(body)
	p.put("</details>\n")
}

func (p *page) toolRun(summary string, failed int, steps []step) {
	p.put("<details class=\"work\">\n<summary>", quoted(summary))
	if failed > 0 {
		p.put(` <em>`, quoted(strings.TrimPrefix(failures(failed), " · ")), "</em>")
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
			p.put("<pre class=\"call\">", newline(s.args), quoted(s.args), "</pre>\n")
		}
		for _, n := range s.notes {
			p.note(n)
		}
		if s.result != "" {
			p.put("<pre class=\"result\">", newline(s.result), quoted(s.result), "</pre>\n")
		}
		p.put("</div>\n")
	}
	p.put("</details>\n")
}

func (p *page) endEntry()        { p.put("</section>\n") }
func (p *page) endConversation() { p.put("</article>\n") }
func (p *page) end()             { p.put("</main>\n</body>\n</html>\n") }

// newline gives a second line break for text that begins with one: browsers drop the
// first line break of a pre element.
func newline(s string) string {
	if strings.HasPrefix(s, "\n") {
		return "\n"
	}
	return ""
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
