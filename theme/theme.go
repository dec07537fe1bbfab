package theme

import (
	"image/color"
	"reflect"
	"strings"

	"hermes-sessions/theme/cells"

	"charm.land/lipgloss/v2"
)

// Styles are all styles that the screens use. Nothing changes them once [Setup.Styles] has made
// them.
type Styles struct {
	Palette Palette
	Glyphs  Glyphs
	Cells   cells.Method // how text is measured; package cells has the rule

	// By role; doc.go says what each means.
	Text, Muted, Faint, Strong       lipgloss.Style
	Accent, Key, Group, Border, Chip lipgloss.Style
	Selected, Hit, CurrentHit        lipgloss.Style
	Good, Warn, Bad, Danger          lipgloss.Style
	User, Agent, Summary, Reasoning  lipgloss.Style
	Tool, Argument, Output           lipgloss.Style
	Added, Removed                   lipgloss.Style

	Box lipgloss.Border // around dialogs, in the style Border
}

// Glyphs are the symbols that say, in addition to colors, what something is.
type Glyphs struct {
	Cursor, Running, Done, Failed                     string
	Branch, Segment, Delegate, Pin, Marked, New, Note string
	Bookmark                                          string
	Folded, Unfolded, Rule, Bar, Ellipsis, Divider    string
	Enter, Right                                      string
	User, Agent, Event                                string
	JointRight, Corner, Sum                           string
}

var (
	unicode = Glyphs{
		Cursor: "▸", Running: "●", Done: "✓", Failed: "!",
		Branch: "⇉", Segment: "§", Delegate: "↳", Pin: "★", Marked: "◆", New: "•", Note: "✎", Bookmark: "⚑",
		Folded: "▸", Unfolded: "▾", Rule: "─", Bar: "│", Ellipsis: "…", Divider: "│",
		Enter: "↵", Right: "→", User: "●", Agent: "◆", Event: "◈", JointRight: "├", Corner: "└", Sum: "Σ",
	}
	ascii = Glyphs{
		Cursor: ">", Running: "*", Done: "+", Failed: "!",
		Branch: "Y", Segment: "S", Delegate: "L", Pin: "^", Marked: "#", New: "n", Note: "=", Bookmark: "B",
		Folded: ">", Unfolded: "v", Rule: "-", Bar: "|", Ellipsis: "~", Divider: "|",
		Enter: "enter", Right: "->", User: ">", Agent: "<", Event: "*", JointRight: "+", Corner: "`", Sum: "=",
	}
)

// New makes the styles of a palette; with plain, all glyphs are ASCII.
func New(p Palette, plain bool) *Styles {
	s := &Styles{Palette: p, Glyphs: unicode}
	if plain {
		s.Glyphs = ascii
	}
	registerCode()
	fg := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(terminalColor(c)) }
	on := func(text, ground string) lipgloss.Style {
		if ground == "" {
			return fg(text)
		}
		return fg(text).Background(terminalColor(ground))
	}
	colored := p.Selection != ""
	s.Text = fg(p.Text)
	s.Muted = fg(p.Muted)
	s.Faint = fg(p.Faint)
	s.Border = fg(p.Border)
	s.Strong, s.Group = fg(p.Text).Bold(true), fg(p.Muted).Bold(true)
	s.Key, s.Accent = fg(p.Accent), fg(p.Accent).Bold(true)
	s.Hit = fg(p.Hit).Bold(true)
	s.Good = fg(p.Good)
	s.Warn = fg(p.Warn)
	s.Bad = fg(p.Bad)
	s.User, s.Agent = fg(p.User).Bold(true), fg(p.Agent).Bold(true)
	s.Summary = fg(p.Summary)
	s.Tool = fg(p.Tool)
	s.Argument = fg(p.Argument)
	s.Output = fg(p.Output)
	s.Reasoning = fg(p.Faint).Italic(true)
	s.Added, s.Removed = on(p.Added, p.AddedGround), on(p.Removed, p.RemovedGround)
	s.CurrentHit = lipgloss.NewStyle().Bold(true).Reverse(true)
	if p.Match != "" {
		s.CurrentHit = on(p.OnMatch, p.Match)
	}
	s.Danger = lipgloss.NewStyle().Bold(true).Reverse(true)
	if p.Danger != "" {
		s.Danger = on(p.OnDanger, p.Danger).Bold(true)
	}
	if colored {
		s.Selected = on(p.Text, p.Selection).Bold(true)
		s.Chip = on(p.Text, p.Selection)
	} else {
		// What colors would say is said by weight, underline and reverse video.
		s.Selected = lipgloss.NewStyle().Bold(true).Reverse(true)
		s.Chip = lipgloss.NewStyle().Reverse(true)
		s.Hit = s.Hit.Underline(true)
		s.Warn, s.Bad = s.Warn.Bold(true), s.Bad.Bold(true)
	}
	s.Box = lipgloss.RoundedBorder()
	if plain {
		s.Box = lipgloss.ASCIIBorder()
	}
	return s
}

