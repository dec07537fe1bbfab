package theme

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Without colors, the current row and a match still differ from the rest.
func TestTheSelectionNeedsNoColor(t *testing.T) {
	for name, p := range map[string]Palette{"ansi": ANSI, "ansi light": ANSILight, "mono": Mono} {
		s := New(p, false)
		for part, style := range map[string]lipgloss.Style{"text": s.Text, "faint": s.Faint, "good": s.Good} {
			if got := s.On(true, style).Render("x"); !strings.Contains(got, "7") || !strings.Contains(got, "1") {
				t.Errorf("%s: the current row's %s is not bold and reversed: %q", name, part, got)
			}
		}
		if s.Hit.Render("x") == s.Text.Render("x") || s.CurrentHit.Render("x") == s.Hit.Render("x") {
			t.Errorf("%s: a hit looks like text, or the current one like the others", name)
		}
		if got, row := s.HitOn(true).Render("x"), s.On(true, s.Text).Render("x"); got == row {
			t.Errorf("%s: a hit in the current row looks like the row", name)
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
	styles := reflect.ValueOf(New(Mono, false)).Elem()
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
	for _, palette := range []Palette{ANSI, ANSILight} {
		p := reflect.ValueOf(palette)
		for i := range p.NumField() {
			name := p.Type().Field(i).Name
			if c, ok := p.Field(i).Interface().(string); ok && c != "" && name != "CodeTheme" {
				if n, err := strconv.Atoi(c); err != nil || n < 0 || n > 15 {
					t.Errorf("%s is %q", name, c)
				}
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
	const text = "3 tool calls ×2 · 1,204 “x”… ↵ → ← ↑ ↓"
	if got := New(Mono, true).Spell(text); strings.ContainsFunc(got, func(r rune) bool { return r > '~' }) {
		t.Errorf("in ASCII it is %q", got)
	}
	if got := New(Mono, true).Spell("reading…"); got != "reading..." { // a tilde is the mark of what is cut, and of estimates
		t.Errorf("%q", got)
	}
	if got := New(Mono, false).Spell(text); got != text {
		t.Errorf("it becomes %q", got)
	}
	const frame = "a · b × “c”… → ← ↑ ↓ ≥ 日本"
	if got := New(Mono, true).SpellFrame(frame); strings.ContainsFunc(strings.TrimSuffix(got, "日本"), func(r rune) bool { return r > '~' }) || ansi.StringWidth(got) != ansi.StringWidth(frame) {
		t.Errorf("a frame is %q in ASCII", got)
	}
	if got := New(Mono, false).SpellFrame(frame); got != frame {
		t.Errorf("a frame becomes %q", got)
	}
}
