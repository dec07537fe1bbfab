package list

import (
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// drawQuery draws the part of the query around the cursor that fits w columns,
// its pieces told apart by their styles. It also gives how wide that is and
// the cursor's column in it.
func (l *Screen) drawQuery(w int) (drawn string, wide, col int) {
	from, to, col := l.Prompt.Window(w)
	text := l.Prompt.Text()
	s := l.Sh.Styles()
	var b strings.Builder
	done := from
	put := func(end int, style lipgloss.Style) {
		if end = min(end, to); end > done {
			b.WriteString(style.Render(text[done:end]))
			done = end
		}
	}
	q, begin := l.Prompt.Query()
	for _, p := range q.Tokens {
		put(begin+p.Start, s.Text)
		switch p.Kind {
		case query.TokenFilter:
			put(begin+p.ValueStart, s.Key)
			put(begin+p.End, s.Accent)
		case query.TokenIncomplete:
			put(begin+p.ValueStart, s.Key)
			put(begin+p.End, s.Muted)
		case query.TokenOperator:
			put(begin+p.End, s.Key)
		case query.TokenExcluded:
			put(begin+p.End, s.Warn)
		case query.TokenIgnored:
			put(begin+p.End, s.Faint)
		}
		put(begin+p.End, s.Text)
	}
	put(to, s.Text)
	return b.String(), ansi.StringWidth(text[from:to]), col
}

// chips are the filters in force, in words: those of the command line and those
// that are typed, as they are understood.
func (l *Screen) chips() []string {
	var all []string
	if len(l.sources) > 0 {
		all = append(all, kit.CleanLine("source "+strings.Join(l.sources, " or ")))
	}
	if l.folder != "" {
		all = append(all, kit.CleanLine("in "+l.folder))
	}
	q, _ := l.Prompt.Query()
	for _, f := range q.Filters {
		all = append(all, f.Describe(l.Now))
	}
	return all
}

// hint is the quiet word beside the chips: what of the query is taken
// otherwise than it looks, or can not be answered by this database. What is
// still being typed is no mistake.
func (l *Screen) hint() string {
	q, begin := l.Prompt.Query()
	for _, p := range q.Tokens {
		typed := begin+p.End == l.Prompt.CaretByte() && l.Prompt.AtEnd()
		if p.Hint != "" && (!typed || p.Kind == query.TokenIncomplete && !l.Offers.Showing()) {
			return p.Hint
		}
	}
	if l.Ready && l.Shown.Query.Text == q.Text && len(l.Found.hints) > 0 {
		return l.Found.hints[0]
	}
	return ""
}

// remarks reports whether there is anything to say under the query.
func (l *Screen) remarks() bool { return len(l.chips()) > 0 || l.hint() != "" }

// chipLine draws chips and hint in one line.
func (l *Screen) chipLine() string {
	s, w := l.Sh.Styles(), l.Layout.w
	var b strings.Builder
	for _, c := range l.chips() {
		b.WriteString(" " + s.Chip.Render(" "+c+" "))
	}
	if h := l.hint(); h != "" {
		b.WriteString("  " + s.Faint.Render(h))
	}
	return ansi.Truncate(b.String(), w, s.Glyphs.Ellipsis)
}
