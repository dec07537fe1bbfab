// Package picture draws what a terminal shows as SVG: one screen, or several in
// turn as a film. A picture carries no fonts, no scripts and nothing from
// elsewhere; each piece of text is pinned to its columns, so that they hold in any
// monospaced font. The same screens give the same bytes.
package picture

import (
	"cmp"
	"fmt"
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Screen is what a terminal shows at one moment.
type Screen struct {
	Title  string      // of the window
	Rows   [][]uv.Cell // at least one, all of the same length
	Cursor Cursor
}

// Cursor is the cursor of a terminal.
type Cursor struct {
	X, Y  int
	Shape CursorShape
	Shown bool
}

// CursorShape is how a terminal draws its cursor.
type CursorShape int

// The shapes of a cursor.
const (
	Block CursorShape = iota
	Underline
	Bar
)

// Cells is the part of a terminal emulator that a screen is taken from.
type Cells interface {
	Width() int
	Height() int
	CellAt(x, y int) *uv.Cell
}

// Of copies the cells of an emulator.
func Of(e Cells) Screen {
	s := Screen{Rows: make([][]uv.Cell, e.Height())}
	for y := range s.Rows {
		s.Rows[y] = make([]uv.Cell, e.Width())
		for x := range s.Rows[y] {
			if c := e.CellAt(x, y); c != nil {
				s.Rows[y][x] = *c
			}
		}
	}
	return s
}

// Scheme has the colors of a terminal and of the window around it, as #rrggbb.
type Scheme struct {
	Background, Foreground string
	Frame, FrameText       string     // the bar with the title
	Edge                   string     // the line around the window
	Sixteen                [16]string // what programs name by number
}

// Colors returns the background and the foreground.
func (s Scheme) Colors() (background, foreground color.Color) {
	return rgb(s.Background), rgb(s.Foreground)
}

// rgb reads a color as a scheme writes it.
func rgb(hex string) (c color.RGBA) {
	c.A = 0xff
	if n, err := fmt.Sscanf(hex, "#%02x%02x%02x", &c.R, &c.G, &c.B); n != 3 || err != nil {
		panic("not a color: " + hex)
	}
	return c
}

// The sixteen colors of the Tango scheme, which many Linux terminals start with.
var tango = [16]string{
	"#2e3436", "#cc0000", "#4e9a06", "#c4a000", "#3465a4", "#75507b", "#06989a", "#d3d7cf",
	"#555753", "#ef2929", "#8ae234", "#fce94f", "#729fcf", "#ad7fa8", "#34e2e2", "#eeeeec",
}

// The schemes of pictures.
var (
	Dark = Scheme{
		Background: "#12161f", Foreground: "#d8dee9",
		Frame: "#1d2430", FrameText: "#8590a3", Edge: "#323b4b", Sixteen: tango,
	}
	Light = Scheme{
		Background: "#ffffff", Foreground: "#24292f",
		Frame: "#eef1f5", FrameText: "#68717d", Edge: "#d0d7de", Sixteen: tango,
	}
)

// look is the appearance of a cell, with all attributes applied to its colors.
type look struct {
	ink, ground   string // ground is empty where it is that of the terminal
	bold, italic  bool
	under, struck bool // lines below and through the text
}

// look resolves the style of a cell.
func (s *Scheme) look(st uv.Style) look {
	l := look{
		ink: s.hex(st.Fg), ground: s.hex(st.Bg),
		bold: st.Attrs&uv.AttrBold != 0, italic: st.Attrs&uv.AttrItalic != 0,
		under: st.Underline != uv.UnderlineNone, struck: st.Attrs&uv.AttrStrikethrough != 0,
	}
	l.ink = cmp.Or(l.ink, s.Foreground)
	ground := cmp.Or(l.ground, s.Background)
	if st.Attrs&uv.AttrReverse != 0 {
		l.ink, ground = ground, l.ink
		l.ground = ground
	}
	if st.Attrs&uv.AttrFaint != 0 {
		l.ink = mixed(l.ink, ground)
	}
	if st.Attrs&uv.AttrConceal != 0 {
		l.ink = ground
	}
	if l.ground == s.Background {
		l.ground = ""
	}
	return l
}

// hex writes a color of a cell; empty for the default one.
func (s *Scheme) hex(c color.Color) string {
	switch c := c.(type) {
	case nil:
		return ""
	case ansi.BasicColor:
		return s.Sixteen[c&15]
	case ansi.IndexedColor:
		if c < 16 {
			return s.Sixteen[c]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// mixed returns the ink of faint text: six parts of ten over its ground.
func mixed(ink, ground string) string {
	a, b := rgb(ink), rgb(ground)
	mix := func(a, b uint8) int { return (6*int(a) + 4*int(b)) / 10 }
	return fmt.Sprintf("#%02x%02x%02x", mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B))
}
