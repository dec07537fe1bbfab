package export

import (
	"html"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"hermes-sessions/model/document"
	"hermes-sessions/ui/kit"
)

// maxHighlight is how many bytes of a block of code are highlighted.
const maxHighlight = 16 << 10

// codeHTML writes code with a span for each word that has a color. Code in a language that
// is not known, or too long to be read in time, is only escaped.
func codeHTML(language, code string) string {
	switch {
	case len(code) > maxHighlight || !kit.HasLexer(language) || longestLine(code) > maxHighlight/8:
		return html.EscapeString(code)
	case language == "diff" || language == "patch":
		return document.DiffHTML(code, false)
	}
	if out, ok := highlighted(language, code); ok {
		return out
	}
	return html.EscapeString(code)
}

// highlighted writes code with the classes of its words. ok is false if the lexer failed:
// Chroma panics when an expression takes too long.
func highlighted(language, code string) (out string, ok bool) {
	defer func() {
		if recover() != nil {
			out, ok = "", false
		}
	}()
	lexer := lexers.Get(language)
	if lexer == nil {
		return "", false
	}
	tokens, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return "", false
	}
	var b, plain strings.Builder
	open := ""
	for t := tokens(); t != chroma.EOF; t = tokens() {
		class := classOf(t.Type)
		if strings.TrimSpace(t.Value) == "" {
			class = open // space has no color
		}
		if class != open {
			b.WriteString(closing(open))
			if open = class; class != "" {
				b.WriteString(`<span class="` + class + `">`)
			}
		}
		b.WriteString(html.EscapeString(t.Value))
		plain.WriteString(t.Value)
	}
	b.WriteString(closing(open))
	return b.String(), plain.String() == code
}

func closing(class string) string {
	if class == "" {
		return ""
	}
	return "</span>"
}

// classOf returns the class of a token in the style sheet, "" for one without a color.
func classOf(t chroma.TokenType) string {
	switch {
	case t == chroma.KeywordConstant || t.InSubCategory(chroma.LiteralNumber):
		return "number"
	case t == chroma.KeywordType || t == chroma.NameClass || t == chroma.NameBuiltin || t == chroma.NameAttribute:
		return "type"
	case t.InCategory(chroma.Keyword) || t == chroma.NameDecorator || t == chroma.CommentPreproc:
		return "keyword"
	case t == chroma.NameFunction || t == chroma.NameTag:
		return "name"
	case t.InSubCategory(chroma.LiteralString):
		return "string"
	case t.InCategory(chroma.Comment):
		return "comment"
	}
	return ""
}

func longestLine(code string) (n int) {
	for l := range strings.Lines(code) {
		n = max(n, len(l))
	}
	return n
}
