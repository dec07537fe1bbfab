package shell

import (
	"strings"

	"charm.land/lipgloss/v2"

	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
)

// TextLines draws a text that stands in place of rows, in lines of at most w columns.
func TextLines(s *theme.Styles, w int, text string) []string {
	return indented(s.Text, s.Cells.Wrap(text, max(w-4, 1)))
}

// ErrorLines draws in place of rows why they could not be read, and what helps.
func ErrorLines(s *theme.Styles, w int, err error) []string {
	return indented(s.Text, Explain(s.Cells, err, max(w-4, 1)))
}

// UnreadableLines draws in place of what a screen shows, such as "conversation", why it could
// not be read, with the keys that read it again and go back: in lines of w columns, left of
// which are left columns.
func UnreadableLines(env *Env, s *theme.Styles, in Context, what string, err error, left, w int) []string {
	out := []string{""}
	say := func(style lipgloss.Style, text string) {
		for _, l := range s.Cells.Wrap(text, w) {
			out = append(out, strings.Repeat(" ", left)+style.Render(l))
		}
	}
	say(s.Bad, s.Glyphs.Failed+" This "+what+" could not be read")
	say(s.Text, kit.CleanLine(err.Error()))
	out = append(out, "")
	say(s.Muted, env.Keys.Find(in, Reload).KeyText()+" retries · "+env.Keys.Find(in, Back).KeyText()+" goes back")
	return out
}

// WaitingLines draws in place of rows what is being done, such as "reading", and the bar of
// [kit.Waiting].
func WaitingLines(s *theme.Styles, w int, doing string, moves int) []string {
	return []string{"  " + kit.Waiting(s, max(w-4, 1), doing, moves)}
}

func indented(style lipgloss.Style, lines []string) []string {
	for i, l := range lines {
		lines[i] = "  " + style.Render(l)
	}
	return lines
}
