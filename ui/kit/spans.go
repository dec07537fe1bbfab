package kit

import (
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
)

// Spans draws pieces of text in exactly w columns, the hits among them in the style
// match.
func Spans(measure cells.Method, pieces []match.Span, w int, text, match lipgloss.Style, ellipsis string) string {
	var b strings.Builder
	left := w
	for i, p := range pieces {
		wide := measure.StringWidth(p.Text)
		more := i < len(pieces)-1
		t := p.Text
		if wide > left || wide == left && more {
			t = measure.Truncate(t+" ", left, ellipsis)
			wide, more = measure.StringWidth(t), false
		}
		style := text
		if p.Hit && t != ellipsis {
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

// StateGlyph returns the glyph and the style of a state, a blank for those that are usual.
func StateGlyph(s *theme.Styles, st model.State) (string, lipgloss.Style) {
	switch st {
	case model.StateRunning:
		return s.Glyphs.Running, s.Good
	case model.StateFailed:
		return s.Glyphs.Failed, s.Bad
	}
	return " ", s.Faint
}

// StateText says what a state is, and why the session ended.
func StateText(st model.State, reason string) string {
	text := st.String()
	if st == model.StateDone {
		text = "ended"
	}
	switch {
	case reason == "":
		return text
	case st != model.StateDone:
		text += " · ended"
	}
	return text + ": " + CleanLine(reason)
}

// SpanText joins the text of spans.
func SpanText(spans []match.Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// StyleRanges puts styles on ranges of columns of a line, in place of the styles there.
// The ranges are in order and do not overlap.
func StyleRanges(measure cells.Method, line string, ranges ...lipgloss.Range) string {
	var b strings.Builder
	plain, at := ansi.Strip(line), 0
	for _, r := range ranges {
		if r.Start > at {
			b.WriteString(measure.Cut(line, at, r.Start))
		}
		b.WriteString(r.Style.Render(measure.Cut(plain, r.Start, r.End)))
		at = r.End
	}
	b.WriteString(measure.TruncateLeft(line, at, ""))
	return b.String()
}

// wrapStyled wraps a styled text; each line ends its styles and links, and the next
// begins them again.
func wrapStyled(measure cells.Method, text string, w int) []string {
	var b strings.Builder
	out := lipgloss.NewWrapWriter(&b)
	_, _ = io.WriteString(out, strings.Join(measure.Wrap(text, w), "\n")) // a builder takes everything
	_ = out.Close()
	return strings.Split(b.String(), "\n")
}
