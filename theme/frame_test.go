package theme

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestFrame(t *testing.T) {
	for _, c := range []struct {
		ascii bool
		want  string
	}{{false, "╭────╮\n│ ab │\n╰────╯"}, {true, "+----+\n| ab |\n+----+"}} {
		s := New(Harbor, c.ascii)
		got := s.Frame([]string{"ab"}, 2, s.Border)
		if text := ansi.Strip(strings.Join(got, "\n")); text != c.want {
			t.Errorf("it is\n%s", text)
		}
		for _, l := range got {
			if !strings.HasPrefix(l, "\x1b[48;2;22;40;51m") {
				t.Errorf("%q is not on the surface", l)
			}
		}
	}
}

func TestOnlyTheHitsOfTheCurrentLineAreFilled(t *testing.T) {
	for _, p := range []Palette{Dark, Linen, ANSI, Mono} {
		s := New(p, false)
		line := s.Text.Render("a ") + s.Hit.Render("hit") + s.Text.Render(" b ") + s.Hit.Render("hit")
		want := s.Text.Render("a ") + s.CurrentHit.Render("hit") + s.Text.Render(" b ") + s.CurrentHit.Render("hit")
		// Lip Gloss draws underlined letters one by one.
		fill, _, _ := strings.Cut(s.CurrentHit.Render("x"), "x")
		joined := func(l string) string { return strings.ReplaceAll(l, "\x1b[m"+fill, "") }
		if got := joined(s.Current(line)); got != joined(want) {
			t.Errorf("it is %q, not %q", got, want)
		}
	}
}

// The lower edge has the longest form of the hints that fits, and the color of the frame on
// both sides of it.
func TestFrameWithHints(t *testing.T) {
	for wide, want := range map[int]string{12: "╰─ enter · esc ╯", 13: "╰─ enter · esc ─╯", 5: "╰─ esc ─╯", 3: "╰─────╯"} {
		s := New(Harbor, false)
		rows := s.Frame([]string{strings.Repeat("x", wide)}, wide, s.Border, "enter · esc", "esc")
		edge := rows[len(rows)-1]
		if text := ansi.Strip(edge); text != want {
			t.Errorf("in %d columns it is %s", wide, text)
		}
		corner, _, _ := strings.Cut(s.Border.Render("╯"), "╯")
		if begin := strings.LastIndex(edge, "\x1b[38"); !strings.HasPrefix(edge[max(begin, 0):], corner) {
			t.Errorf("in %d columns the end of the edge has another color than its beginning: %q", wide, edge)
		}
	}
}