// Spell replaces middle dots, times signs, ≥, ellipses, arrows and curly quotes in a text
// of the program by ASCII, if the glyphs are ASCII.
func (s *Styles) Spell(text string) string {
	if s.Glyphs.Bar != ascii.Bar {
		return text
	}
	return spelling.Replace(text)
}

// SpellFrame is Spell for a finished frame, in which every column counts: each of the
// characters that are left becomes one of ASCII.
func (s *Styles) SpellFrame(frame string) string {
	if s.Glyphs.Bar != ascii.Bar {
		return frame
	}
	return frameSpelling.Replace(frame)
}

var frameSpelling = strings.NewReplacer("·", "-", "×", "x", "≥", ">", "“", `"`, "”", `"`, "…", ascii.Ellipsis, "→", ">", "←", "<", "↑", "^", "↓", "v", "•", "*", "–", "-", "‹", "<", "›", ">")

// ASCII replaces each mark, line and sign of the program in a text by one of ASCII that is as
// wide, for output that is not drawn with [Glyphs].
func ASCII(text string) string { return outputSpelling.Replace(frameSpelling.Replace(text)) }

var outputSpelling = func() *strings.Replacer {
	pairs := []string{"✗", "x", "—", "-", "█", "#", "░", ".", "▶", ">"} // of commands
	fancy, plain := reflect.ValueOf(unicode), reflect.ValueOf(ascii)
	for i := range fancy.NumField() {
		if mark := plain.Field(i).String(); len(mark) == 1 {
			pairs = append(pairs, fancy.Field(i).String(), mark)
		}
	}
	return strings.NewReplacer(pairs...)
}()

var spelling = strings.NewReplacer("·", "-", "×", "x", "≥", ">=", "“", `"`, "”", `"`, "…", "...",
	"↵", ascii.Enter, "→", ascii.Right, "←", "<-", "↑", "up", "↓", "down")

// On returns a style on the background of the current row if selected, else unchanged.
// A row is assembled from styled parts, and each part needs the background itself:
// the reset after a part would end a style around the whole row. If a palette has no
// selection color, the result is the style Selected, in reverse video.
func (s *Styles) On(selected bool, part lipgloss.Style) lipgloss.Style {
	switch {
	case !selected:
		return part
	case s.Palette.Selection == "":
		return s.Selected.Underline(part.GetUnderline())
	}
	return part.Background(terminalColor(s.Palette.Selection))
}

// HitOn returns the style of a hit. On the current row, whose title is bold as a whole,
// it is underlined too.
func (s *Styles) HitOn(selected bool) lipgloss.Style {
	return s.On(selected, s.Hit.Underline(selected || s.Hit.GetUnderline()))
}

// Current fills the hits of a finished line: n and N have gone to it.
func (s *Styles) Current(line string) string {
	hit, _, _ := strings.Cut(s.Hit.Render("x"), "x")
	current, _, _ := strings.Cut(s.CurrentHit.Render("x"), "x")
	return strings.ReplaceAll(line, hit, current)
}

// onSurface puts a finished line of a box on the surface, up to its end. Without a
// surface the line stays as it is.
func (s *Styles) onSurface(line string) string {
	if s.Palette.Surface == "" {
		return line
	}
	on, _, _ := strings.Cut(lipgloss.NewStyle().Background(terminalColor(s.Palette.Surface)).Render("x"), "x")
	// Each sequence that ends a background is followed by the one that begins this one.
	var b strings.Builder
	b.WriteString(on)
	for {
		i := strings.Index(line, "\x1b[")
		if i < 0 {
			break
		}
		end := strings.IndexByte(line[i:], 'm')
		if end < 0 {
			break
		}
		sequence := line[i : i+end+1]
		b.WriteString(line[:i+end+1])
		line = line[i+end+1:]
		if parameters := sequence[2 : len(sequence)-1]; parameters == "" || parameters == "0" || parameters == "49" {
			b.WriteString(on)
		}
	}
	b.WriteString(line)
	b.WriteString("\x1b[m")
	return b.String()
}

// Painted returns the colors that the terminal gets as its background and its text, nil if
// the palette has no ground of its own.
func (p Palette) Painted() (ground, text color.Color) {
	if p.Ground == "" {
		return nil, nil
	}
	return lipgloss.Color(p.Ground), lipgloss.Color(p.Text)
}

// terminalColor returns a color of a palette for Lip Gloss.
func terminalColor(c string) color.Color {
	if c == "" {
		return lipgloss.NoColor{}
	}
	return lipgloss.Color(c)
}
