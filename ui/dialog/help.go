package dialog

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// help is the page of what everybody needs of a context's keys, made from the current key map.
// Typing looks in all of them, and in the query language, the marks and the words.
type help struct {
	notice
	context shell.Context
	can     func() []shell.Handler // the actions of the context, with the reasons against those not possible now
	input   kit.Prompt
	room    int      // lines that the window has for the text
	whole   kit.Area // the size of the page without a filter
}

// NewHelp makes the page of the keys of context c; can lists its actions, each with the
// reason why it is not possible now.
func NewHelp(sh shell.Shell, c shell.Context, can func() []shell.Handler) *help {
	h := &help{context: c, can: can, input: kit.NewPrompt("")}
	h.notice = notice{sh: sh, env: sh.Env(), text: h.page}
	return h
}

// Update filters the rows by the typed text, scrolls, and closes the box.
func (h *help) Update(msg tea.Msg) (bool, tea.Cmd) {
	if paste, ok := msg.(tea.PasteMsg); ok {
		h.filter(paste)
		return false, nil
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return h.notice.Update(msg)
	}
	keys := h.env.Keys
	id, known := keys.Match(shell.InDialog, key)
	again, _ := keys.Match(h.context, key)
	switch {
	case id == shell.Close && !h.input.Empty():
		h.input.Clear()
	case again == shell.Help && (key.Text == "" || h.input.Empty()):
		return true, nil
	case key.Text == "" && known:
		return h.notice.Update(msg)
	default:
		h.filter(msg)
	}
	return false, nil
}

func (h *help) filter(msg tea.Msg) {
	if h.input.Update(msg) {
		h.top = 0
	}
}

// Box draws the box for a window of w by hgt.
func (h *help) Box(w, hgt int) string {
	name := kit.Capitalize(string(h.context)) + " keys"
	if w < 48 {
		name = "Keys" // the typed text and the position need the room
	}
	s := h.sh.Styles()
	hint := "Search…"
	if w >= 72 {
		hint = "Search all keys, filters, marks and words…"
	}
	h.title = name + "  " + kit.InField + s.Faint.Render(s.Spell(hint))
	if !h.input.Empty() {
		h.title = name + s.Text.Render("  "+h.input.Text()) + kit.InField
	}
	_, h.room = inside(w, hgt)
	if !h.input.Empty() {
		hgt -= max(0, h.room-h.whole.H)
	}
	return h.notice.Box(w, hgt)
}

const (
	narrowestColumn = 55 // of a text in columns
	columnGap       = 4
)

// inColumns lays a text out in w columns: in as few columns of text beside each other as
// show two thirds of it in tall lines, or in one if that is not possible.
func inColumns(measure cells.Method, text func(w int) []string, w, tall int) ([]string, textColumns) {
	one := text(w)
	if len(one) <= tall {
		return one, textColumns{w, []int{0}}
	}
	for n := 2; ; n++ {
		wide := (w - columnGap*(n-1)) / n
		if wide < narrowestColumn {
			return text(w), textColumns{w, []int{0}}
		}
		lines := text(wide)
		for height := (len(lines) + n - 1) / n; height <= tall*3/2; height++ {
			if columns, begin := broken(lines, height); len(columns) <= n {
				return besides(measure, columns, wide, height), textColumns{wide, begin}
			}
		}
	}
}

// textColumns says which lines of a text are in which of its columns.
type textColumns struct {
	wide  int   // of each
	begin []int // the first line of each
}

// at returns the line of a text that stands in column x of line y.
func (c textColumns) at(x, y int) int {
	i := max(0, min(x/(c.wide+columnGap), len(c.begin)-1))
	if line := c.begin[i] + y; i+1 == len(c.begin) || line < c.begin[i+1] {
		return line
	}
	return -1
}

// y returns how far down a line of the text stands.
func (c textColumns) y(line int) int {
	i := len(c.begin) - 1
	for i > 0 && c.begin[i] > line {
		i--
	}
	return line - c.begin[i]
}

// broken breaks a text into columns of at most height lines: between paragraphs if that
// leaves little room empty, else between the rows of one. begin is the first line of each.
func broken(lines []string, height int) (columns [][]string, begin []int) {
	all := len(lines)
	blank := func(i int) bool { return lines[i] == "" }
	within := func(i int) bool { return blank(i-1) || strings.HasPrefix(ansi.Strip(lines[i]), " ") } // the row, or the text below a heading
	for len(lines) > height {
		at := height
		for at > height*2/3 && !blank(at) {
			at--
		}
		if !blank(at) {
			for at = height; at > 1 && within(at); {
				at--
			}
		}
		columns, begin = append(columns, lines[:at]), append(begin, all-len(lines))
		if lines = lines[at:]; blank(0) {
			lines = lines[1:]
		}
	}
	return append(columns, lines), append(begin, all-len(lines))
}

