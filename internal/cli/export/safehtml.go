package export

import (
	"bytes"
	"html"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	rendered "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"hermes-sessions/ui/kit"
)

// NewHTMLRenderer returns a function that turns cleaned Markdown into HTML: raw HTML is
// shown as text, images are links, and a link that does not lead to the web is
// text. Footnotes are below the text, linked both ways. It returns false for Markdown
// that would take too long to parse or whose HTML would lose words; the caller then
// shows the source.
func NewHTMLRenderer() func(string) (string, bool) {
	notes := &footnotes{}
	md := goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(notes, 101))), // before links
		goldmark.WithRendererOptions(rendered.WithHardWraps(),
			renderer.WithNodeRenderers(util.Prioritized(inertRenderer{}, 100))))
	render := func(src string) (string, bool) {
		source, refs := []byte(src), parser.NewContext()
		doc := md.Parser().Parse(text.NewReader(source), parser.WithContext(refs))
		if len(refs.References()) > 0 {
			return "", false // the HTML has no definitions of references
		}
		var out bytes.Buffer
		if err := md.Renderer().Render(&out, source, doc); err != nil {
			return "", false
		}
		return out.String(), true
	}
	return func(src string) (string, bool) {
		if !kit.RendersInTime(src) || strings.Count(src, "[^") > maxFootnotes {
			return "", false
		}
		out, ok := render(notes.take(src))
		if !ok {
			return "", false
		}
		if len(notes.notes) > 0 {
			below, ok := notes.list(render)
			if !ok {
				return "", false
			}
			out += below
		}
		// A character reference can name a character that cleaning removed.
		return strings.Map(func(r rune) rune {
			switch {
			case kit.IsBidiControl(r):
				return -1
			case r != '\n' && r != '\t' && unicode.IsControl(r):
				return unicode.ReplacementChar
			}
			return r
		}, out), true
	}
}

// maxFootnotes is how many marks and definitions of footnotes a text may have.
const maxFootnotes = 500

// inertRenderer renders raw HTML, links and images so that they are visible and
// inactive.
type inertRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (inertRenderer) RegisterFuncs(on renderer.NodeRendererFuncRegisterer) {
	on.Register(ast.KindRawHTML, func(w util.BufWriter, src []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
		if mark, ok := markHTML(n); ok && in {
			writeHTML(w, mark)
		} else if in {
			writeEscaped(w, n.(*ast.RawHTML).Segments.Value(src))
		}
		return ast.WalkSkipChildren, nil
	})
	on.Register(ast.KindHTMLBlock, func(w util.BufWriter, src []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
		if !in {
			return ast.WalkContinue, nil
		}
		b := n.(*ast.HTMLBlock)
		raw := b.Lines().Value(src)
		if b.HasClosure() {
			raw = append(raw, b.ClosureLine.Value(src)...)
		}
		writeHTML(w, `<div class="plain">`)
		writeEscaped(w, bytes.TrimRight(raw, "\n"))
		writeHTML(w, "</div>\n")
		return ast.WalkSkipChildren, nil
	})
	on.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, src []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
		if in {
			b := n.(*ast.FencedCodeBlock)
			writeHTML(w, "<pre><code>"+codeHTML(strings.ToLower(string(b.Language(src))), string(b.Lines().Value(src)))+"</code></pre>\n")
		}
		return ast.WalkSkipChildren, nil
	})
	on.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
		link(w, string(n.(*ast.Link).Destination), string(n.(*ast.Link).Title), in)
		return ast.WalkContinue, nil
	})
	on.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
		if in {
			writeHTML(w, "[image ")
		}
		link(w, string(n.(*ast.Image).Destination), string(n.(*ast.Image).Title), in)
		if !in {
			writeHTML(w, "]")
		}
		return ast.WalkContinue, nil
	})
	on.Register(ast.KindAutoLink, func(w util.BufWriter, src []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
		if in {
			label, to := n.(*ast.AutoLink).Label(src), string(n.(*ast.AutoLink).URL(src))
			if onWeb(to) {
				link(w, to, "", true)
				writeEscaped(w, label)
				link(w, to, "", false)
			} else {
				writeEscaped(w, label)
			}
		}
		return ast.WalkContinue, nil
	})
	on.Register(extast.KindTaskCheckBox, func(w util.BufWriter, _ []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
		switch {
		case !in:
		case n.(*extast.TaskCheckBox).IsChecked:
			writeHTML(w, "☑ ")
		default:
			writeHTML(w, "☐ ")
		}
		return ast.WalkContinue, nil
	})
}

// link writes the start or the end of a link. The address of a link that does not
// lead to the web is written as text behind it.
func link(w util.BufWriter, to, title string, in bool) {
	web := onWeb(to)
	switch {
	case in && web:
		writeHTML(w, `<a rel="noreferrer" href="`)
		writeEscaped(w, util.URLEscape([]byte(to), true))
		if title != "" {
			writeHTML(w, `" title="`)
			writeEscaped(w, []byte(title))
		}
		writeHTML(w, `">`)
	case !in && web:
		writeHTML(w, "</a>")
	case !in:
		if title != "" {
			to += " " + title
		}
		if to != "" {
			writeEscaped(w, []byte(" ("+to+")"))
		}
	}
}

func onWeb(address string) bool {
	address = strings.ToLower(address)
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

func writeEscaped(w util.BufWriter, s []byte) {
	writeHTML(w, html.EscapeString(string(s)))
}

// writeHTML writes HTML. w keeps its first error and returns it when it is flushed.
func writeHTML(w util.BufWriter, s string) { _, _ = w.WriteString(s) }
