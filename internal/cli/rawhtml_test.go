package cli

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/model/document"
)

// Whatever a conversation says, a Markdown viewer finds no HTML in its export.
func TestMarkdownExportHasNoHTML(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- c -->", "<b>", "</div>", "`", "``", "```", "```html", "~~~", "\n", "\n\n", "\n  ", "\n    ",
		"- ", "1. ", "> ", "# ", "| ", "|", "\\", "a", " ", "\t", "[x](", "](<", "<https://a.b>", "&lt;", "---", "*",
	}
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	for range campaign.Length(3000, 200_000) {
		var b strings.Builder
		for range 1 + rand.N(16) {
			b.WriteString(pieces[rand.N(len(pieces))])
		}
		var out strings.Builder
		d := document.New(&out, document.Options{Form: document.Markdown, Zone: time.UTC})
		if err := cmp.Or(d.Begin(model.Conversation{}), d.Message(model.Message{ID: 1, Role: "user", Content: model.Content{Text: b.String()}}), d.End()); err != nil {
			t.Fatal(err)
		}
		source := []byte(out.String())
		err := ast.Walk(parser.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if k := n.Kind(); entering && (k == ast.KindRawHTML || k == ast.KindHTMLBlock) {
				t.Errorf("%q has HTML after\n%s", b.String(), source)
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
		if err != nil || t.Failed() {
			t.Fatal(err)
		}
	}
}
