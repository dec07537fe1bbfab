package shell

import (
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
)

// FiguresBanner draws above sums, in at most one line of w columns, what is wrong with the
// database: something may be missing in them. An index of the text changes no sum.
func FiguresBanner(s *theme.Styles, lib Library, w int) []string {
	notes := slices.DeleteFunc(lib.Notes(), func(n model.HealthNote) bool { return strings.HasPrefix(n.Kind, "fts-") })
	for i := range notes {
		notes[i].Message = kit.CleanLine(notes[i].Message)
	}
	return Banner(s, notes, w, 1)
}

// banner says what is wrong with the database, and what helps, in at most h lines of w
// columns: a command where there is one, which stands alone. Of several problems it says the
// first that something helps against, and counts the others. Where there is no room for
// everything, the clauses at the end of the problem go first, then what helps.
func banner(measure cells.Method, notes []model.HealthNote, w, h int, ellipsis string) []string {
	if len(notes) == 0 || h == 0 {
		return nil
	}
	note := notes[max(0, slices.IndexFunc(notes, func(n model.HealthNote) bool { return n.Remedy != model.Remedy{} }))]
	problem, more := note.Message, ""
	if k := len(notes) - 1; k > 0 {
		more = " (" + kit.Count(k) + " more)"
	}
	remedy := kit.NewRemedy(note.Remedy)
	lines, helps := measure.Wrap(problem+more, w), remedy.CommandLines(measure, w)
	whole := measure.Wrap(remedy.After(problem+more), w)
	switch {
	case len(whole) == len(lines):
		lines = whole
	case helps == nil:
		helps = measure.Wrap(remedy.Text, w)
	}
	for len(lines)+len(helps) > h {
		if shorter := kit.WithoutClause(problem); shorter != "" {
			problem = shorter
		} else if len(helps) > 0 {
			problem, helps = note.Message, nil
		} else {
			lines = append(lines[:h-1], measure.Truncate(strings.Join(lines[h-1:], " "), w, ellipsis))
			break
		}
		lines = measure.Wrap(problem+more, w)
	}
	return append(lines, helps...)
}

// Banner draws above rows what is wrong with the database, in at most h lines of w columns.
func Banner(s *theme.Styles, notes []model.HealthNote, w, h int) []string {
	lines := banner(s.Cells, notes, w-4, h, s.Glyphs.Ellipsis)
	for i := range lines {
		mark := " "
		if i == 0 {
			mark = s.Glyphs.Failed
		}
		lines[i] = s.Warn.Render(" " + mark + " " + lines[i])
	}
	return lines
}
