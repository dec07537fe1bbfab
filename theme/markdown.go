package theme

import (
	"strings"

	"charm.land/glamour/v2/ansi"
)

// Markdown returns Glamour's styles for prose. The document itself has no color and no
// margin, because Glamour would style every cell of padding separately. With
// highlight, code is colored by its language if the palette has a code theme.
func (s *Styles) Markdown(highlight bool) ansi.StyleConfig {
	p, rule := s.Palette, strings.Repeat(s.Glyphs.Rule, 8)
	bullet := "• "
	quote := "│ "
	ticked := "[✓] "
	arrow := "→ "
	if s.Glyphs.Bar == ascii.Bar {
		bullet = "* "
		quote = "| "
		ticked = "[x] "
		arrow = "-> "
	}
	fg := func(c string) ansi.StylePrimitive {
		if c == "" {
			return ansi.StylePrimitive{}
		}
		return ansi.StylePrimitive{Color: &c}
	}
	yes := true
	with := func(s ansi.StylePrimitive, change func(*ansi.StylePrimitive)) ansi.StylePrimitive {
		change(&s)
		return s
	}
	bold := func(s ansi.StylePrimitive) ansi.StylePrimitive {
		return with(s, func(s *ansi.StylePrimitive) { s.Bold = &yes })
	}
	under := func(s ansi.StylePrimitive) ansi.StylePrimitive {
		return with(s, func(s *ansi.StylePrimitive) { s.Underline = &yes })
	}
	prefixed := func(s ansi.StylePrimitive, prefix string) ansi.StylePrimitive {
		return with(s, func(s *ansi.StylePrimitive) { s.BlockPrefix = prefix })
	}
	block := func(s ansi.StylePrimitive) ansi.StyleBlock { return ansi.StyleBlock{StylePrimitive: s} }
	columns := func(n uint) *uint { return &n }

	heading := with(bold(fg(p.Accent)), func(s *ansi.StylePrimitive) { s.BlockSuffix = "\n" })
	code := fg(p.Tool)
	if p.Tool == "" {
		code = bold(code)
	}
	c := ansi.StyleConfig{
		BlockQuote: ansi.StyleBlock{StylePrimitive: fg(p.Muted), Indent: columns(1), IndentToken: &quote},
		List:       ansi.StyleList{LevelIndent: 2},
		Heading:    block(heading),
		H1:         block(under(heading)),

		Strikethrough:  ansi.StylePrimitive{CrossedOut: &yes},
		Emph:           ansi.StylePrimitive{Italic: &yes},
		Strong:         ansi.StylePrimitive{Bold: &yes},
		HorizontalRule: with(fg(p.Border), func(s *ansi.StylePrimitive) { s.Format = "\n" + rule + "\n" }),

		Item:        ansi.StylePrimitive{BlockPrefix: bullet},
		Enumeration: ansi.StylePrimitive{BlockPrefix: ". "},
		Task:        ansi.StyleTask{Ticked: ticked, Unticked: "[ ] "},

		Link:      under(fg(p.Accent)),
		LinkText:  bold(ansi.StylePrimitive{}),
		Image:     under(fg(p.Accent)),
		ImageText: with(fg(p.Muted), func(s *ansi.StylePrimitive) { s.Format = "[image {{.text}}]" }),

		Code:                  block(code),
		DefinitionDescription: prefixed(ansi.StylePrimitive{}, "\n"+arrow),
	}
	c.CodeBlock.Margin = columns(2)
	if s.Glyphs.Bar == ascii.Bar {
		row := "-"
		column := "|"
		center := "+"
		c.Table.RowSeparator = &row
		c.Table.ColumnSeparator = &column
		c.Table.CenterSeparator = &center
	}
	if highlight {
		c.CodeBlock.Theme = p.CodeTheme
	} else {
		c.CodeBlock.StylePrimitive = fg(p.Text)
	}
	return c
}
