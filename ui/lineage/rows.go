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
	beside  kit.Area // its transcript; without width for none
	tree    treeShape
}

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
		l.detailsBelow(min(8, tall/3))
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
	alone      bool // one session only: it has no sums
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
func (l *Screen) Resize(w, h int) {
	l.layout.w, l.layout.h = w, h
	l.relayout()
}

// Restyle draws everything again after a change of the theme.
func (l *Screen) Restyle() {
	clear(l.cache)
	if l.beside != nil {
		l.beside.text.Restyle()
	}
}

// relayout places the parts; the current row stays in sight.
func (l *Screen) relayout() {
	l.layout = newTreeLayout(l.layout.w, l.layout.h, l.Find.height(), l.layout.tree)
	clear(l.cache)
	l.Rows.Resize(l.layout.rows.H)
	l.Rows.Reveal()
	switch {
	case l.layout.beside.W == 0:
		l.beside = nil
	case l.beside != nil:
		l.beside.text.Resize(l.layout.beside.W, l.layout.beside.H)
	}
}

// row returns a finished row.
func (l *Screen) row(i int) string {
	if i == l.Rows.Selected {
		return l.DrawRow(i, true)
	}
	line, ok := l.cache[i]
	if !ok {
		line = l.DrawRow(i, false)
		l.cache[i] = line
	}
	return line
}

