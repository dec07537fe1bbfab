package comparison

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/compare"
	"hermes-sessions/model/prose"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

const (
	// maxOutcome is how many lines of an answer are shown, and maxPrompt of a prompt.
	maxOutcome = 8
	maxPrompt  = 3
	// maxFiles is how many files of a side are listed.
	maxFiles = 50
)

// line is a line of one side. One that leads to a message can be the current one.
type line struct {
	text    string
	style   lipgloss.Style
	message int64
	session string
	path    bool // where it is cut, its end is kept, which says more
	more    bool // it goes on with the one above
}

// leadsTo reports whether another line leads to the same place.
func (l line) leadsTo(other line) bool {
	return l.message == other.message && l.session == other.session && l.path == other.path && (!l.path || l.text == other.text)
}

// head draws what is above the sides: one line in a low window.
func (s *Screen) head() []string {
	st := s.sh.Styles()
	title := " " + st.Strong.Render("Compare")
	if s.ready && s.err == nil {
		title += st.Muted.Render(" · " + s.pair.Verdict())
	}
	out := []string{st.Cells.Truncate(title, max(s.w-1, 1), st.Glyphs.Ellipsis)}
	if s.h < 10 {
		return out
	}
	if s.ready && s.pair.Last[0].Message != 0 {
		last := " " + st.Faint.Render("Last common message: ") + st.Muted.Render(kit.CleanLine(prose.Inline(s.pair.Last[0].Text)))
		out = append(out, st.Cells.Truncate(last, max(s.w-1, 1), st.Glyphs.Ellipsis))
	}
	return append(out, "")
}

// Lines returns the finished lines of the screen.
func (s *Screen) Lines() []string {
	out := s.head()
	st := s.sh.Styles()
	switch {
	case s.ready && s.err != nil:
		return append(out, shell.ErrorLines(st, s.w, s.err)...)
	case !s.ready && s.read.Late:
		return append(out, shell.WaitingLines(st, s.w, "comparing", s.read.Moves)...)
	case !s.ready:
		return out
	}
	s.scroll(0)
	for y := s.top; y < s.top+s.room() && y < s.tall(); y++ {
		if s.wide() {
			width := s.width()
			left, right := s.draw(0, y, width), s.draw(1, y, width)
			out = append(out, left+st.Border.Render(st.Glyphs.Divider)+right)
			continue
		}
		if below := s.below(); y >= below {
			out = append(out, s.draw(1, y-below, s.w))
		} else {
			out = append(out, s.draw(0, y, s.w))
		}
	}
	return out
}

// width returns the columns of one side.
func (s *Screen) width() int {
	if s.wide() {
		return (s.w - 1) / 2
	}
	return s.w
}

func (s *Screen) draw(side, i, width int) string {
	st := s.sh.Styles()
	if i >= len(s.lines[side]) {
		return strings.Repeat(" ", width)
	}
	l := &s.lines[side][i]
	first := s.first(side, i)
	selected := side == s.side && first == s.at[side] && s.lines[side][first].message != 0
	cursor := kit.RowMark(st, selected && !l.more)
	text, room := l.text, max(width-3, 0)
	if over := st.Cells.StringWidth(text) - room; l.path && over > 0 {
		text = st.Cells.TruncateLeft(text, over+1, st.Glyphs.Ellipsis)
	}
	return st.On(selected, st.Accent).Render(cursor+" ") + st.On(selected, l.style).Render(st.Cells.Pad(text, room, st.Glyphs.Ellipsis)+" ")
}

// layout makes the lines of both sides, for the width.
func (s *Screen) layout() {
	if !s.ready || s.err != nil {
		s.lines = [2][]line{}
		return
	}
	for side := range s.lines {
		var before line
		if at := s.at[side]; at < len(s.lines[side]) {
			before = s.lines[side][at]
		}
		s.lines[side] = s.sideLines(side)
		s.at[side] = max(0, s.next(side, -1, 1))
		if i := slices.IndexFunc(s.lines[side], before.leadsTo); before.message != 0 && i >= 0 {
			s.at[side] = i
		}
	}
	s.reveal()
}

