package dialog

import (
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

// help is the page of a context's keys, made from the current key map. Typing filters the
// rows by words.
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
	h.title = name + "  " + kit.InField + s.Faint.Render(s.Spell("Search…"))
	if !h.input.Empty() {
		h.title = name + s.Text.Render("  "+h.input.Text()) + kit.InField
	}
	_, h.room = inside(w, hgt)
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

// Lines draws the rows that match the typed text, each with the reason why the
// action is not possible now, if there is one.
func (h *help) Lines(w int) []string {
	s := h.sh.Styles()
	can := h.can()
	against := func(b shell.Binding) string {
		if i := slices.IndexFunc(can, func(a shell.Handler) bool { return a.Action == b.Action }); i >= 0 {
			return can[i].Why
		}
		return ""
	}
	words := strings.Fields(strings.ToLower(h.input.Text()))
	lacks := func(b shell.Binding) bool {
		all := strings.ToLower(strings.Join([]string{b.KeyLabels(), strings.Join(b.Keys, " "), b.Hint, b.Help, string(b.Action), shell.GroupOf(b.Action).String()}, " "))
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) })
	}
	rows, wide := slices.DeleteFunc(h.env.Keys.In(h.context), func(b shell.Binding) bool {
		return slices.ContainsFunc(can, func(a shell.Handler) bool { return a.Action == b.Action && !a.Offered() }) ||
			shell.Familiar(b.Action) && (len(words) == 0 && against(b) == "" || lacks(b))
	}), 0
	for _, b := range rows {
		wide = max(wide, s.Cells.StringWidth(s.Spell(b.KeyLabels())))
	}
	wide = min(wide, max(w/3, 4)) // also with those that are filtered out, so that the text does not move
	rows = slices.DeleteFunc(rows, lacks)
	var out []string
	for group := shell.Finds; group <= shell.Moves; group++ {
		headed := false
		for _, b := range rows {
			if shell.GroupOf(b.Action) != group {
				continue
			}
			if !headed {
				out = append(out, section(s, group.String(), w, len(out) == 0)...)
				headed = true
			}
			out = append(out, described(s, s.Key, s.Spell(b.KeyLabels()), b.Help, wide, w)...)
			if why := against(b); why != "" {
				for _, l := range s.Cells.Wrap("Unavailable: "+kit.CleanLine(why), max(w-wide-2, 8)) {
					out = append(out, s.Cells.Truncate(s.Cells.Pad("", wide, "")+"  "+s.Faint.Render(l), w, ""))
				}
			}
		}
	}
	if h.context == shell.InList {
		out = append(out, language(s, w, wide, words)...)
	}
	out = append(out, listed(s, "Symbols", legend(s.Glyphs), w, wide, words, len(out) == 0)...)
	out = append(out, listed(s, "Words", glossary(), w, wide, words, len(out) == 0)...)
	if len(words) > 0 {
		if len(out) == 0 {
			out = append(out, s.Muted.Render(s.Cells.Truncate("No matches", w, "")))
		}
		return out
	}
	for _, p := range h.about() {
		out = append(out, "")
		for _, l := range s.Cells.Wrap(p, w) {
			out = append(out, s.Muted.Render(l))
		}
	}
	return out
}

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

// legend says what the symbols of the screens mean.
func legend(g theme.Glyphs) [][2]string {
	return [][2]string{
		{g.Running, "running; your message"},
		{g.Done, "ended"},
		{g.Interrupted, "interrupted or without a final answer"},
		{g.Failed, "failed"},
		{g.Empty, "without messages"},
		{g.Pin, "pinned"},
		{g.Note + " " + g.Bookmark, "a note or tags, a bookmark"},
		{g.New, "new messages since you read it"},
		{g.Marked, "selected; in a transcript, a message from Hermes"},
		{g.Segment, "segments of a conversation"},
		{g.Branch, "branches"},
		{g.Delegate, "subagents"},
		{g.Folded + " " + g.Unfolded, "folded, unfolded"},
		{"~ ? " + "≥", "cost: estimated, unknown, partly unknown"},
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
		{"match", "a place where the query stands"},
		{"ghost", "a session that was opened and closed without a message"},
	}
}

// language says what can be typed into the query, in lines of at most w
// columns, with the words themselves in a column of wide: the rows that have
// all of words.
func language(s *theme.Styles, w, wide int, words []string) []string {
	rows := [][2]string{
		{"docker build", "both words, in one message"},
		{"\"a phrase\"", "an exact phrase"},
		{"-word", "not this word"},
		{"one OR other", "either"},
		{"begin*", "words with this prefix; the last word is always a prefix while you type"},
	}
	for _, f := range query.Fields() {
		means := f.Help
		if !f.OpenEnded {
			means += ": " + strings.Join(f.Values, ", ")
		}
		rows = append(rows, [2]string{string(f.Field) + ":", means})
	}
	out := listed(s, "Query syntax", rows, w, wide, words, false)
	if len(words) > 0 {
		return out
	}
	for _, l := range s.Cells.Wrap("All filters must match; with several sources, models, IDs, roles, tools, folders or git branches, any one matches. "+
		"A leading minus negates a filter: -source:cron. Days are today, yesterday, 7d, 2w, 3mo, 1y, 2026, 2026-05 or 2026-05-03; "+
		"numbers may end in k or m. tab accepts the suggestion, shift+tab shows the next one.", w) {
		out = append(out, s.Muted.Render(l))
	}
	return out
}

// about is the text below the keys of a context.
func (h *help) about() []string {
	if h.context == shell.InLineage {
		return []string{
			"Context compression splits a conversation into segments: §1, §2, …; resume continues at the newest one. " +
				"⇉ is a branch, ↳ a subagent; both are below the session they started from.",
			"Each row shows its own usage, and under Σ its usage including everything below it. " +
				"Costs: ~ estimated, ≥ partly unknown, ? unknown.",
		}
	}
	if h.context != shell.InList {
		return nil
	}
	more, commands := h.env.Keys.Find(h.context, shell.More), h.env.Keys.Find(h.context, shell.Commands)
	return []string{
		"Typing searches messages, titles and IDs. To start a query with ? or :, type a space first. " +
			"No input is an error: an unknown filter is searched as text.",
		"Each row is one conversation with all its segments. Rows are ordered by last activity. " +
			"Unlike in Hermes's own picker, q and d are ordinary letters, and IDs are shown in full.",
		more.KeyText() + " followed by a letter runs any action; " + commands.KeyText() + " finds actions by name, as in :sort cost.",
	}
}
