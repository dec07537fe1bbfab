package lineage

import (
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/prose"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// treeLayout has the positions of the parts of the lineage screen. They depend
// only on the size of the window.
type treeLayout struct {
	w, h    int
	tiny    bool // only what the current session is called
	header  bool
	heads   bool // names over the columns
	rows    kit.Area
	details kit.Area // what is known of the current session; without width for none
	beside  kit.Area // its transcript, below the details where X is 0; without width for none
	tree    treeShape
}

// aloneDetails is how many lines the details of a session without relatives have over its transcript.
const aloneDetails = 11

// newTreeLayout lays out w by h columns and lines; below are the lines that
// something typed takes at the bottom.
func newTreeLayout(w, h, below int, shape treeShape) treeLayout {
	l := treeLayout{w: w, h: h, tiny: w < 20 || h < 4, tree: shape}
	if l.tiny {
		l.rows = kit.Area{X: 0, Y: 0, W: w, H: h - below}
		return l
	}
	l.header = h >= 5
	top := 0
	if l.header {
		top = 1
	}
	l.heads = h >= 10 && w >= 60
	if l.heads {
		top++
	}
	tall := h - top - below
	l.rows = kit.Area{X: 0, Y: top, W: w, H: tall}
	switch {
	case w >= 160 && h >= 12:
		l.rows.W = w * 45 / 100
		l.beside = kit.Area{X: l.rows.W + 1, Y: 1, W: w - l.rows.W - 1, H: h - 1 - below}
		if shape.alone {
			l.detailsBelow(tall - 1)
			break
		}
		l.detailsBelow(min(8, tall/3))
	case shape.alone && tall > aloneDetails+8:
		l.detailsBelow(tall - 1)
		l.details.H = aloneDetails
		l.beside = kit.Area{X: 0, Y: l.details.Y + aloneDetails, W: w, H: tall - 1 - aloneDetails}
	case shape.alone && h >= 8:
		l.detailsBelow(tall - 1)
	case w >= 110 && h >= 12:
		l.rows.W = w - 40
		l.details = kit.Area{X: l.rows.W + 1, Y: 1, W: w - l.rows.W - 1, H: h - 1 - below}
	case h >= 26:
		l.detailsBelow(7)
	case h >= 16:
		l.detailsBelow(4)
	case h >= 8:
		l.detailsBelow(1)
	}
	l.tree.arrange(l.rows.W)
	return l
}

// detailsBelow puts the details under the rows.
func (l *treeLayout) detailsBelow(tall int) {
	l.rows.H -= tall
	l.details = kit.Area{X: 0, Y: l.rows.Y + l.rows.H, W: l.rows.W, H: tall}
}

// treeShape says which columns a row of the tree has. A width of 0 is for
// none.
type treeShape struct {
	w, rail    int // rail is the width of a level
	bare       bool
	need       treeWidths // what the rows at hand need
	age        int
	msgs, cost int
	allMsgs    int
	allCost    int
	tokens     int
	allTokens  int
	tools      int
	source     int
	llm        int
	alone      bool // one session only: it has no sums, and its details the room of other rows
}

// treeWidths is how wide the widest text of a column is.
type treeWidths struct{ msgs, cost, tokens, tools, source, llm int }

// fit looks at the rows for what their columns need.
func (t *treeShape) fit(rows []model.TreeRow) {
	t.alone = len(rows) == 1
	w := treeWidths{4, 4, 6, 5, 6, 0}
	for _, r := range rows {
		n := r.Node
		w.msgs = max(w.msgs, columnsOf(kit.Count(n.Total.Messages)))
		w.cost = max(w.cost, columnsOf(n.Usage.Cost.String()), columnsOf(n.Total.Usage.Cost.String()))
		w.tools = max(w.tools, columnsOf(kit.Count(n.ToolCalls)))
		w.source = max(w.source, min(len(n.Source), 8))
		w.llm = max(w.llm, min(len(n.Model), 24))
	}
	t.need = w
	t.arrange(t.w)
}

// columnsOf is the width of a number: all that it is written with is as wide as
// a digit.
func columnsOf(number string) int { return utf8.RuneCountInString(number) }

// arrange chooses the columns for a width: those that matter less go first,
// and the title keeps enough to be told apart.
func (t *treeShape) arrange(w int) {
	n, alone := t.need, t.alone
	*t = treeShape{w: w, need: n, alone: alone, rail: 3, bare: w < 40}
	switch {
	case w < 40:
		t.rail = 1
	case w < 72:
		t.rail = 2
	}
	room := w - 3
	for _, c := range []struct {
		into *int
		wide int
		left int // for the title
		sum  bool
	}{
		{&t.age, 4, 20, false},
		{&t.cost, n.cost, 24, false},
		{&t.msgs, n.msgs, 26, false},
		{&t.allCost, max(n.cost, 5), 34, true},
		{&t.tokens, n.tokens, 46, false},
		{&t.allMsgs, max(n.msgs, 5), 50, true},
		{&t.source, n.source, 52, false},
		{&t.allTokens, n.tokens, 56, true},
		{&t.tools, n.tools, 56, false},
		{&t.llm, n.llm, 60, false},
	} {
		if c.sum && alone || c.wide == 0 {
			continue
		}
		if room -= c.wide + 2; room < c.left {
			break
		}
		*c.into = c.wide
	}
}

// Resize lays the screen out for a window of w columns and h lines.
func (s *Screen) Resize(w, h int) {
	s.layout.w, s.layout.h = w, h
	s.relayout()
}

// Restyle draws everything again after a change of the theme.
func (s *Screen) Restyle() {
	clear(s.cache)
	if s.beside != nil {
		s.beside.text.Restyle()
	}
}

// relayout places the parts; the current row stays in sight.
func (s *Screen) relayout() {
	s.layout = newTreeLayout(s.layout.w, s.layout.h, s.find.height(), s.layout.tree)
	clear(s.cache)
	s.rows.Resize(s.layout.rows.H)
	s.rows.Reveal()
	switch {
	case s.layout.beside.W == 0:
		s.beside = nil
	case s.beside != nil:
		s.beside.text.Resize(s.layout.beside.W, s.layout.beside.H)
	}
}

// row returns a finished row.
func (s *Screen) row(i int) string {
	if i == s.rows.Selected {
		return s.drawRow(i, true)
	}
	line, ok := s.cache[i]
	if !ok {
		line = s.drawRow(i, false)
		s.cache[i] = line
	}
	return line
}

// drawRow draws a session: its state, its place in the tree, its kind, its title, its tags
// and its columns.
func (s *Screen) drawRow(i int, selected bool) string {
	st := s.sh.Styles()
	t := s.layout.tree
	r := s.shown[i]
	n := r.Node
	on := func(style lipgloss.Style) lipgloss.Style { return st.On(selected, style) }
	var left, right strings.Builder
	mark := kit.RowMark(st, selected)
	if t.bare {
		left.WriteString(on(st.Accent).Render(mark))
	} else {
		glyph, style := kit.StateGlyph(st, n.State)
		left.WriteString(on(st.Accent).Render(" "+mark+" ") + on(style).Render(glyph+" "))
	}
	left.WriteString(on(st.Border).Render(st.Glyphs.Rails(r.Continues, r.Depth > len(r.Continues), t.rail, max(2, t.w/4))))
	switch {
	case r.Expanded:
		left.WriteString(on(st.Muted).Render(st.Glyphs.Unfolded + " "))
	case len(n.Children) > 0:
		left.WriteString(on(st.Muted).Render(st.Glyphs.Folded + " "))
	}
	kind, style := kindMark(st, n)
	left.WriteString(on(style).Render(kind))

	for _, tag := range nodeTags(n) {
		if t.w >= 50 {
			right.WriteString(on(st.Faint).Render("  " + tag))
		}
	}
	column := func(w int, style lipgloss.Style, text string, align func(string, int, string) string) {
		if w > 0 {
			right.WriteString(on(style).Render("  " + align(text, w, st.Glyphs.Ellipsis)))
		}
	}
	all := func(text string) string {
		if len(n.Children) == 0 {
			return "" // it would say the same again
		}
		return text
	}
	column(t.llm, st.Faint, kit.CleanLine(n.Model), st.Cells.Pad)
	column(t.source, st.Faint, kit.CleanLine(n.Source), st.Cells.Pad)
	column(t.tools, st.Faint, kit.Count(n.ToolCalls), st.Cells.PadLeft)
	column(t.msgs, st.Muted, kit.Count(n.VisibleMessages), st.Cells.PadLeft)
	column(t.allMsgs, st.Faint, all(kit.Count(n.Total.Messages)), st.Cells.PadLeft)
	column(t.tokens, st.Muted, model.CompactNumber(n.Usage.Tokens()), st.Cells.PadLeft)
	column(t.allTokens, st.Faint, all(model.CompactNumber(n.Total.Usage.Tokens())), st.Cells.PadLeft)
	column(t.cost, st.Muted, n.Usage.Cost.String(), st.Cells.PadLeft)
	column(t.allCost, st.Text, all(n.Total.Usage.Cost.String()), st.Cells.PadLeft)
	column(t.age, st.Muted, model.Age(s.now, n.LastActive()), st.Cells.PadLeft)
	right.WriteString(on(st.Text).Render(" "))

	lead := left.String()
	room := max(0, t.w-st.Cells.StringWidth(lead)-st.Cells.StringWidth(right.String()))
	text := st.Text
	if n.Title == "" {
		text = st.Muted
	}
	pieces := []match.Span{{Text: nodeTitle(n)}}
	if s.find.match != nil {
		pieces = s.find.match.Mark(pieces[0].Text)
	}
	return st.Cells.Truncate(lead+kit.Spans(st.Cells, pieces, room, on(text).Bold(selected), st.HitOn(selected), st.Glyphs.Ellipsis)+right.String(), t.w, "")
}

func kindMark(s *theme.Styles, n *model.Node) (string, lipgloss.Style) {
	switch {
	case n.Link == model.LinkBranch:
		return s.Glyphs.Branch + " ", s.User
	case n.Link == model.LinkDelegate:
		return s.Glyphs.Delegate + " ", s.Tool
	case n.SegmentCount > 1:
		return s.Glyphs.Segment + kit.Count(n.Segment) + " ", s.Agent
	}
	return "", s.Text
}

func kindName(n *model.Node) string {
	switch n.Link {
	case model.LinkBranch:
		return "branch"
	case model.LinkDelegate:
		return "subagent"
	case model.LinkSegment:
		return "segment"
	}
	return "conversation"
}

// nodeTags are the words after a title. They say in text what colors show too.
func nodeTags(n *model.Node) []string {
	var tags []string
	if n.SegmentCount > 1 && n.Segment == n.SegmentCount {
		tags = append(tags, "tip")
	}
	switch n.State {
	case model.StateRunning, model.StateEmpty, model.StateFailed:
		tags = append(tags, n.State.String())
	}
	if n.Archived {
		tags = append(tags, "archived")
	}
	if n.Pinned {
		tags = append(tags, "pinned")
	}
	return tags
}

// nodeTitle is the title of a session, else its preview, else its id.
func nodeTitle(n *model.Node) string {
	for _, t := range []string{n.Title, prose.Inline(n.Preview)} {
		if t = kit.CleanLine(t); t != "" {
			return t
		}
	}
	return "untitled " + kit.CleanLine(n.ID)
}

// Lines returns the finished lines of the screen.
func (s *Screen) Lines() []string {
	st, at := s.sh.Styles(), s.layout
	if at.tiny {
		return s.tinyLines()
	}
	var out []string
	if at.header {
		out = append(out, s.headLine())
	}
	if text := s.instead(); text != nil {
		return append(out, text...)
	}
	if at.heads {
		out = append(out, s.heads())
	}
	out = append(out, s.rows.Visible()...)
	out = kit.FillLines(out, at.rows.Y+at.rows.H)
	if at.details.W > 0 && at.details.X == 0 {
		out = append(out, s.detailLines(at.details.W, at.details.H)...)
	}
	side, x := []string(nil), 0
	switch {
	case at.beside.W > 0 && at.beside.X == 0:
		if out = kit.FillLines(out, at.beside.Y); s.beside != nil {
			out = append(out, s.beside.text.Lines()...)
		}
	case at.beside.W > 0:
		x = at.beside.X
		if s.beside != nil {
			side = s.beside.text.Lines()
		}
	case at.details.X > 0:
		side, x = s.detailLines(at.details.W, at.details.H), at.details.X
	}
	if x > 0 {
		bar := st.Border.Render(st.Glyphs.Divider)
		for y := 1; y < at.h-s.find.height(); y++ {
			out = kit.FillLines(out, y+1)
			out[y] = st.Cells.Pad(out[y], x-1, "") + bar
			if y-1 < len(side) {
				out[y] += side[y-1]
			}
		}
	}
	if s.find.typing {
		out = kit.FillLines(out, at.h-1)
		out = append(out[:at.h-1], s.find.line(at.w))
	}
	return out
}

// tinyLines is what is left where nothing else fits: what the current session
// is called.
func (s *Screen) tinyLines() []string {
	text := s.sh.Styles().Spell("reading…")
	n := s.Current()
	switch {
	case s.find.typing:
		return []string{s.find.line(s.layout.w)}
	case s.err != nil:
		text = kit.CleanLine(s.err.Error())
	case n != nil:
		kind, _ := kindMark(s.sh.Styles(), n)
		text = kind + nodeTitle(n)
	}
	lines := s.sh.Styles().Cells.Wrap(text, s.layout.w)
	return lines[:min(len(lines), s.layout.h)]
}

// headLine draws the title of the tree and its sums, with fewer sums in narrow windows.
func (s *Screen) headLine() string {
	st, w := s.sh.Styles(), s.layout.w
	if s.tree == nil {
		return st.Cells.Truncate(" "+st.Strong.Render("Lineage"), w, "")
	}
	sums := s.tree.Total
	n := kit.Plural(sums.Sessions, "session", "sessions")
	cost := sums.Usage.Cost.String()
	if !sums.Usage.Cost.Known {
		cost = "cost " + cost
	}
	status := s.find.status()
	if s.read.Late {
		status = st.Spell("reading…")
	}
	if status != "" {
		status += " · "
	}
	lead := " "
	if w >= 60 {
		lead = " Lineage  "
	}
	title := nodeTitle(s.tree)
	need, right := len(lead)+st.Cells.StringWidth(title)+4, ""
	for _, r := range []string{
		n + " · " + kit.Plural(sums.Messages, "message", "messages") + " · " + kit.Plural(sums.ToolCalls, "tool call", "tool calls") + " · " + model.CompactNumber(sums.Usage.Tokens()) + " tokens · " + cost,
		n + " · " + model.CompactNumber(sums.Usage.Tokens()) + " tokens · " + cost,
		n + " · " + cost, cost, "",
	} {
		if right = strings.TrimSuffix(status+r, " · "); st.Cells.StringWidth(right) <= max(min(w*3/5, w-need), w/3) {
			break
		}
	}
	room := max(0, w-st.Cells.StringWidth(right)-4)
	left := st.Muted.Render(lead) + st.Strong.Render(st.Cells.Pad(title, max(0, room-len(lead)+1), st.Glyphs.Ellipsis))
	return st.Cells.Truncate(left+"  "+st.Faint.Render(right), w, "")
}

// heads are the names of the columns.
func (s *Screen) heads() string {
	st, t := s.sh.Styles(), s.layout.tree
	right := ""
	name := func(w int, text string, align func(string, int, string) string) {
		if w > 0 {
			right += "  " + align(text, w, "")
		}
	}
	name(t.llm, "Model", st.Cells.Pad)
	name(t.source, "Source", st.Cells.Pad)
	name(t.tools, "Tools", st.Cells.PadLeft)
	name(t.msgs, "Msgs", st.Cells.PadLeft)
	name(t.allMsgs, "Σ all", st.Cells.PadLeft)
	name(t.tokens, "Tokens", st.Cells.PadLeft)
	name(t.allTokens, "Σ all", st.Cells.PadLeft)
	name(t.cost, "Cost", st.Cells.PadLeft)
	name(t.allCost, "Σ all", st.Cells.PadLeft)
	name(t.age, "Age", st.Cells.PadLeft)
	if st.Glyphs.Sum != "Σ" {
		right = strings.ReplaceAll(right, "Σ", st.Glyphs.Sum)
	}
	lead := st.Cells.Pad("     Session", max(0, t.w-st.Cells.StringWidth(right)-1), "")
	return st.Faint.Render(st.Cells.Truncate(lead+right+" ", t.w, ""))
}

// instead is the text shown in place of a tree that is missing, nil otherwise.
func (s *Screen) instead() []string {
	st, w := s.sh.Styles(), s.layout.w
	switch {
	case s.err != nil:
		return shell.UnreadableLines(s.env, st, shell.InLineage, "lineage", s.err, 2, max(w-4, 1))
	case s.tree == nil && s.read.Late:
		return append([]string{""}, shell.WaitingLines(st, w, "reading", s.read.Moves)...)
	case s.tree == nil:
		return []string{""}
	}
	return nil
}
