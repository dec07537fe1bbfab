package ui

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/theme"
	"hermes-sessions/ui/uitest"
)

// trailing is space at the end of a line, which a ground is drawn on.
var trailing = regexp.MustCompile(` +(\n|$)`)

// painted are screens with something of everything that they draw.
func painted() map[string]func(*driver) *driver {
	presses := func(keys ...string) func(*driver) *driver {
		return func(d *driver) *driver { return d.keys(keys...) }
	}
	with := func(change func(*uitest.Fake), keys ...string) func(*driver) *driver {
		return func(d *driver) *driver {
			d.lib.Set(func() { change(d.lib); d.lib.Version++ })
			return d.keys("f5").keys(keys...)
		}
	}
	return map[string]func(*driver) *driver{
		"list":    presses("down", "tab", "down"),
		"search":  func(d *driver) *driver { return d.types("kafka").keys("down") },
		"nothing": func(d *driver) *driver { return d.types("xylophone") },
		"transcript": func(d *driver) *driver {
			d.reads(addConversation(d.lib, nil, uitest.Kinds()["changes"]...), "", 0)
			return d.keys("t", "g")
		},
		"lineage":    with(addFamily, "ctrl+l", "down"),
		"usage":      presses("ctrl+x", "U", "down"),
		"space":      with(stored, "ctrl+x", "S", "down"),
		"comparison": with(parting, "tab", "down", "tab", "ctrl+x", "C"),
		"running":    with(func(f *uitest.Fake) { openSessions(f) }, "down"),
		"expiring": with(func(f *uitest.Fake) {
			for i := range 4 {
				f.Convs[i].ExpiresAt = uitest.Now().AddDate(0, 0, 4*i)
			}
		}, "ctrl+x", "X", "down"),
		"clutter":   presses("ctrl+x", "c", "down"),
		"inspector": with(func(f *uitest.Fake) { knownFacts(f) }, "ctrl+x", "i"),
		"filter":    presses("f4", "down", "space"),
		"menu":      presses("ctrl+x"),
		"help":      presses("?"),
		"delete":    presses("down", "ctrl+d"),
	}
}

// Every screen in every palette: the text once, then a letter for each cell by how it is
// drawn, and what the letters are in each palette. No cell has a color that is not of the
// palette, or that cannot be read on its ground; and a screen that stays open while the
// theme changes keeps no color of the one before.
func TestEveryScreenInEveryPalette(t *testing.T) {
	t.Parallel()
	sizes := [][2]int{{80, 24}}
	names := paletteNames[:fewPalettes]
	if campaign.On() {
		names = paletteNames
		sizes = append(sizes, [][2]int{{30, 8}, {60, 20}, {120, 40}, {200, 50}}...)
	}
	for name, path := range painted() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range sizes {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					d := path(start(t, lib, size[0], size[1]))
					text := ""
					looks := make([][]string, size[1]*size[0])
					for _, name := range names {
						theme, kind, _ := strings.Cut(name, " ")
						d.root.colors.setup.Light = kind == "light"
						d.root.applyTheme(theme)
						content := d.root.View().Content
						if plain := trailing.ReplaceAllString(ansi.Strip(content), "\n"); text == "" {
							text = plain
						} else if plain != text {
							t.Errorf("%s changes the text to\n%s\nfrom\n%s", name, plain, text)
						}
						d.looks(name, content, looks)
					}
					if size == sizes[0] {
						golden.RequireEqual(t, d.screen()+inLetters(looks, size[0]))
					}
				})
			}
		})
	}
}

// paletteNames are all palettes: a theme, and the kind of terminal for those with two.
// The golden screens have those before fewPalettes.
var paletteNames = []string{"dark", "light light", "harbor", "ansi16", "mono", "linen light", "high-contrast", "high-contrast light", "color-blind", "color-blind light", "ansi16 light", "dark"}

const fewPalettes = 5 // as many as columns below the golden screens

