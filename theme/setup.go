package theme

import (
	"cmp"

	"hermes-sessions/theme/cells"
)

// Setup is what decides the styles: the choice of the user, and what is known of the
// terminal.
type Setup struct {
	Theme  string  // a name of [Themes] or of Own; another one means no colors
	Own    []Theme // of the user's own
	Colors Colors
	ASCII  bool // draw with ASCII only
	Cells  cells.Method

	// Inline says that the browser has only some lines of the terminal, whose background
	// is not its own.
	Inline bool
	// PlainCode leaves code without colors.
	PlainCode bool

	// Light says that the terminal's background is light, and Background which color it
	// has, #RRGGBB; "" while that is not known.
	Light      bool
	Background string
}

// Colors is how many colors the terminal shows.
type Colors int

// The kinds of terminals by their colors.
const (
	TrueColor Colors = iota
	Colors256
	Colors16
	NoColors
)

// Palette returns the palette in force. A terminal of sixteen colors shows them as they
// are: others would be replaced by ones that may be hard to read on its background.
func (s Setup) Palette() Palette {
	name := s.Theme
	switch {
	case s.Colors == NoColors:
		name = "mono"
	case s.Colors == Colors16 && name != "mono":
		name = "ansi16"
	}
	t := named(name, s.Own)
	p := t.of(s.Light)
	if p.Dark == s.Light && s.Background != "" { // chosen against the terminal, it needs a background of its own
		switch cmp.Or(t.Base, t.Name) {
		case "dark":
			p.Ground = "#1E1E1E"
		case "light":
			p.Ground = "#FFFFFF"
		}
	}
	if s.Inline && p.Ground != "" {
		p.Ground = ""
		if p.Dark == s.Light {
			p = Themes()[0].of(s.Light)
		}
	}
	if p.Dark != s.Light { // on the other kind of background it would become gray
		p = p.Fit(s.Background)
	}
	if s.Colors == Colors256 {
		p = p.Indexed()
	}
	if s.PlainCode {
		p.CodeTheme = ""
	}
	return p
}

// Styles returns the styles in force.
func (s Setup) Styles() *Styles {
	st := New(s.Palette(), s.ASCII)
	st.Cells = s.Cells
	return st
}

// Refuses says why a theme cannot be shown on the terminal, "" where it can.
func (s Setup) Refuses(name string) string {
	switch {
	case name == "mono":
		return ""
	case s.Colors == NoColors:
		return "colors are off"
	case s.Colors == Colors16 && name != "ansi16" && name != "auto":
		return "the terminal has only 16 colors"
	}
	return ""
}