func (s *Screen) sideLines(side int) (out []line) {
	st := s.sh.Styles()
	c, did := &s.pair.Conversations[side], &s.pair.Sides[side]
	add := func(style lipgloss.Style, text string) { out = append(out, line{text: text, style: style}) }
	group := func(name string) {
		add(st.Text, "")
		add(st.Group, name)
	}
	title, _ := kit.TitleOf(c)
	add(st.Strong, "AB"[side:side+1]+"  "+title)
	add(st.Muted, kit.Facts(c.Source, c.Model, model.Age(s.env.Clock(), c.LastActive)))
	cost := c.Total.Cost.String()
	if !c.Total.Cost.Known {
		cost = "cost " + cost
	}
	add(st.Muted, model.CompactNumber(c.Total.Tokens())+" tokens, "+cost+" in total")
	after := kit.Plural(did.Messages, "message", "messages")
	if s.pair.Common > 0 {
		after += " after that"
	}
	if d := compare.DurationText(did.Duration()); d != "" {
		after += ", in " + d
	}
	add(st.Muted, cmp.Or(kit.Clauses(st.Cells, after, max(s.width()-3, 0)), after))
	if did.First.Message != 0 && (len(did.Prompts) == 0 || did.Prompts[0].Message != did.First.Message) {
		group("First message")
		out = append(out, s.said(did.First))
	}
	if len(did.Prompts) > 0 {
		group("Prompts " + kit.Count(len(did.Prompts)+did.Unlisted))
		for i := range did.Prompts {
			out = append(out, s.wrapped(s.said(did.Prompts[i]), st.Glyphs.User, maxPrompt)...)
		}
	}
	if calls, _ := did.Calls(); calls > 0 {
		group("Tool calls " + kit.Count(calls))
		for _, t := range did.Tools {
			text, style := kit.CleanLine(t.Name)+compare.Times(t.Calls), st.Tool
			if t.Failed > 0 {
				text += ", " + st.Glyphs.Failed + " " + strconv.Itoa(t.Failed) + " failed"
				style = st.Warn
			}
			add(style, text)
		}
	}
	if len(did.Files) > 0 {
		group("Files written " + kit.Count(len(did.Files)))
		for i, f := range did.Files {
			if i == maxFiles {
				add(st.Faint, kit.Count(len(did.Files)-i)+" more")
				break
			}
			out = append(out, line{text: kit.CleanLine(f.Path) + compare.Times(f.Writes), style: st.Text, message: f.Message, session: f.SessionID, path: true})
		}
	}
	if did.Answer.Message != 0 {
		group("Outcome")
		out = append(out, s.wrapped(s.said(did.Answer), st.Glyphs.Agent, maxOutcome)...)
	}
	return out
}

// wrapped breaks a line into at most most, behind the mark of who said it.
func (s *Screen) wrapped(l line, mark string, most int) (lines []line) {
	measure, ellipsis := s.sh.Styles().Cells, s.sh.Styles().Glyphs.Ellipsis
	indent := measure.StringWidth(mark) + 1
	room := max(s.width()-4-indent, 1)
	parts := measure.Wrap(l.text, room)
	for i, text := range parts[:min(len(parts), most)] {
		if i == most-1 && len(parts) > most {
			text = measure.Truncate(text, room-1, "") + ellipsis
		}
		if l.text = mark + " " + text; i > 0 {
			l = line{text: strings.Repeat(" ", indent) + text, style: l.style, more: true}
		}
		lines = append(lines, l)
	}
	return lines
}

func (s *Screen) said(m compare.Excerpt) line {
	text := cmp.Or(kit.CleanLine(prose.Inline(m.Text)), "(no text)")
	return line{text: text, style: s.sh.Styles().Text, message: m.Message, session: m.SessionID}
}