// DrawRow draws a session: its state, its place in the tree, its kind, its title, its tags
// and its columns.
func (l *Screen) DrawRow(i int, selected bool) string {
	s, t, r := l.sh.Styles(), l.layout.tree, l.Shown[i]
	n := r.Node
	on := func(st lipgloss.Style) lipgloss.Style { return s.On(selected, st) }
	var left, right strings.Builder
	mark := kit.RowMark(s, selected)
	if t.bare {
		left.WriteString(on(s.Accent).Render(mark))
	} else {
		glyph, style := kit.StateGlyph(s, n.State)
		left.WriteString(on(s.Accent).Render(" "+mark+" ") + on(style).Render(glyph+" "))
	}
	left.WriteString(on(s.Border).Render(s.Glyphs.Rails(r.Continues, r.Depth > len(r.Continues), t.rail, max(2, t.w/4))))
	switch {
	case r.Expanded:
		left.WriteString(on(s.Muted).Render(s.Glyphs.Unfolded + " "))
	case len(n.Children) > 0:
		left.WriteString(on(s.Muted).Render(s.Glyphs.Folded + " "))
	}
	kind, style := kindMark(s, n)
	left.WriteString(on(style).Render(kind))

	for _, tag := range nodeTags(n) {
		if t.w >= 50 {
			right.WriteString(on(s.Faint).Render("  " + tag))
		}
	}
	column := func(w int, st lipgloss.Style, text string, align func(string, int, string) string) {
		if w > 0 {
			right.WriteString(on(st).Render("  " + align(text, w, s.Glyphs.Ellipsis)))
		}
	}
	all := func(text string) string {
		if len(n.Children) == 0 {
			return "" // it would say the same again
		}
		return text
	}
	column(t.llm, s.Faint, kit.CleanLine(n.Model), s.Cells.Pad)
	column(t.source, s.Faint, kit.CleanLine(n.Source), s.Cells.Pad)
	column(t.tools, s.Faint, kit.Count(n.ToolCalls), s.Cells.PadLeft)
	column(t.msgs, s.Muted, kit.Count(n.VisibleMessages), s.Cells.PadLeft)
	column(t.allMsgs, s.Faint, all(kit.Count(n.Total.Messages)), s.Cells.PadLeft)
	column(t.tokens, s.Muted, model.CompactNumber(n.Usage.Tokens()), s.Cells.PadLeft)
	column(t.allTokens, s.Faint, all(model.CompactNumber(n.Total.Usage.Tokens())), s.Cells.PadLeft)
	column(t.cost, s.Muted, n.Usage.Cost.String(), s.Cells.PadLeft)
	column(t.allCost, s.Text, all(n.Total.Usage.Cost.String()), s.Cells.PadLeft)
	column(t.age, s.Muted, model.Age(l.now, n.LastActive()), s.Cells.PadLeft)
	right.WriteString(on(s.Text).Render(" "))

	lead := left.String()
	room := max(0, t.w-s.Cells.StringWidth(lead)-s.Cells.StringWidth(right.String()))
	text := s.Text
	if n.Title == "" {
		text = s.Muted
	}
	pieces := []match.Span{{Text: nodeTitle(n)}}
	if l.Find.match != nil {
		pieces = l.Find.match.Mark(pieces[0].Text)
	}
	return s.Cells.Truncate(lead+kit.Spans(s.Cells, pieces, room, on(text).Bold(selected), s.HitOn(selected), s.Glyphs.Ellipsis)+right.String(), t.w, "")
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
func (l *Screen) Lines() []string {
	s, at := l.sh.Styles(), l.layout
	if at.tiny {
		return l.tinyLines()
	}
	var out []string
	if at.header {
		out = append(out, l.headLine())
	}
	if text := l.instead(); text != nil {
		return append(out, text...)
	}
	if at.heads {
		out = append(out, l.heads())
	}
	out = append(out, l.Rows.Visible()...)
	out = kit.FillLines(out, at.rows.Y+at.rows.H)
	if at.details.W > 0 && at.details.X == 0 {
		out = append(out, l.detailLines(at.details.W, at.details.H)...)
	}
	side, x := []string(nil), 0
	switch {
	case at.beside.W > 0:
		x = at.beside.X
		if l.beside != nil {
			side = l.beside.text.Lines()
		}
	case at.details.X > 0:
		side, x = l.detailLines(at.details.W, at.details.H), at.details.X
	}
	if x > 0 {
		bar := s.Border.Render(s.Glyphs.Divider)
		for y := 1; y < at.h-l.Find.height(); y++ {
			out = kit.FillLines(out, y+1)
			out[y] = s.Cells.Pad(out[y], x-1, "") + bar
			if y-1 < len(side) {
				out[y] += side[y-1]
			}
		}
	}
	if l.Find.typing {
		out = kit.FillLines(out, at.h-1)
		out = append(out[:at.h-1], l.Find.line(at.w))
	}
	return out
}

// tinyLines is what is left where nothing else fits: what the current session
// is called.
func (l *Screen) tinyLines() []string {
	text := "reading" + l.sh.Styles().Glyphs.Ellipsis
	switch n := l.Current(); {
	case l.Find.typing:
		return []string{l.Find.line(l.layout.w)}
	case l.err != nil:
		text = kit.CleanLine(l.err.Error())
	case n != nil:
		kind, _ := kindMark(l.sh.Styles(), n)
		text = kind + nodeTitle(n)
	}
	lines := l.sh.Styles().Cells.Wrap(text, l.layout.w)
	return lines[:min(len(lines), l.layout.h)]
}

// headLine draws the title of the tree and its sums, with fewer sums in narrow windows.
func (l *Screen) headLine() string {
	s, w := l.sh.Styles(), l.layout.w
	if l.tree == nil {
		return s.Cells.Truncate(" "+s.Strong.Render("Lineage"), w, "")
	}
	sums := l.tree.Total
	n := kit.Plural(sums.Sessions, "session", "sessions")
	cost := sums.Usage.Cost.String()
	if !sums.Usage.Cost.Known {
		cost = "cost " + cost
	}
	status := l.Find.status()
	if l.Read.Late {
		status = "reading" + s.Glyphs.Ellipsis
	}
	if status != "" {
		status += " · "
	}
	right := ""
	for _, r := range []string{
		n + " · " + kit.Plural(sums.Messages, "message", "messages") + " · " + kit.Plural(sums.ToolCalls, "tool call", "tool calls") + " · " + model.CompactNumber(sums.Usage.Tokens()) + " tokens · " + cost,
		n + " · " + model.CompactNumber(sums.Usage.Tokens()) + " tokens · " + cost,
		n + " · " + cost, cost, "",
	} {
		if right = strings.TrimSuffix(status+r, " · "); s.Cells.StringWidth(right) <= w*3/5 {
			break
		}
	}
	room := max(0, w-s.Cells.StringWidth(right)-4)
	lead := " "
	if w >= 60 {
		lead = " Lineage  "
	}
	title := s.Muted.Render(lead) + s.Strong.Render(s.Cells.Pad(nodeTitle(l.tree), max(0, room-len(lead)+1), s.Glyphs.Ellipsis))
	return s.Cells.Truncate(title+"  "+s.Faint.Render(right), w, "")
}

// heads are the names of the columns.
func (l *Screen) heads() string {
	s, t := l.sh.Styles(), l.layout.tree
	right := ""
	name := func(w int, text string, align func(string, int, string) string) {
		if w > 0 {
			right += "  " + align(text, w, "")
		}
	}
	name(t.llm, "Model", s.Cells.Pad)
	name(t.source, "Source", s.Cells.Pad)
	name(t.tools, "Tools", s.Cells.PadLeft)
	name(t.msgs, "Msgs", s.Cells.PadLeft)
	name(t.allMsgs, "Σ all", s.Cells.PadLeft)
	name(t.tokens, "Tokens", s.Cells.PadLeft)
	name(t.allTokens, "Σ all", s.Cells.PadLeft)
	name(t.cost, "Cost", s.Cells.PadLeft)
	name(t.allCost, "Σ all", s.Cells.PadLeft)
	name(t.age, "Age", s.Cells.PadLeft)
	if s.Glyphs.Sum != "Σ" {
		right = strings.ReplaceAll(right, "Σ", s.Glyphs.Sum)
	}
	lead := s.Cells.Pad("     Session", max(0, t.w-s.Cells.StringWidth(right)-1), "")
	return s.Faint.Render(s.Cells.Truncate(lead+right+" ", t.w, ""))
}

// instead is the text shown in place of a tree that is missing, nil otherwise.
func (l *Screen) instead() []string {
	s, w := l.sh.Styles(), l.layout.w
	switch {
	case l.err != nil:
		return shell.UnreadableLines(l.env, s, shell.InLineage, "lineage", l.err, 2, max(w-4, 1))
	case l.tree == nil && l.Read.Late:
		return append([]string{""}, shell.WaitingLines(s, w, "reading")...)
	case l.tree == nil:
		return []string{""}
	}
	return nil
}
