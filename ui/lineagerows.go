package ui

import (
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/theme"
)

// treeLayout says where the parts of the lineage screen stand. All of it
// follows from the size of the window.
type treeLayout struct {
	w, h   int
	tiny   bool // only what the current session is called
	header bool
	heads  bool // names over the columns
	rows   area
	facts  area // what is known of the current session; without width for none
	beside area // its transcript; without width for none
	tree   treeShape
}

// newTreeLayout lays out w by h columns and lines; below are the lines that
// something typed takes at the bottom.
func newTreeLayout(w, h, below int, shape treeShape) treeLayout {
	l := treeLayout{w: w, h: h, tiny: w < 20 || h < 4, tree: shape}
	if l.tiny {
		l.rows = area{x: 0, y: 0, w: w, h: h - below}
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
	l.rows = area{x: 0, y: top, w: w, h: tall}
	switch {
	case w >= 160 && h >= 12:
		l.rows.w = w * 45 / 100
		l.beside = area{x: l.rows.w + 1, y: 1, w: w - l.rows.w - 1, h: h - 1 - below}
		l.factsBelow(min(8, tall/3))
	case w >= 110 && h >= 12:
		l.rows.w = w - 40
		l.facts = area{x: l.rows.w + 1, y: 1, w: w - l.rows.w - 1, h: h - 1 - below}
	case h >= 26:
		l.factsBelow(7)
	case h >= 16:
		l.factsBelow(4)
	case h >= 8:
		l.factsBelow(1)
	}
	l.tree.arrange(l.rows.w)
	return l
}

// factsBelow puts the facts under the rows.
func (l *treeLayout) factsBelow(tall int) {
	l.rows.h -= tall
	l.facts = area{x: 0, y: l.rows.y + l.rows.h, w: l.rows.w, h: tall}
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
	w := treeWidths{4, 4, 6, 5, 3, 0}
	for _, r := range rows {
		n := r.Node
		w.msgs = max(w.msgs, columnsOf(count(n.Total.Messages)))
		w.cost = max(w.cost, columnsOf(n.Usage.Cost.String()), columnsOf(n.Total.Usage.Cost.String()))
		w.tools = max(w.tools, columnsOf(count(n.ToolCalls)))
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

func (l *lineage) Resize(w, h int) {
	l.layout.w, l.layout.h = w, h
	l.relayout()
}

func (l *lineage) Restyle() {
	clear(l.cache)
	if l.beside != nil {
		l.beside.text.Restyle()
	}
}

// relayout places the parts; the current row stays in sight.
func (l *lineage) relayout() {
	l.layout = newTreeLayout(l.layout.w, l.layout.h, l.find.height(), l.layout.tree)
	clear(l.cache)
	l.rows.resize(l.layout.rows.w, l.layout.rows.h)
	l.rows.reveal()
	switch {
	case l.layout.beside.w == 0:
		l.beside = nil
	case l.beside != nil:
		l.beside.text.Resize(l.layout.beside.w, l.layout.beside.h)
	}
}

// row gives a finished row.
func (l *lineage) row(i int) string {
	if i == l.rows.sel {
		return l.drawRow(i, true)
	}
	line, ok := l.cache[i]
	if !ok {
		line = l.drawRow(i, false)
		l.cache[i] = line
	}
	return line
}

// drawRow draws a session: where it hangs, its kind, what it is called, how it
// stands, and its columns.
func (l *lineage) drawRow(i int, selected bool) string {
	s, t, r := l.sh.Styles(), l.layout.tree, l.shown[i]
	n := r.Node
	on := func(st lipgloss.Style) lipgloss.Style { return s.On(selected, st) }
	var left, right strings.Builder
	mark := " "
	if selected {
		mark = s.Glyphs.Cursor
	}
	if t.bare {
		left.WriteString(on(s.Accent).Render(mark))
	} else {
		glyph, style := stateGlyph(s, n.State)
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
	column(t.llm, s.Faint, CleanLine(n.Model), pad)
	column(t.source, s.Faint, CleanLine(n.Source), pad)
	column(t.tools, s.Faint, count(n.ToolCalls), padLeft)
	column(t.msgs, s.Muted, count(n.VisibleMessages), padLeft)
	column(t.allMsgs, s.Faint, all(count(n.Total.Messages)), padLeft)
	column(t.tokens, s.Muted, model.CompactNumber(n.Usage.Tokens()), padLeft)
	column(t.allTokens, s.Faint, all(model.CompactNumber(n.Total.Usage.Tokens())), padLeft)
	column(t.cost, s.Muted, n.Usage.Cost.String(), padLeft)
	column(t.allCost, s.Text, all(n.Total.Usage.Cost.String()), padLeft)
	column(t.age, s.Muted, model.Age(l.now, n.LastActive()), padLeft)
	right.WriteString(on(s.Text).Render(" "))

	lead := left.String()
	room := max(0, t.w-ansi.StringWidth(lead)-ansi.StringWidth(right.String()))
	text := s.Text
	if n.Title == "" {
		text = s.Muted
	}
	pieces := []match.Span{{Text: nodeTitle(n)}}
	if l.find.match != nil {
		pieces = l.find.match.Mark(pieces[0].Text)
	}
	return ansi.Truncate(lead+spans(pieces, room, on(text).Bold(selected), s.Match, s.Glyphs.Ellipsis)+right.String(), t.w, "")
}

// kindMark tells a session's kind by a sign.
func kindMark(s *theme.Styles, n *model.Node) (string, lipgloss.Style) {
	switch {
	case n.Link == model.LinkBranch:
		return s.Glyphs.Branch + " ", s.User
	case n.Link == model.LinkDelegate:
		return s.Glyphs.Delegate + " ", s.Tool
	case n.SegmentCount > 1:
		return s.Glyphs.Segment + count(n.Segment) + " ", s.Agent
	}
	return "", s.Text
}

// kindName tells it in a word.
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

// nodeTags are the words behind a title: what colours alone must not tell.
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

// nodeTitle is what a session is called.
func nodeTitle(n *model.Node) string {
	for _, t := range []string{n.Title, n.Preview} {
		if t = CleanLine(t); t != "" {
			return t
		}
	}
	return "untitled " + CleanLine(n.ID)
}

func (l *lineage) Lines() []string {
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
	out = append(out, l.rows.view()...)
	for len(out) < at.rows.y+at.rows.h {
		out = append(out, "")
	}
	if at.facts.w > 0 && at.facts.x == 0 {
		out = append(out, l.factLines(at.facts.w, at.facts.h)...)
	}
	side, x := []string(nil), 0
	switch {
	case at.beside.w > 0:
		x = at.beside.x
		if l.beside != nil {
			side = l.beside.text.Lines()
		}
	case at.facts.x > 0:
		side, x = l.factLines(at.facts.w, at.facts.h), at.facts.x
	}
	if x > 0 {
		bar := s.Border.Render(s.Glyphs.Divider)
		for y := 1; y < at.h-l.find.height(); y++ {
			for y >= len(out) {
				out = append(out, "")
			}
			out[y] = pad(out[y], x-1, "") + bar
			if y-1 < len(side) {
				out[y] += side[y-1]
			}
		}
	}
	if l.find.typing {
		for len(out) < at.h-1 {
			out = append(out, "")
		}
		out = append(out[:at.h-1], l.find.line(at.w))
	}
	return out
}

// tinyLines is what is left where nothing else fits: what the current session
// is called.
func (l *lineage) tinyLines() []string {
	text := "reading" + l.sh.Styles().Glyphs.Ellipsis
	switch n := l.current(); {
	case l.find.typing:
		return []string{l.find.line(l.layout.w)}
	case l.err != nil:
		text = CleanLine(l.err.Error())
	case n != nil:
		kind, _ := kindMark(l.sh.Styles(), n)
		text = kind + nodeTitle(n)
	}
	lines := wrap(text, l.layout.w)
	return lines[:min(len(lines), l.layout.h)]
}

// headLine names the tree and says what it adds up to, in ever fewer words.
func (l *lineage) headLine() string {
	s, w := l.sh.Styles(), l.layout.w
	if l.tree == nil {
		return ansi.Truncate(" "+s.Strong.Render("Lineage"), w, "")
	}
	sums := l.tree.Total
	n := some(sums.Sessions, "session", "sessions")
	cost := sums.Usage.Cost.String()
	if !sums.Usage.Cost.Known {
		cost = "cost " + cost
	}
	status := l.find.status()
	if l.read.late {
		status = "reading" + s.Glyphs.Ellipsis
	}
	if status != "" {
		status += " · "
	}
	right := ""
	for _, r := range []string{
		n + " · " + some(sums.Messages, "message", "messages") + " · " + some(sums.ToolCalls, "tool call", "tool calls") + " · " + model.CompactNumber(sums.Usage.Tokens()) + " tokens · " + cost,
		n + " · " + model.CompactNumber(sums.Usage.Tokens()) + " tokens · " + cost,
		n + " · " + cost, cost, "",
	} {
		if right = strings.TrimSuffix(status+r, " · "); ansi.StringWidth(right) <= w*3/5 {
			break
		}
	}
	room := max(0, w-ansi.StringWidth(right)-3)
	lead := " "
	if w >= 60 {
		lead = " Lineage  "
	}
	title := s.Muted.Render(lead) + s.Strong.Render(pad(nodeTitle(l.tree), max(0, room-len(lead)+1), s.Glyphs.Ellipsis))
	return ansi.Truncate(title+"  "+s.Faint.Render(right), w, "")
}

// heads are the names of the columns.
func (l *lineage) heads() string {
	s, t := l.sh.Styles(), l.layout.tree
	right := ""
	name := func(w int, text string, align func(string, int, string) string) {
		if w > 0 {
			right += "  " + align(text, w, "")
		}
	}
	name(t.llm, "model", pad)
	name(t.source, "source", pad)
	name(t.tools, "tools", padLeft)
	name(t.msgs, "msgs", padLeft)
	name(t.allMsgs, "Σ all", padLeft)
	name(t.tokens, "tokens", padLeft)
	name(t.allTokens, "Σ all", padLeft)
	name(t.cost, "cost", padLeft)
	name(t.allCost, "Σ all", padLeft)
	name(t.age, "age", padLeft)
	if s.Glyphs.Sum != "Σ" {
		right = strings.ReplaceAll(right, "Σ", s.Glyphs.Sum)
	}
	lead := pad("     session", max(0, t.w-ansi.StringWidth(right)-1), "")
	return s.Faint.Render(ansi.Truncate(lead+right+" ", t.w, ""))
}

// instead is a text in the place of the tree, nil when there is one.
func (l *lineage) instead() []string {
	s, w := l.sh.Styles(), max(l.layout.w-4, 1)
	var out []string
	say := func(render func(...string) string, text string) {
		for _, line := range wrap(text, w) {
			out = append(out, "  "+render(line))
		}
	}
	switch {
	case l.err != nil:
		out = append(out, "")
		say(s.Bad.Render, s.Glyphs.Failed+" This lineage could not be read")
		say(s.Text.Render, CleanLine(l.err.Error()))
		out = append(out, "")
		say(s.Muted.Render, l.env.Keys.find(InLineage, Refresh).label()+" reads it again, "+
			l.env.Keys.find(InLineage, Back).label()+" goes back")
	case l.tree == nil:
		out = append(out, "")
		if l.read.late {
			say(s.Faint.Render, "reading"+s.Glyphs.Ellipsis)
		}
	}
	return out
}