// looks adds how each cell is drawn in the theme in force, and checks it.
func (d *driver) looks(name, content string, all [][]string) {
	d.t.Helper()
	p := d.root.styles.Palette
	inks := map[string]bool{"": true}
	for _, c := range []string{
		p.Text, p.Muted, p.Faint, p.Accent, p.Border, p.Hit, p.OnMatch, p.Good, p.Warn, p.Bad, p.OnDanger,
		p.User, p.Agent, p.Summary, p.Tool, p.Argument, p.Output, p.Added, p.Removed,
	} {
		inks[c] = true
	}
	grounds := map[string]bool{"": true, p.Surface: true, p.Selection: true, p.Match: true, p.Danger: true, p.AddedGround: true, p.RemovedGround: true}
	buffer := uv.NewScreenBuffer(d.w, d.h)
	uv.NewStyledString(content).Draw(buffer, buffer.Bounds())
	known := map[uv.Style]string{}
	for y := range d.h {
		for x := range d.w {
			c := buffer.CellAt(x, y)
			if c == nil || c.IsZero() { // the right half of a wide character
				all[y*d.w+x] = append(all[y*d.w+x], "")
				continue
			}
			look, ok := known[c.Style]
			if !ok {
				ink, ground := colorName(c.Style.Fg), colorName(c.Style.Bg)
				look = cellLook(c.Style, ink, ground)
				known[c.Style] = look
				switch {
				case !inks[ink] || !grounds[ground]:
					d.t.Errorf("%s at %dx%d: %s is not of the palette", name, d.w, d.h, look)
				case tooFaint(p, ink, ground):
					d.t.Errorf("%s at %dx%d: %s cannot be read", name, d.w, d.h, look)
				}
			}
			all[y*d.w+x] = append(all[y*d.w+x], look)
		}
	}
}

// colorName writes a color as palettes do.
func colorName(c color.Color) string {
	switch c := c.(type) {
	case nil:
		return ""
	case ansi.BasicColor:
		return fmt.Sprint(uint8(c))
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8)
}

// cellLook describes a style: "#D8DEE9 on #2B3447 bold".
func cellLook(s uv.Style, ink, ground string) string {
	var words []string
	if ink != "" {
		words = append(words, ink)
	}
	if ground != "" {
		words = append(words, "on", ground)
	}
	for _, a := range []struct {
		bit  uint8
		name string
	}{{uv.AttrBold, "bold"}, {uv.AttrFaint, "dim"}, {uv.AttrItalic, "italic"}, {uv.AttrReverse, "reverse"}, {uv.AttrStrikethrough, "struck"}} {
		if s.Attrs&a.bit != 0 {
			words = append(words, a.name)
		}
	}
	if s.Underline != uv.UnderlineNone {
		words = append(words, "underline")
	}
	if len(words) == 0 {
		return "plain"
	}
	return strings.Join(words, " ")
}

// tooFaint tells whether text cannot be read on its ground: below 3:1, the least of any
// role. The sixteen colors are those of the terminal.
func tooFaint(p theme.Palette, ink, ground string) bool {
	if ground == "" {
		ground = p.Ground
	}
	if ground == "" {
		ground = map[bool]string{true: "#1E1E1E", false: "#FFFFFF"}[p.Dark]
	}
	if !strings.HasPrefix(ink, "#") || !strings.HasPrefix(ground, "#") {
		return false
	}
	a, b := luminance(ink), luminance(ground)
	return (max(a, b)+0.05)/(min(a, b)+0.05) < 3
}

func luminance(hex string) (l float64) {
	var c [3]uint8
	if _, err := fmt.Sscanf(hex, "#%02X%02X%02X", &c[0], &c[1], &c[2]); err != nil {
		panic("not a color: " + hex)
	}
	for i, part := range []float64{0.2126, 0.7152, 0.0722} {
		if v := float64(c[i]) / 255; v <= 0.04045 {
			l += part * v / 12.92
		} else {
			l += part * math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return l
}

// inLetters writes one letter for cells that look alike in all palettes, and below them
// what the letters are in each.
func inLetters(looks [][]string, w int) string {
	letters := "·abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	var grid, legend strings.Builder
	fmt.Fprintf(&legend, "\n   %-23s  %-23s  %-23s  %-16s  %s\n", "dark", "light", "harbor", "ansi16", "mono")
	known := map[string]string{}
	last := ""
	for i, cell := range looks {
		cell = cell[:fewPalettes]
		key := strings.Join(cell, "\n")
		if cell[0] == "" { // it looks as its left half
			grid.WriteString(last)
			continue
		}
		letter := known[key]
		if letter == "" {
			r := []rune(letters)[min(len(known), len([]rune(letters))-1)]
			letter = string(r)
			known[key] = letter
			legend.WriteString(trailing.ReplaceAllString(fmt.Sprintf("%s  %-23s  %-23s  %-23s  %-16s  %s\n", letter, cell[0], cell[1], cell[2], cell[3], cell[4]), "\n"))
		}
		last = letter
		grid.WriteString(letter)
		if i%w == w-1 {
			grid.WriteString("\n")
		}
	}
	return strings.Repeat("─", w) + "\n" + grid.String() + legend.String()
}
