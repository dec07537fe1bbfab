package theme

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
)

// palettes returns every palette by a name.
func palettes() map[string]Palette {
	all := map[string]Palette{}
	for _, t := range Themes() {
		if t.Name != "auto" {
			all[t.Name+" on dark"], all[t.Name+" on light"] = t.Dark, t.Light
		}
	}
	return all
}

// terminals are the backgrounds of common terminals, dark and light.
var terminals = map[bool][]string{
	true:  {"#000000", "#0C0C0C", "#1D1F21", "#1E1E1E", "#282C34"},
	false: {"#FFFFFF", "#FAFAFA", "#FDF6E3"},
}

// value returns a color of a palette of #RRGGBB or of 256 colors.
func value(t *testing.T, c string) rgb {
	t.Helper()
	v, ok := color256(c)
	if !ok {
		t.Fatalf("%q is no color", c)
	}
	return v
}

// check tests the contrasts of a palette on a background.
func check(t *testing.T, name string, p Palette, background string) {
	t.Helper()
	grounds := map[string]string{"the background": background, "the surface": p.Surface, "the current row": p.Selection}
	for _, r := range p.roles() {
		for where, ground := range grounds {
			if ground == "" {
				continue
			}
			if k := contrast(value(t, *r.color), value(t, ground)); k < r.least {
				t.Errorf("%s: %s %s on %s %s has a contrast of %.2f, not %.1f", name, r.name, *r.color, where, ground, k, r.least)
			}
		}
	}
	for _, f := range p.fills() {
		if k := contrast(value(t, *f.text), value(t, *f.ground)); k < leastText {
			t.Errorf("%s: %s %s on %s has a contrast of %.2f", name, f.name, *f.text, *f.ground, k)
		}
	}
	const leastBold = 4
	for _, ground := range []string{p.AddedGround, p.RemovedGround} {
		if k := contrast(value(t, p.Hit), value(t, ground)); k < leastBold {
			t.Errorf("%s: a hit %s in a changed line %s has a contrast of %.2f", name, p.Hit, ground, k)
		}
	}
}

func TestEveryRoleStandsOutFromItsGround(t *testing.T) {
	for name, p := range palettes() {
		if p.Selection == "" {
			continue // the terminal's own colors, and none
		}
		backgrounds := terminals[p.Dark]
		if p.Ground != "" {
			backgrounds = []string{p.Ground}
		}
		for _, background := range backgrounds {
			check(t, name, p, background)
			check(t, name+", fitted", p.Fit(background), background)
		}
	}
}

func TestHighContrastIsStronger(t *testing.T) {
	for _, p := range []Palette{HighContrast, HighContrastLight} {
		for _, r := range p.roles() {
			if k := contrast(value(t, *r.color), value(t, p.Ground)); k < 7 && r.name != "border" {
				t.Errorf("%s %s has a contrast of %.2f", r.name, *r.color, k)
			}
		}
	}
}

// Fitted to a background, colors stay as they are where they can be read, and move
// where not.
func TestAPaletteFitsAnyBackground(t *testing.T) {
	if got := Dark.Fit("#1E1E1E"); got.Text != Dark.Text || got.Faint != Dark.Faint || got.Selection != Dark.Selection || got.Surface == "" {
		t.Errorf("on a common background it becomes %+v", got)
	}
	for _, p := range []Palette{Dark, ColorBlind} {
		for _, background := range []string{"#002B36", "#2E3440", "#300A24", "#073642", "#3F3F3F", "#1A1B26", "#0000AA"} {
			check(t, "fitted", p.Fit(background), background)
		}
	}
	for _, p := range []Palette{Light, ColorBlindLight} {
		for _, background := range []string{"#EEE8D5", "#D8DEE9", "#FFFFDD", "#C8C8C8"} {
			check(t, "fitted", p.Fit(background), background)
		}
	}
	if Harbor.Fit("#FFFFFF") != Harbor || ANSI.Fit("#FFFFFF") != ANSI || Mono.Fit("#FFFFFF") != Mono {
		t.Error("a palette with a ground of its own, or without such colors, has changed")
	}
}

