package running

import (
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

const (
	twoLinesFrom = 12  // height from which a session has a line for its last tool
	columnsFrom  = 60  // width from which tokens and cost have columns
	placeFrom    = 40  // width from which the second line ends with source and folder
	oneLineFrom  = 150 // width from which a session has everything in one line
	placeWidth   = 28  // of source, profile and folder in that line
)

func nameOf(a model.Activity) string {
	return [...]string{"Working", "Compressing", "Waiting for you", "Silent", "Dead"}[a]
}

// Resize lays the screen out for a window of w columns and h lines.
func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.rows.Resize(max(h-s.top(), 1))
	s.rows.Reveal()
}

// top is the number of lines above the rows.
func (s *Screen) top() int {
	switch {
	case s.h < 5:
		return 0
	case s.titled():
		return 2
	}
	return 1
}

func (s *Screen) titled() bool { return s.h >= twoLinesFrom && s.w >= columnsFrom }

// Lines returns the finished lines of the screen.
func (s *Screen) Lines() []string {
	st := s.sh.Styles()
	var out []string
	if s.top() > 0 {
		out = append(out, st.Cells.Truncate(" "+st.Strong.Render("Running")+st.Muted.Render(s.summary()), s.w, st.Glyphs.Ellipsis))
	}
	if text := s.instead(); text != nil {
		return append(out, text...)
	}
	if s.titled() {
		title := st.Cells.Pad("Title", max(0, s.titleWidth(columnsWidth)), "")
		if s.w >= oneLineFrom {
			title += st.Cells.Pad("  Last tool", s.workWidth()-s.placeWidth(), "") + st.Cells.Pad("  Where", s.placeWidth(), "")
		}
		out = append(out, st.Cells.Pad(st.Faint.Render("     "+title+columns("Silent", "Tokens", "Cost", st.Cells.PadLeft)), s.w, ""))
	}
	return append(out, s.rows.Visible()...)
}

// summary counts the sessions by what they are doing.
func (s *Screen) summary() string {
	var counts [model.ActivityDead + 1]int
	for i := range s.found {
		counts[s.found[i].Activity]++
	}
	var whole, short []string
	for a, n := range counts {
		if n > 0 {
			whole = append(whole, kit.Count(n)+" "+strings.ToLower(nameOf(model.Activity(a))))
			short = append(short, kit.Count(n)+" "+model.Activity(a).String())
		}
	}
	if len(whole) == 0 {
		return ""
	}
	room := s.w - len(" Running · ")
	return " · " + kit.Fit(s.sh.Styles().Cells, room, strings.Join(whole, ", "), strings.Join(short, ", "), kit.Plural(len(s.found), "session", "sessions"))
}

// instead is what is shown where there are no rows, nil where there are.
func (s *Screen) instead() []string {
	st := s.sh.Styles()
	var out []string
	if s.h >= 5 {
		out = append(out, "")
	}
	switch {
	case s.err != nil:
		out = append(out, shell.ErrorLines(st, s.w, s.err)...)
	case !s.ready && s.read.Late:
		out = append(out, shell.WaitingLines(st, s.w, "reading", s.read.Moves)...)
	case !s.ready:
		return []string{}
	case len(s.found) == 0:
		out = append(append(out, shell.TextLines(st, s.w, "No open sessions.")...), "")
		out = append(out, shell.TextLines(st, s.w, "Sessions appear here as soon as Hermes writes to them. Ended ones, and those silent for a day, are in the list.")...)
	default:
		return nil
	}
	return out[:min(len(out), max(s.h-1, 1))]
}

// lines draws a session: the heading of its group, if it is the first of it, and its one
// or two lines.
func (s *Screen) lines(i int) []string {
	var out []string
	if s.h >= twoLinesFrom && (i == 0 || s.found[i-1].Activity != s.found[i].Activity) {
		out = append(out, kit.HeadingLine(s.sh.Styles(), s.w, 1, nameOf(s.found[i].Activity)))
	}
	out = append(out, s.line(i))
	if s.h >= twoLinesFrom && s.w < oneLineFrom {
		out = append(out, s.sh.Styles().On(i == s.rows.Selected, s.sh.Styles().Text).Render("     ")+s.work(i, s.w-5))
	}
	return out
}

