package ui

import (
	"fmt"
	"image/color"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// told is a terminal's answer about its background.
func told(red, green, blue uint8) tea.Msg {
	return tea.BackgroundColorMsg{Color: color.RGBA{R: red, G: green, B: blue, A: 255}}
}

// questions counts how often the terminal was asked for its background.
func (d *driver) questions(in func()) (n int) {
	d.t.Helper()
	before := d.backgroundAsked
	in()
	return d.backgroundAsked - before
}

func TestColorsFollowTheBackground(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		is := func(when string, want theme.Palette) {
			t.Helper()
			if want.CodeTheme = ""; d.root.styles.Palette != want {
				t.Errorf("%s the palette is %+v", when, d.root.styles.Palette)
			}
		}
		if !slices.Contains(d.raw, "\x1b[?2031h") {
			t.Errorf("the terminal got %q", d.raw)
		}
		is("at first", theme.Dark)
		d.send(uv.LightColorSchemeEvent{})
		is("told only that it is light now,", theme.Light)
		d.send(told(0x1e, 0x1e, 0x1e))
		is("on a dark background", theme.Dark.Fit("#1E1E1E"))
		d.send(told(0xfd, 0xf6, 0xe3))
		is("on a light background", theme.Light.Fit("#FDF6E3"))
		if n := d.questions(func() { d.send(uv.DarkColorSchemeEvent{}); d.settle() }); n != 1 {
			t.Errorf("told of a change, it asks %d times", n)
		}
		is("until the answer", theme.Light.Fit("#FDF6E3"))
		if n := d.questions(func() { d.send(tea.FocusMsg{}); d.settle() }); n != 1 {
			t.Errorf("back from another window, it asks %d times", n)
		}
	})
}

func TestThemesChangeAtOnce(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.send(told(0, 0, 0))
		d.keys(":").types("theme harbor").sees("A harbor at night").keys("enter")
		if p := d.root.styles.Palette; p.Ground != theme.Harbor.Ground {
			t.Fatalf("the palette is %+v", p)
		}
		ground, text := theme.Harbor.Painted()
		if v := d.root.View(); v.BackgroundColor != ground || v.ForegroundColor != text {
			t.Errorf("the terminal is painted %v with text %v", v.BackgroundColor, v.ForegroundColor)
		}
		d.sees("Theme harbor")
		d.send(told(0x0f, 0x1b, 0x24)) // what was painted
		d.keys("right")                // a screen that opens later has it too
		if d.root.styles.Palette.Ground != theme.Harbor.Ground || d.root.colors.setup.Background != "#000000" {
			t.Errorf("the terminal is taken for %q", d.root.colors.setup.Background)
		}
		d.keys(":").types("theme auto")
		if n := d.questions(func() { d.keys("enter"); d.settle() }); n != 1 {
			t.Errorf("when the painted ground goes, it asks %d times", n)
		}
		if v := d.root.View(); v.BackgroundColor != nil || d.root.styles.Palette.Text != theme.Dark.Text {
			t.Errorf("the terminal stays painted %v", v.BackgroundColor)
		}
		d.keys(":").types("theme auto")
		if line := d.current(); !strings.Contains(d.screen(), "✓ theme auto") && !strings.Contains(d.screen(), "▸ theme auto") {
			t.Errorf("it is not marked: %q", line)
		}
	})
}

func TestAThemeIsTriedWhileItIsSelected(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		ground := func(when, want string) {
			t.Helper()
			if got := d.root.styles.Palette.Ground; got != want {
				t.Errorf("%s the ground is %q", when, got)
			}
		}
		to := func(theme string) {
			t.Helper()
			for range 20 {
				if strings.Contains(d.screen(), "▸ "+theme) {
					return
				}
				d.keys("down")
			}
			t.Fatalf("no %s in\n%s", theme, d.screen())
		}
		d.keys(":").types("theme")
		ground("while it is written", "")
		to("theme harbor")
		ground("on harbor", theme.Harbor.Ground)
		d.keys("esc")
		ground("without a choice", "")
		d.keys(":").types("theme")
		to("theme harbor")
		d.types("x")
		ground("when a letter is typed", "")
		d.keys("backspace")
		to("theme harbor")
		d.keys("enter").sees("Theme harbor")
		ground("when it is chosen", theme.Harbor.Ground)
		d.keys(":").types("theme")
		to("theme mono")
		ground("on mono", "")
		d.keys("esc")
		ground("after that", theme.Harbor.Ground)
	})
}