func TestPalettesOf256Colors(t *testing.T) {
	for name, p := range palettes() {
		i := p.Indexed()
		if p.Selection == "" {
			if i != p {
				t.Errorf("%s has changed", name)
			}
			continue
		}
		for _, r := range i.roles() {
			if n, err := strconv.Atoi(*r.color); err != nil || n < 16 {
				t.Errorf("%s: %s is %q", name, r.name, *r.color)
			}
		}
		background := p.Ground
		if background == "" {
			background = map[bool]string{true: "#1E1E1E", false: "#FFFFFF"}[p.Dark]
		}
		check(t, name+" in 256 colors", i, background)
	}
	// The nearest color of the cube would be teal.
	if v := value(t, Dark.Indexed().Selection); math.Abs(v[0]-v[2]) > 0.3 {
		t.Errorf("the current row becomes %v", v)
	}
}

// The sixteen colors of common terminals as they come, then background and text of
// their dark and of their light form.
var sixteen = map[string]struct{ colors, dark, light string }{
	"xterm":            {"000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff", "000000 e5e5e5", "ffffff 000000"},
	"linux console":    {"000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff", "000000 aaaaaa", ""},
	"macOS Terminal":   {"000000 990000 00a600 999900 0000b2 b200b2 00a6b2 bfbfbf 666666 e50000 00d900 e5e500 0000ff e500e5 00e5e5 e5e5e5", "000000 ffffff", "ffffff 000000"},
	"Windows Terminal": {"0c0c0c c50f1f 13a10e c19c00 0037da 881798 3a96dd cccccc 767676 e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 f2f2f2", "0c0c0c cccccc", "ffffff 0c0c0c"},
	"GNOME Terminal":   {"171421 c01c28 26a269 a2734c 12488b a347ba 2aa1b3 d0cfcc 5e5c64 f66151 33d17a e9ad0c 2a7bde c061cb 33c7de ffffff", "1e1e1e ffffff", "ffffff 171421"},
	"Solarized":        {"073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3", "002b36 839496", "fdf6e3 657b83"},
}

// leastSolarized is what Solarized itself gives its text on its light background.
const leastSolarized = 4.1

func TestTheSixteenColorsCanBeReadInEveryTerminal(t *testing.T) {
	for name, scheme := range sixteen {
		table := strings.Fields(scheme.colors)
		for form, pair := range map[string]string{"dark": scheme.dark, "light": scheme.light} {
			p := map[string]Palette{"dark": ANSI, "light": ANSILight}[form]
			background, text, ok := strings.Cut(pair, " ")
			if !ok {
				continue
			}
			color := func(c, or string) rgb {
				if n, err := strconv.Atoi(c); err == nil {
					or = table[n]
				}
				return value(t, "#"+or)
			}
			for _, r := range p.roles() {
				least := r.least
				if name == "Solarized" {
					least = min(least, leastSolarized)
				}
				if k := contrast(color(*r.color, text), color("", background)); k < least {
					t.Errorf("%s, %s: %s %q has a contrast of %.2f", name, form, r.name, *r.color, k)
				}
			}
			for _, f := range p.fills() {
				least := leastText
				if name == "Solarized" {
					least = leastSolarized
				}
				if k := contrast(color(*f.text, text), color(*f.ground, background)); k < least {
					t.Errorf("%s, %s: %s %q on %q has a contrast of %.2f", name, form, f.name, *f.text, *f.ground, k)
				}
			}
		}
	}
	for _, r := range ANSI.roles() {
		if *r.color == "8" {
			t.Errorf("%s is bright black on dark", r.name)
		}
	}
}

