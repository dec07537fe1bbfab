package list

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
)

// drawQuery draws the part of the query around the cursor that fits w columns,
// its tokens told apart by their styles. It also gives how wide that is and
// the cursor's column in it.
func drawQuery(prompt *kit.Prompt, s *theme.Styles, w int) (drawn string, wide, col int) {
	from, to, col := prompt.Window(s.Cells, w)
	text := prompt.Text()
	var b strings.Builder
	done := from
	put := func(end int, style lipgloss.Style) {
		if end = min(end, to); end > done {
			b.WriteString(style.Render(text[done:end]))
			done = end
		}
	}
	q, begin := prompt.Query()
	for _, p := range q.Tokens {
		put(begin+p.Start, s.Text)
		switch p.Kind {
		case query.TokenFilter:
			put(begin+p.ValueStart, s.Key)
			put(begin+p.End, s.Accent)
		case query.TokenIncomplete:
			put(begin+p.ValueStart, s.Key)
			put(begin+p.End, s.Muted)
		case query.TokenOperator, query.TokenNamed:
			put(begin+p.End, s.Key)
		case query.TokenExcluded:
			put(begin+p.End, s.Warn)
		case query.TokenIgnored:
			put(begin+p.End, s.Faint)
		}
		put(begin+p.End, s.Text)
	}
	put(to, s.Text)
	return b.String(), s.Cells.StringWidth(text[from:to]), col
}

// remarks are the notes under the query: the filters in force, and how the
// query is read.
type remarks struct {
	chips []string // filters of the command line and of the query, as they are understood
	hint  string   // "" for none
}

// remarks finds what there is to say under the query.
func (s *Screen) remarks() remarks {
	q, _ := s.prompt.Query()
	return remarks{s.filters.describe(q.Filters, s.watch.now), s.hint()}
}

// hint is said where a part of the query is read otherwise than it looks, or
// cannot be answered by this database. A filter that is still being typed is no
// mistake; a word behind a colon that ends no filter word is text with its first letter, and
// an exclusion is in force with each of its letters.
func (s *Screen) hint() string {
	q, begin := s.prompt.Query()
	for _, p := range q.Tokens {
		typed := begin+p.End == s.prompt.CaretByte() && s.prompt.AtEnd()
		if p.Hint != "" && (!typed || p.Kind == query.TokenWord || p.Kind == query.TokenExcluded || p.Kind == query.TokenIncomplete && !s.completion.showing()) {
			return p.Hint
		}
	}
	if r := &s.results; r.ready && r.shown.Query.Text == q.Text && len(r.found.hints) > 0 {
		return strings.Join(r.found.hints, hintSeparator)
	}
	return ""
}

// hintSeparator stands between what several databases say of a query.
const hintSeparator = " · "

// chipLines draws remarks in lines of w columns, one if possible. Where they do not fit, the
// hint comes first, each part of it without what follows its first semicolon, and then as many
// chips as there is room for: they repeat what is typed.
func chipLines(s *theme.Styles, m remarks, w int) []string {
	wide := s.Cells.StringWidth
	var chips strings.Builder
	for _, c := range m.chips {
		chips.WriteString(" " + s.Chip.Render(" "+c+" "))
	}
	line, hint := chips.String(), m.hint
	switch {
	case line == "" && hint == "":
		return nil
	case hint == "":
		return []string{s.Cells.Truncate(line, w, s.Glyphs.Ellipsis)}
	case wide(line)+2+wide(hint) <= w:
		return []string{line + "  " + s.Faint.Render(hint)}
	}
	if wide(hint)+1 > w {
		parts := strings.Split(hint, hintSeparator)
		for i := range parts {
			parts[i], _, _ = strings.Cut(parts[i], "; ")
		}
		hint = strings.Join(parts, hintSeparator)
	}
	lines := s.Cells.Wrap(hint, max(w-1, 1))
	for i := range lines {
		lines[i] = " " + s.Faint.Render(lines[i])
	}
	for _, c := range m.chips {
		last := &lines[len(lines)-1]
		if chip := " " + s.Chip.Render(" "+c+" "); wide(*last+chip) <= w {
			*last += chip
		}
	}
	return lines
}

// chipAt returns the number of the chip that is drawn at a place of the screen, -1 for none.
func (s *Screen) chipAt(x, y int) int {
	if y--; s.layout.tabs {
		y--
	}
	st, m := s.sh.Styles(), s.remarks()
	lines := chipLines(st, m, s.layout.w)
	if y < 0 || y >= min(len(lines), s.layout.chipRows) {
		return -1
	}
	line := ansi.Strip(lines[y])
	at := 0
	for i, c := range m.chips {
		_, rest, found := strings.Cut(line[at:], " "+c+" ")
		if !found {
			return -1
		}
		end := len(line) - len(rest)
		right := st.Cells.StringWidth(line[:end])
		if x < right && x >= right-st.Cells.StringWidth(c)-2 {
			return i
		}
		at = end
	}
	return -1
}

// removeChip takes the filter of a chip away. Those of a named query stay: they are its own.
func (s *Screen) removeChip(i int) tea.Cmd {
	f := &s.filters
	for _, given := range []struct {
		on   bool
		drop func()
	}{{len(f.sources) > 0, func() { f.sources = nil }}, {f.folder != "", func() { f.folder = "" }}} {
		if given.on {
			if i--; i < 0 {
				given.drop()
				s.relayout()
				return s.ask(FirstPage)
			}
		}
	}
	q, _ := s.prompt.Query()
	if q.Named != nil {
		return nil
	}
	for _, t := range q.Tokens {
		if t.Kind == query.TokenFilter {
			if i--; i < 0 {
				toggleTyped(&s.prompt, q.Text[t.Start:t.End])
				return s.edited(true)
			}
		}
	}
	return nil
}
