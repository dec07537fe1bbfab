// Package theme makes all styles of the program from a palette (theme.go), those
// for Markdown included (markdown.go), and draws the lines of trees (rails.go). It
// reads neither the terminal nor the environment: the caller chooses the palette.
package theme

import (
	"image/color"
	"strings"

	"hermes-sessions/internal/cells"

	"charm.land/lipgloss/v2"
)

// Palette has the colors by purpose. A color is #RRGGBB or a number of the terminal's
// palette; "" is the terminal's default color.
type Palette struct {
	Text, Muted, Faint string
	Accent, OnAccent   string
	Selection, Border  string
	Good, Warn, Bad    string
	User, Agent, Tool  string
	Match, OnMatch     string
	Dark               bool
	CodeTheme          string // of Chroma, for code blocks; "" for none
}

// The palettes. ANSI uses the terminal's own sixteen colors. Mono uses no colors:
// only weight, reverse video and glyphs distinguish things.
var (
	Dark = Palette{
		Text: "#D8DEE9", Muted: "#A3ABBA", Faint: "#959EAE", Accent: "#8FB8F6", OnAccent: "#10151F",
		Selection: "#2B3447", Border: "#4A5366", Good: "#93C98F", Warn: "#E5C07B", Bad: "#F08A8A",
		User: "#E8C468", Agent: "#8FD0C0", Tool: "#B6A6E8", Match: "#F5D76E", OnMatch: "#1B1600",
		Dark: true, CodeTheme: "doom-one",
	}
	Light = Palette{
		Text: "#24292F", Muted: "#4F5863", Faint: "#5D6671", Accent: "#0A58B5", OnAccent: "#FFFFFF",
		Selection: "#DCE8FA", Border: "#B8C0CC", Good: "#1A6B2D", Warn: "#875400", Bad: "#B3202A",
		User: "#7A4B00", Agent: "#0B6257", Tool: "#5B3BA8", Match: "#FFE58A", OnMatch: "#241C00",
		CodeTheme: "xcode",
	}
	ANSI = Palette{
		Muted: "7", Faint: "8", Accent: "12", OnAccent: "0", Border: "8", Good: "2", Warn: "3",
		Bad: "1", User: "3", Agent: "6", Tool: "5", Match: "11", OnMatch: "0", Dark: true,
	}
	Mono = Palette{}
)

// Styles are all styles that the screens use.
type Styles struct {
	Palette Palette
	Glyphs  Glyphs
	Cells   cells.Method // how text is measured; package cells has the rule

	Text, Muted, Faint, Strong   lipgloss.Style
	Accent, Key, Border          lipgloss.Style
	Selected                     lipgloss.Style // the current row, over its whole width
	Group                        lipgloss.Style // date headings
	Match                        lipgloss.Style // marked words
	Good, Warn, Bad              lipgloss.Style
	User, Agent, Tool, Reasoning lipgloss.Style
	Chip                         lipgloss.Style
	Box                          lipgloss.Border // around dialogs, in the style Border
}

// Glyphs are the symbols that say, in addition to colors, what something is.
type Glyphs struct {
	Cursor, Running, Done, Interrupted, Failed, Empty string
	Branch, Segment, Delegate, Pin, Marked            string
	Folded, Unfolded, Rule, Bar, Ellipsis, Divider    string
	Enter, Right                                      string
	User, Agent, Event                                string
	JointDown, JointLeft, JointRight, Corner, Sum     string
}

var (
	unicode = Glyphs{
		Cursor: "▸", Running: "●", Done: "✓", Interrupted: "◌", Failed: "!", Empty: "·",
		Branch: "⇉", Segment: "§", Delegate: "↳", Pin: "★", Marked: "◆",
		Folded: "▸", Unfolded: "▾", Rule: "─", Bar: "│", Ellipsis: "…", Divider: "│",
		Enter: "↵", Right: "→", User: "●", Agent: "◆", Event: "◈", JointDown: "┬", JointLeft: "┤", JointRight: "├", Corner: "└", Sum: "Σ",
	}
	ascii = Glyphs{
		Cursor: ">", Running: "*", Done: "+", Interrupted: "o", Failed: "!", Empty: ".",
		Branch: "Y", Segment: "S", Delegate: "L", Pin: "^", Marked: "#",
		Folded: ">", Unfolded: "v", Rule: "-", Bar: "|", Ellipsis: "~", Divider: "|",
		Enter: "Enter", Right: "->", User: ">", Agent: "<", Event: "*", JointDown: "+", JointLeft: "+", JointRight: "+", Corner: "`", Sum: "=",
	}
)

// New makes the styles of a palette; with plain, all glyphs are ASCII.
func New(p Palette, plain bool) Styles {
	s := Styles{Palette: p, Glyphs: unicode}
	if plain {
		s.Glyphs = ascii
	}
	fg := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(terminalColor(c)) }
	s.Text = fg(p.Text)
	s.Muted = fg(p.Muted)
	s.Faint = fg(p.Faint)
	s.Strong = fg(p.Text).Bold(true)
	s.Accent = fg(p.Accent).Bold(true)
	s.Key = fg(p.Accent)
	s.Border = fg(p.Border)
	s.Group = fg(p.Muted).Bold(true)
	s.Good, s.Warn, s.Bad = fg(p.Good), fg(p.Warn), fg(p.Bad)
	s.User, s.Agent, s.Tool = fg(p.User).Bold(true), fg(p.Agent).Bold(true), fg(p.Tool)
	s.Reasoning = fg(p.Faint).Italic(true)
	s.Match = lipgloss.NewStyle().Bold(true).Underline(true)
	if p.Match != "" {
		s.Match = lipgloss.NewStyle().Foreground(terminalColor(p.OnMatch)).Background(terminalColor(p.Match))
	}
	s.Selected = lipgloss.NewStyle().Bold(true)
	if p.Selection != "" {
		s.Selected = fg(p.Text).Background(terminalColor(p.Selection)).Bold(true)
	} else {
		s.Selected = s.Selected.Reverse(true)
	}
	s.Chip = lipgloss.NewStyle().Reverse(true)
	if p.Selection != "" {
		s.Chip = fg(p.Text).Background(terminalColor(p.Selection))
	}
	s.Box = lipgloss.RoundedBorder()
	if plain {
		s.Box = lipgloss.ASCIIBorder()
	}
	return s
}

// Spell replaces middle dots, times signs, thin spaces, arrows and curly quotes in a
// text of the program by ASCII, if the glyphs are ASCII.
func (s Styles) Spell(text string) string {
	if s.Glyphs.Bar != ascii.Bar {
		return text
	}
	return spelling.Replace(text)
}

var spelling = strings.NewReplacer("·", "-", "×", "x", "\u2009", " ", "“", `"`, "”", `"`, "…", ascii.Ellipsis,
	"↵", ascii.Enter, "→", ascii.Right, "←", "<-", "↑", "Up", "↓", "Down")

// On gives a style on the background of the current row if selected, else unchanged.
// A row is assembled from styled parts, and each part needs the background itself:
// the reset after a part would end a style around the whole row. If a palette has no
// selection color, the result is the style Selected, in reverse video.
func (s Styles) On(selected bool, part lipgloss.Style) lipgloss.Style {
	switch {
	case !selected:
		return part
	case s.Palette.Selection == "":
		return s.Selected
	}
	return part.Background(terminalColor(s.Palette.Selection))
}

// terminalColor gives a color of a palette for Lip Gloss.
func terminalColor(c string) color.Color {
	if c == "" {
		return lipgloss.NoColor{}
	}
	return lipgloss.Color(c)
}