// The color vision deficiencies as matrices over linear light (Machado, Oliveira and
// Fernandes 2009, severity 1).
var deficiencies = map[string][3]rgb{
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// seen is a color as an eye with a deficiency sees it.
func seen(c rgb, by [3]rgb) (out rgb) {
	l := c.linear()
	for i, row := range by {
		x := max(0, min(1, row[0]*l[0]+row[1]*l[1]+row[2]*l[2]))
		if x <= 0.0031308 {
			out[i] = 12.92 * x
		} else {
			out[i] = 1.055*math.Pow(x, 1/2.4) - 0.055
		}
	}
	return out
}

func TestColorBlindPalettesTellStatesApart(t *testing.T) {
	const least = 0.08 // in OKLab, where black and white are 1 apart
	for form, p := range map[string]Palette{"dark": ColorBlind, "light": ColorBlindLight} {
		for _, pair := range [][3]string{
			{"good and bad", p.Good, p.Bad},
			{"good and warn", p.Good, p.Warn},
			{"added and removed", p.Added, p.Removed},
			{"user and agent", p.User, p.Agent},
			{"a hit and text", p.Hit, p.Text},
			{"added and removed lines", p.AddedGround, p.RemovedGround},
			{"agent and tool", p.Agent, p.Tool},
		} {
			for name, by := range deficiencies {
				a, b := seen(value(t, pair[1]), by), seen(value(t, pair[2]), by)
				if d := a.oklab().distance(b.oklab()); d < least && !(strings.Contains(pair[0], "lines") && d > 0.04) {
					t.Errorf("%s: %s are %.3f apart with %s", form, pair[0], d, name)
				}
			}
		}
	}
}

// Code is drawn in the roles of prose.
func TestCodeHasNoColorsOfItsOwn(t *testing.T) {
	for name, p := range palettes() {
		known := map[string]bool{"italic": true, "bold": true}
		for _, r := range p.roles() {
			known[*r.color] = true
		}
		for _, f := range p.fills() {
			known[*f.text], known["bg:"+*f.ground] = true, true
		}
		for token, entry := range p.code() {
			for part := range strings.FieldsSeq(entry) {
				if !known[part] {
					t.Errorf("%s: %v has %q", name, token, part)
				}
			}
		}
	}
}

// onGround gives a palette with a background of its own, one of [terminals].
func onGround(p Palette, ground string) Palette {
	p.Ground = ground
	return p
}

func TestThemes(t *testing.T) {
	names := map[string]bool{}
	for _, theme := range Themes() {
		if names[theme.Name] || theme.Help == "" || strings.ContainsAny(theme.Name, " \t") {
			t.Errorf("theme %q", theme.Name)
		}
		names[theme.Name] = true
	}
	for _, c := range []struct {
		setup Setup
		want  Palette
	}{
		{Setup{Theme: "auto"}, Dark},
		{Setup{Theme: "auto", Light: true}, Light},
		{Setup{Theme: "dark", Light: true, Background: "#FFFFFF"}, onGround(Dark, "#1E1E1E")},
		{Setup{Theme: "light", Background: "#202020"}, onGround(Light, "#FFFFFF")},
		{Setup{Theme: "light", Background: "#202020", Inline: true}, Dark.Fit("#202020")},
		{Setup{Theme: "light"}, Light}, // on a terminal that does not tell its background
		{Setup{Theme: "auto", Light: true, Background: "#FFFFFF"}, Light.Fit("#FFFFFF")},
		{Setup{Theme: "harbor", Light: true}, Harbor},
		{Setup{Theme: "high-contrast", Light: true}, HighContrastLight},
		{Setup{Theme: "linen", Colors: Colors256}, Linen.Indexed()},
		{Setup{Theme: "auto", Colors: Colors16}, ANSI},
		{Setup{Theme: "harbor", Colors: Colors16, Light: true}, ANSILight},
		{Setup{Theme: "mono", Colors: Colors16}, Mono},
		{Setup{Theme: "harbor", Colors: NoColors}, Mono},
	} {
		if got := c.setup.Palette(); got != c.want {
			t.Errorf("%+v gives %+v", c.setup, got)
		}
	}
}

func TestALineOnTheSurface(t *testing.T) {
	s := New(Harbor, false)
	line := s.Border.Render("│") + " plain " + s.Danger.Render("x") + " y"
	got := s.onSurface(line)
	on, _, _ := strings.Cut(got, "\x1b[38")
	if !strings.HasPrefix(on, "\x1b[48;2;22;40;51m") || !strings.HasSuffix(got, "\x1b[m") || strings.Count(got, "\x1b[48;2;22;40;51m") < 3 {
		t.Errorf("it is %q", got)
	}
	if mono := New(Mono, false); mono.onSurface("x") != "x" {
		t.Error("a surface without color")
	}
}

// A diff in a block of code has the grounds of the diff of a tool.
func TestDiffsInCodeStandOnTheGroundsOfDiffs(t *testing.T) {
	for name, p := range palettes() {
		for token, ground := range map[chroma.TokenType]string{chroma.GenericInserted: p.AddedGround, chroma.GenericDeleted: p.RemovedGround} {
			if entry := p.code()[token]; ground != "" && !strings.HasSuffix(entry, " bg:"+ground) {
				t.Errorf("%s: %v is %q, want the ground %s", name, token, entry, ground)
			}
		}
	}
}