// besides puts columns of text beside each other.
func besides(measure cells.Method, columns [][]string, wide, height int) []string {
	out := make([]string, height)
	for c, column := range columns {
		for y := range out {
			text := ""
			if y < len(column) {
				text = column[y]
			}
			if c > 0 {
				out[y] += strings.Repeat(" ", columnGap)
			}
			out[y] += measure.Pad(text, wide, "")
		}
	}
	return out
}

// page lays the page out in w columns. While it is filtered it keeps the size that it had as
// a whole, so that the box does not move.
func (h *help) page(w int) []string {
	measure, tall := h.sh.Styles().Cells, h.room
	if !h.input.Empty() {
		w, tall = min(w, h.whole.W), min(tall, h.whole.H)
	}
	lines, _ := inColumns(measure, h.Lines, w, tall)
	if h.input.Empty() {
		h.whole = Place(measure, strings.Join(lines, "\n"), w, h.room)
		return lines
	}
	lines[0] = measure.Pad(lines[0], w, "")
	lines = kit.FillLines(lines, min(h.whole.H, h.room))
	return lines
}

// Lines draws the page, or what matches the typed text.
func (h *help) Lines(w int) []string {
	if words := strings.Fields(strings.ToLower(h.input.Text())); len(words) > 0 {
		return h.found(words, w)
	}
	return h.everyday(w)
}

// rows are the actions of the context that the user may know of, by group, each with the reason
// why it is not possible now.
func (h *help) rows(wanted func(shell.Binding) bool) (rows []shell.Binding, why map[shell.Action]string) {
	why = map[shell.Action]string{}
	for _, a := range h.can() {
		if a.Offered() {
			why[a.Action] = a.Why
		}
	}
	rows = slices.DeleteFunc(h.env.Keys.In(h.context), func(b shell.Binding) bool {
		_, ok := why[b.Action]
		return !ok || !wanted(b)
	})
	slices.SortStableFunc(rows, func(a, b shell.Binding) int { return cmp.Compare(shell.GroupOf(a.Action), shell.GroupOf(b.Action)) })
	return rows, why
}

// sentencesFrom is the width from which the page has sentences; below it, a word or two.
const sentencesFrom = 48

// everyday draws what everybody needs: the actions in groups, and the marks.
func (h *help) everyday(w int) (out []string) {
	s := h.sh.Styles()
	rows, _ := h.rows(func(b shell.Binding) bool { return b.Place != shell.Searched && b.Action != shell.Help })
	wide, of := 0, map[shell.Group]int{}
	for _, b := range rows {
		wide = max(wide, s.Cells.StringWidth(s.Spell(b.KeyText())))
		of[shell.GroupOf(b.Action)]++
	}
	small := false // groups of a row or two stand together
	for i, b := range rows {
		if group := shell.GroupOf(b.Action); i > 0 && group != shell.GroupOf(rows[i-1].Action) {
			if now := of[group] < 3; !now || !small {
				out = append(out, "")
			}
		}
		small = of[shell.GroupOf(b.Action)] < 3
		means := b.Help
		if w < sentencesFrom && b.Hint != "" {
			means = kit.Capitalize(h.hintOf(b))
		}
		out = append(out, described(s, s.Key, s.Spell(b.KeyText()), means, wide, w)...)
	}
	if h.context == shell.InList || h.context == shell.InLineage {
		out = append(append(out, ""), marksLine(s, min(w, widestMarks))...)
	}
	return out
}

// widestMarks is the width that the marks take at most, so that they do not widen the page.
const widestMarks = 80

// hintOf returns what a hint says of an action.
func (h *help) hintOf(b shell.Binding) string {
	if h.env.Choose && b.Action == shell.Resume {
		return "choose"
	}
	return b.Hint
}

// marksLine draws the legend of marks as text.
func marksLine(s *theme.Styles, w int) (out []string) {
	line, wide := "", 0
	for _, p := range legend(s.Glyphs) {
		mark := s.Key.Render(p[0]) + " " + s.Muted.Render(p[1])
		n := s.Cells.StringWidth(mark)
		if wide > 0 && wide+3+n > w {
			out = append(out, line)
			line = ""
			wide = 0
		}
		if wide > 0 {
			line, wide = line+"   ", wide+3
		}
		line, wide = line+mark, wide+n
	}
	return append(out, s.Cells.Truncate(line, w, ""))
}