// titleWidth returns the columns of the title in a row that ends with right columns.
func (s *Screen) titleWidth(right int) int {
	room := max(0, s.w-5-right-1)
	if s.w >= oneLineFrom {
		return room / 2
	}
	return room
}

// placeWidth returns the columns of source, profile and folder in a row that has everything.
func (s *Screen) placeWidth() int { return s.w / 6 }

// workWidth returns the columns of the last tool and the place in a row that has everything.
func (s *Screen) workWidth() int { return s.w - 5 - columnsWidth - 1 - s.titleWidth(columnsWidth) }

// columnsWidth is how many columns the numbers of a row take.
const columnsWidth = 2 + 6 + 2 + 6 + 2 + 8

// columns lays out the numbers of a row.
func columns(silent, tokens, cost string, align func(string, int, string) string) string {
	return "  " + align(silent, 6, "") + "  " + align(tokens, 6, "") + "  " + align(cost, 8, "")
}

// line draws the first line of a session: what it is doing, its title, for how long it has
// been silent, tokens and cost so far.
func (s *Screen) line(i int) string {
	st, r := s.sh.Styles(), &s.found[i]
	selected := i == s.rows.Selected
	on := func(style lipgloss.Style) lipgloss.Style { return st.On(selected, style) }
	cursor := kit.RowMark(st, selected)
	glyph, style := st.Glyphs.Running, st.Good
	switch r.Activity {
	case model.ActivityWorking, model.ActivityCompressing:
	case model.ActivityWaiting:
		glyph, style = st.Glyphs.Agent, st.Warn
	case model.ActivitySilent:
		glyph, style = st.Glyphs.Interrupted, st.Muted
	case model.ActivityDead:
		glyph, style = st.Glyphs.Failed, st.Bad
	}
	right := "  " + silence(r.Silent)
	switch {
	case s.w >= columnsFrom:
		right = columns(silence(r.Silent), model.CompactNumber(r.Total.Tokens()), r.Total.Cost.String(), st.Cells.PadLeft)
	case s.h < twoLinesFrom && s.w >= placeFrom: // there are no headings
		right = "  " + strings.ToLower(nameOf(r.Activity)) + right
	}
	title, untitled := kit.TitleOf(&r.Conversation)
	text := st.Text
	if untitled {
		text = st.Faint
	}
	work := ""
	if s.w >= oneLineFrom {
		work = on(st.Text).Render("  ") + s.work(i, s.workWidth()-2)
	}
	return st.Cells.Truncate(on(st.Accent).Render(" "+cursor+" ")+on(style).Render(glyph+" ")+
		on(text).Bold(selected).Render(st.Cells.Pad(title, s.titleWidth(st.Cells.StringWidth(right)), st.Glyphs.Ellipsis))+work+on(st.Muted).Render(right+" "), s.w, "")
}

// work draws the last tool with what it worked on, and where, in w columns.
func (s *Screen) work(i, w int) string {
	st, r := s.sh.Styles(), &s.found[i]
	on := func(style lipgloss.Style) lipgloss.Style { return st.On(i == s.rows.Selected, style) }
	place := ""
	facts := "  " + kit.Facts(r.Source, s.profile(r), kit.Folder(r.CWD))
	if s.w >= oneLineFrom {
		place = st.Cells.Pad(facts, s.placeWidth(), st.Glyphs.Ellipsis)
	} else if s.w >= placeFrom {
		place = st.Cells.Truncate(facts, s.w/2, st.Glyphs.Ellipsis) + " "
	}
	room := max(0, w-st.Cells.StringWidth(place))
	tool := st.Cells.Truncate(r.Tool, room, st.Glyphs.Ellipsis)
	object := st.Cells.Pad(" "+r.Object, room-st.Cells.StringWidth(tool), st.Glyphs.Ellipsis)
	return st.Cells.Truncate(on(st.Tool).Render(tool)+on(st.Argument).Render(object)+on(st.Faint).Render(place), w, "")
}

// profile names the database of a session, "" where there is only one.
func (s *Screen) profile(r *model.Running) string {
	if !s.env.Several {
		return ""
	}
	return r.Profile
}

// silence writes how long ago something was said.
func silence(d time.Duration) string {
	switch {
	case d < 0:
		return "?" // the last message is in the future
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + "d"
}
