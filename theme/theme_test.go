package theme

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// luminance is that of WCAG 2, for #RRGGBB.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil || len(hex) != 7 {
		t.Fatalf("%q is no color", hex)
	}
	part := func(shift uint) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// The background of a terminal is not known. These are common ones.
func TestTextStandsOutFromEveryBackgroundItMeets(t *testing.T) {
	for name, c := range map[string]struct {
		p           Palette
		backgrounds []string
	}{
		"dark":  {Dark, []string{"#000000", "#1E1E1E", "#1D1F21", "#282C34", Dark.Selection}},
		"light": {Light, []string{"#FFFFFF", "#FAFAFA", "#FDF6E3", Light.Selection}},
	} {
		p := c.p
		for role, color := range map[string]string{
			"text": p.Text, "muted": p.Muted, "faint": p.Faint, "accent": p.Accent, "good": p.Good, "warn": p.Warn,
			"bad": p.Bad, "user": p.User, "agent": p.Agent, "tool": p.Tool,
		} {
			for _, bg := range c.backgrounds {
				if k := contrast(t, color, bg); k < 4.5 {
					t.Errorf("%s: %s %s on %s has a contrast of %.2f", name, role, color, bg, k)
				}
			}
		}
		for what, pair := range map[string][2]string{"a match": {p.OnMatch, p.Match}, "accent": {p.OnAccent, p.Accent}} {
			if k := contrast(t, pair[0], pair[1]); k < 4.5 {
				t.Errorf("%s: text on %s has a contrast of %.2f", name, what, k)
			}
		}
	}
}

// Without colors, the current row and a match still differ from the rest.
func TestTheSelectionNeedsNoColor(t *testing.T) {
	for name, p := range map[string]Palette{"ansi": ANSI, "mono": Mono} {
		s := New(p, false)
		for part, style := range map[string]lipgloss.Style{"text": s.Text, "faint": s.Faint, "good": s.Good} {
			if got := s.On(true, style).Render("x"); !strings.Contains(got, "7") || !strings.Contains(got, "1") {
				t.Errorf("%s: the current row's %s is not bold and reversed: %q", name, part, got)
			}
		}
		if s.Match.Render("x") == s.Text.Render("x") {
			t.Errorf("%s: a match looks like text", name)
		}
	}
	for _, p := range []Palette{Dark, Light} {
		s := New(p, false)
		if s.On(true, s.Text).Render("x") == s.Text.Render("x") || s.On(false, s.Text).Render("x") != s.Text.Render("x") {
			t.Error("the current row looks like the others")
		}
	}
}

func TestMonoHasNoColor(t *testing.T) {
	styles := reflect.ValueOf(New(Mono, false))
	for i := range styles.NumField() {
		style, ok := styles.Field(i).Interface().(lipgloss.Style)
		if !ok {
			continue
		}
		if got := style.Render("x"); strings.Contains(got, "38;") || strings.Contains(got, "48;") {
			t.Errorf("%s has a color: %q", styles.Type().Field(i).Name, got)
		}
	}
}

func TestAnsiUsesTheTerminalsSixteenColors(t *testing.T) {
	p := reflect.ValueOf(ANSI)
	for i := range p.NumField() {
		name := p.Type().Field(i).Name
		if c, ok := p.Field(i).Interface().(string); ok && c != "" && name != "CodeTheme" {
			if n, err := strconv.Atoi(c); err != nil || n < 0 || n > 15 {
				t.Errorf("%s is %q", name, c)
			}
		}
	}
}

// Every glyph exists in both sets; the Unicode ones take one column, so that
// columns stay straight, and the others are ASCII.
func TestGlyphs(t *testing.T) {
	fancy, plain := reflect.ValueOf(New(Dark, false).Glyphs), reflect.ValueOf(New(Dark, true).Glyphs)
	for i := range fancy.NumField() {
		name, g, a := fancy.Type().Field(i).Name, fancy.Field(i).String(), plain.Field(i).String()
		if ansi.StringWidth(g) != 1 {
			t.Errorf("%s %q takes %d columns", name, g, ansi.StringWidth(g))
		}
		if a == "" || strings.ContainsFunc(a, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%s is %q in ASCII", name, a)
		}
	}
	if box := fmt.Sprint(New(Dark, true).Box); strings.ContainsAny(ansi.Strip(box), "╭│─") {
		t.Errorf("the plain box is drawn with %q", box)
	}
}

func TestSpellingInASCII(t *testing.T) {
	const text = "3 tool calls ×2 · 1\u2009204 “x”… ↵ → ← ↑ ↓"
	if got := New(Mono, true).Spell(text); strings.ContainsFunc(got, func(r rune) bool { return r > '~' }) {
		t.Errorf("in ASCII it is %q", got)
	}
	if got := New(Mono, false).Spell(text); got != text {
		t.Errorf("it becomes %q", got)
	}
}
