package kit

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/theme"
)

// Spans draws pieces of text in exactly w columns, the hits among them in the style
// match.
func Spans(pieces []match.Span, w int, text, match lipgloss.Style, ellipsis string) string {
	var b strings.Builder
	left := w
	for i, p := range pieces {
		wide := ansi.StringWidth(p.Text)
		more := i < len(pieces)-1
		t := p.Text
		if wide > left || wide == left && more {
			t = ansi.Truncate(t+" ", left, ellipsis)
			wide, more = ansi.StringWidth(t), false
		}
		style := text
		if p.Hit {
			style = match
		}
		if t != "" {
			b.WriteString(style.Render(t))
		}
		left -= wide
		if left <= 0 || !more && i < len(pieces)-1 {
			break
		}
	}
	if left > 0 {
		b.WriteString(text.Render(strings.Repeat(" ", left)))
	}
	return b.String()
}

// StateGlyph gives the glyph and the style of a state.
func StateGlyph(s *theme.Styles, st model.State) (string, lipgloss.Style) {
	switch st {
	case model.StateRunning:
		return s.Glyphs.Running, s.Good
	case model.StateInterrupted:
		return s.Glyphs.Interrupted, s.Warn
	case model.StateFailed:
		return s.Glyphs.Failed, s.Bad
	case model.StateEmpty:
		return s.Glyphs.Empty, s.Faint
	}
	return s.Glyphs.Done, s.Faint
}

// SpanText joins the text of spans.
func SpanText(spans []match.Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}