// found draws all that has the typed words: actions, with the reason why one is not possible
// now, parts of the query language, marks and words.
func (h *help) found(words []string, w int) (out []string) {
	s := h.sh.Styles()
	rows, why := h.rows(func(b shell.Binding) bool {
		all := strings.ToLower(strings.Join([]string{
			b.KeyTexts(), strings.Join(b.Keys, " "), strings.Join(b.Aliases, " "), b.Hint, b.Help, wordsOf(b.Action), shell.GroupOf(b.Action).String(),
		}, " "))
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) })
	})
	wide := min(14, max(w/3, 4)) // also while more is typed, so that the text does not move
	for i, b := range rows {
		if group := shell.GroupOf(b.Action); i == 0 || group != shell.GroupOf(rows[i-1].Action) {
			out = append(out, section(s, group.String(), w, i == 0)...)
		}
		out = append(out, described(s, s.Key, s.Spell(b.KeyTexts()), b.Help, wide, w)...)
		if why := why[b.Action]; why != "" {
			for _, l := range s.Cells.Wrap("Unavailable: "+kit.CleanLine(why), max(w-wide-2, 8)) {
				out = append(out, s.Cells.Truncate(s.Cells.Pad("", wide, "")+"  "+s.Faint.Render(l), w, ""))
			}
		}
	}
	if h.context == shell.InList {
		out = append(out, listed(s, "Query syntax", language(), w, wide, words, len(out) == 0)...)
	}
	out = append(out, listed(s, "Marks", legend(s.Glyphs), w, wide, words, len(out) == 0)...)
	out = append(out, listed(s, "Words", glossary(), w, wide, words, len(out) == 0)...)
	if len(out) == 0 {
		out = append(out, s.Muted.Render(s.Cells.Truncate("No matches", w, "")))
	}
	return out
}

// wordsOf writes the name of an action as words.
func wordsOf(a shell.Action) string { return strings.ReplaceAll(string(a), "-", " ") }

// section is the heading of a part of the page, with an empty line before it unless it is the first.
func section(s *theme.Styles, title string, w int, first bool) []string {
	line := s.Accent.Render(s.Cells.Truncate(title, w, ""))
	if first {
		return []string{line}
	}
	return []string{"", line}
}

// described draws a key, a word or a symbol in a column of wide, and beside it what that
// means, in lines of at most w columns.
func described(s *theme.Styles, style lipgloss.Style, what, means string, wide, w int) (out []string) {
	for i, l := range s.Cells.Wrap(means, max(w-wide-2, 8)) {
		lead := s.Cells.Pad("", wide, "")
		if i == 0 {
			lead = style.Render(s.Cells.Pad(what, wide, s.Glyphs.Ellipsis))
		}
		out = append(out, s.Cells.Truncate(lead+"  "+s.Text.Render(l), w, ""))
	}
	return out
}

// listed draws a section of pairs: those that have all of words, be it in the title.
func listed(s *theme.Styles, title string, pairs [][2]string, w, wide int, words []string, first bool) []string {
	wide = max(wide, min(12, w/3))
	var out []string
	for _, p := range pairs {
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(strings.ToLower(title+" "+p[0]+" "+p[1]), w) }) {
			continue
		}
		if len(out) == 0 {
			out = section(s, title, w, first)
		}
		out = append(out, described(s, s.Key, p[0], p[1], wide, w)...)
	}
	return out
}

// legend says what the marks of the screens mean.
func legend(g theme.Glyphs) [][2]string {
	return [][2]string{
		{g.Running, "works now"},
		{g.Failed, "failed"},
		{g.Pin, "pinned"},
		{g.New, "new since you read it"},
		{g.Marked, "selected"},
		{g.Note + " " + g.Bookmark, "note, bookmark"},
		{g.Segment + " " + g.Branch + " " + g.Delegate, "segments, branches, subagents"},
		{"~ ? " + "≥", "cost: estimated, unknown, at least"},
	}
}

// glossary explains the words of the screens, one line each.
func glossary() [][2]string {
	return [][2]string{
		{"conversation", "one session, or several if context compression split it"},
		{"session", "what Hermes stores: a whole conversation, or one segment of it"},
		{"segment", "one session of a conversation; context compression starts a new one"},
		{"branch", "a conversation forked from another one"},
		{"subagent", "a session that an agent started for a subtask"},
		{"lineage", "the tree of segments, branches and subagents"},
		{"turn", "a prompt and everything the agent does in response"},
		{"scope", "the part of the history that the list shows"},
		{"source", "where a conversation came from: cli, telegram, cron, …"},
		{"match", "a message that matches the query"},
		{"ghost", "a session that was opened and closed without a message"},
		{"Σ", "in the lineage: the usage of a session with everything below it"},
	}
}

// language says what can be typed into the query.
func language() [][2]string {
	rows := [][2]string{
		{"docker build", "both words, in one message"},
		{"\"a phrase\"", "an exact phrase"},
		{"-word", "not this word; -source:cron: not this filter"},
		{"one OR other", "either"},
		{"begin*", "words with this prefix; the last word is always a prefix while you type"},
		{"days", "today, yesterday, 7d, 2w, 3mo, 1y, 2026, 2026-05, 2026-05-03; numbers may end in k or m"},
		{"filters", "all must match; of several sources, models, IDs, roles, tools, folders or git branches, any one"},
	}
	for _, f := range query.Fields() {
		means := f.Help
		if !f.OpenEnded {
			means += ": " + strings.Join(f.Values, ", ")
		}
		rows = append(rows, [2]string{string(f.Field) + ":", means})
	}
	return rows
}