func TestAThemeThatTheTerminalCannotShowSaysWhy(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, func(o *Options) { o.Theme.Colors = theme.Colors16 })
		d.keys(":").types("theme linen").sees("the terminal has only 16 colors").keys("enter")
		if d.root.styles.Palette != theme.ANSI {
			t.Errorf("the palette is %+v", d.root.styles.Palette)
		}
	})
}

// A frame below the prompt does not paint the whole terminal.
func TestAnInlineBrowserPaintsNoGround(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, func(o *Options) { o.Height, o.Theme.Theme = 10, "linen" })
		if v := d.root.View(); v.BackgroundColor != nil || !d.root.styles.Palette.Dark {
			t.Errorf("it paints %v, and its text is for paper", v.BackgroundColor)
		}
	})
}

// Another program would take reports about the background for keys.
func TestReportsEndBeforeAnotherProgramBegins(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, func(o *Options) { o.After = shell.Return })
		for _, key := range []string{"ctrl+z", "enter"} {
			d.raw = nil
			d.keys("down", key).settle()
			if !slices.Contains(d.raw, EndBackgroundReports) {
				t.Errorf("%s: the terminal got %q", key, d.raw)
			}
			d.raw = nil
			d.send(tea.ResumeMsg{})
			d.settle()
			if !slices.Contains(d.raw, "\x1b[?2031h") {
				t.Errorf("back again: the terminal got %q", d.raw)
			}
		}
	})
}

// sgrColor is a color in a sequence of the terminal.
var sgrColor = regexp.MustCompile(`[34]8;(?:2;(\d+);(\d+);(\d+)|5;(\d+))|[;\[]((?:3|4|9|10)[0-7])[;m]`)

// A theme changes colors and nothing else, and no screen has a color that is not of the
// palette.
func TestThemesChangeNothingButColors(t *testing.T) {
	t.Parallel()
	screens := map[string][]string{
		"list": nil, "search": {"k", "a"}, "transcript": {"k", "a", "right", "n"}, "tree": {"ctrl+l"}, "delete": {"ctrl+d", "left"},
		"rename": {"f2"}, "menu": {"ctrl+x"}, "palette": {":"}, "help": {"f1"}, "offers": {"s", "o", "u", "r"}, "clean-up": {"ctrl+x", "c"},
	}
	for name, path := range screens {
		t.Run(name, func(t *testing.T) {
			var want string
			for _, th := range theme.Themes() {
				if !slices.Contains([]string{"auto", "linen", "ansi16", "mono"}, th.Name) && !campaign.On() {
					continue
				}
				at(t, func(t *testing.T, lib *uitest.Fake) {
					d := start(t, lib, 100, 30, func(o *Options) { o.Theme.Theme = th.Name })
					d.keys(path...)
					content := d.root.View().Content
					if text := ansi.Strip(content); want == "" {
						want = text
					} else if text != want {
						t.Errorf("%s has other text:\n%s\nnot\n%s", th.Name, text, want)
					}
					known := map[string]bool{}
					for i, v := 0, reflect.ValueOf(d.root.styles.Palette); i < v.NumField(); i++ {
						if v.Field(i).Kind() == reflect.String {
							known[v.Field(i).String()] = true
						}
					}
					colored := sgrColor.FindAllStringSubmatch(content, -1)
					if len(colored) == 0 && th.Name != "mono" {
						t.Errorf("%s has no colors", th.Name)
					}
					for _, m := range colored {
						c := m[4]
						if m[1] != "" {
							var part [3]int
							for i := range part {
								part[i], _ = strconv.Atoi(m[i+1])
							}
							c = fmt.Sprintf("#%02X%02X%02X", part[0], part[1], part[2])
						} else if m[5] != "" {
							n, _ := strconv.Atoi(m[5])
							if c = strconv.Itoa(n % 10); n >= 90 {
								c = strconv.Itoa(n%10 + 8)
							}
						}
						if !known[c] {
							t.Errorf("%s has the color %s (%q), which is not of its palette", th.Name, c, m[0])
							break
						}
					}
				})
			}
		})
	}
}
