package theme

import (
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/styles"
)

// registerCode registers the styles of code with Chroma, where Glamour finds them by
// name: once, and before anything is drawn, because Chroma's registry cannot change
// while it is read.
var registerCode = sync.OnceFunc(func() {
	for _, t := range Themes() {
		for _, p := range []Palette{t.Dark, t.Light} {
			if p.CodeTheme != "" {
				styles.Register(chroma.MustNewStyle(p.CodeTheme, p.code()))
			}
		}
	}
})

// code returns the colors of code: the same roles as in prose, so that they are readable
// wherever prose is.
func (p Palette) code() chroma.StyleEntries {
	return chroma.StyleEntries{
		chroma.Text:              p.Text,
		chroma.Error:             p.Text,
		chroma.Comment:           p.Muted + " italic",
		chroma.CommentPreproc:    p.Tool,
		chroma.Keyword:           p.Tool,
		chroma.KeywordType:       p.Agent,
		chroma.KeywordConstant:   p.Warn,
		chroma.Operator:          p.Argument,
		chroma.Punctuation:       p.Argument,
		chroma.Name:              p.Text,
		chroma.NameBuiltin:       p.Agent,
		chroma.NameFunction:      p.Accent,
		chroma.NameClass:         p.Agent,
		chroma.NameTag:           p.Accent,
		chroma.NameAttribute:     p.Agent,
		chroma.NameDecorator:     p.Tool,
		chroma.Literal:           p.Warn,
		chroma.LiteralString:     p.Good,
		chroma.GenericHeading:    p.Accent + " bold",
		chroma.GenericSubheading: p.Accent,
		chroma.GenericDeleted:    entry(p.Removed, p.RemovedGround),
		chroma.GenericInserted:   entry(p.Added, p.AddedGround),
		chroma.GenericEmph:       "italic",
		chroma.GenericStrong:     "bold",
	}
}

// entry returns the entry of a color on a ground, "" for none.
func entry(color, ground string) string {
	if ground == "" {
		return color
	}
	return color + " bg:" + ground
}
