package ui

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"hermes-sessions/theme"
	"hermes-sessions/ui/uitest"
)

// A line of 9,600 baud carries 960 bytes in a second, so a key may change only what it
// is about, and nothing moves by itself.
func TestAKeyDrawsOnlyWhatChanges(t *testing.T) {
	t.Parallel()
	const right, down, up, esc, backspace = "\x1b[C", "\x1b[B", "\x1b[A", "\x1b", "\x7f"
	for name, c := range map[string]struct {
		colors  theme.Colors
		profile colorprofile.Profile
		move    int // bytes for a step in a list: two rows and the line below the current one
		text    int // for a letter in a field or a hit
	}{
		"true color":     {theme.TrueColor, colorprofile.TrueColor, 1000, 400},
		"sixteen colors": {theme.Colors16, colorprofile.ANSI, 600, 300},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				s := startProgramOn(t, lib, 80, 24, c.profile, func(o *Options) { o.Theme.Colors = c.colors })
				first := s.written()
				press := func(what, key string, most int) {
					t.Helper()
					before := s.written()
					_, _ = io.WriteString(s.keys, key)
					s.wait(2 * time.Second)
					if n := s.written() - before; n > most {
						t.Errorf("%s: %d bytes, at most %d", what, n, most)
					}
				}
				press("one row down", down, c.move)
				press("another", down, c.move)
				press("one row up", up, c.move)
				press("a first letter", "k", first)
				press("a second letter", "a", c.text)
				press("none again", backspace, first)
				press("a letter less", backspace, first)
				press("the palette", ":", 2*first)
				press("a letter in it", "s", first)
				press("a command down", down, c.move)
				press("away with it", esc, first)
				before := s.written()
				s.wait(20 * time.Second)
				if n := s.written() - before; n > 0 {
					t.Errorf("in 20 s without a key: %d bytes", n)
				}
				press("one row down", down, c.move)
				press("the conversation", right, first)
				press("a search in it", "/", c.text)
				press("a letter of that", "o", c.text)
				if !strings.Contains(s.text(), "/o") {
					t.Errorf("the screen is\n%s", s.text())
				}
				s.leave()
			})
		})
	}
}

// The progress of a change leaves half of a line of 9,600 baud to the keys. The search shows no
// row with wide characters, which the renderer draws anew in each frame.
func TestProgressDrawsLittle(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{"counted": {"broker", "\x1b[B", "\x04", "y"}, "not counted": {"broker", "\x1b[B", "\x18", "a"}} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Takes = 400 * time.Second
			s := startProgramOn(t, lib, 80, 24, colorprofile.TrueColor, func(*Options) {})
			for _, k := range keys {
				_, _ = io.WriteString(s.keys, k)
				s.wait(time.Second)
			}
			s.wait(2 * time.Second)
			before := s.written()
			s.wait(10 * time.Second)
			if n := (s.written() - before) / 10; n > 480 || n == 0 {
				t.Errorf("%s: %d bytes in a second", name, n)
			}
			_, _ = io.WriteString(s.keys, "\x1bc")
			s.wait(time.Second)
			s.leave()
		})
	}
}
