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
	return [...]string{"Working", "Waiting for you", "Silent"}[a]
}

// Resize lays the screen out for a window of w columns and h lines.
func (b *Screen) Resize(w, h int) {
	b.w, b.h = w, h
	b.rows.Resize(max(h-b.top(), 1))
	b.rows.Reveal()
}

// top is the number of lines above the rows.
func (b *Screen) top() int {
	switch {
	case b.h < 5:
		return 0
	case b.titled():
		return 2
	}
	return 1
}

func (b *Screen) titled() bool { return b.h >= twoLinesFrom && b.w >= columnsFrom }

// Lines returns the finished lines of the screen.
func (b *Screen) Lines() []string {
	s := b.sh.Styles()
	var out []string
	if b.top() > 0 {
		out = append(out, s.Cells.Truncate(" "+s.Strong.Render("Running")+s.Muted.Render(b.summary()), b.w, s.Glyphs.Ellipsis))
	}
	if text := b.instead(); text != nil {
		return append(out, text...)
	}
	if b.titled() {
		title := s.Cells.Pad("Title", max(0, b.titleWidth(columnsWidth)), "")
		if b.w >= oneLineFrom {
			title += s.Cells.Pad("  Last tool", b.workWidth()-b.placeWidth(), "") + s.Cells.Pad("  Where", b.placeWidth(), "")
		}
		out = append(out, s.Cells.Pad(s.Faint.Render("     "+title+columns("Silent", "Tokens", "Cost", s.Cells.PadLeft)), b.w, ""))
	}
	return append(out, b.rows.Visible()...)
}

// summary counts the sessions by what they are doing.
func (b *Screen) summary() string {
	var counts [3]int
	for i := range b.found {
		counts[b.found[i].Activity]++
	}
	var whole, short []string
	for a, n := range counts {
		if n > 0 {
			whole = append(whole, kit.Count(n)+" "+strings.ToLower(nameOf(model.Activity(a))))
			short = append(short, kit.Count(n)+" "+[...]string{"working", "waiting", "silent"}[a])
		}
	}
	if len(whole) == 0 {
		return ""
	}
	room := b.w - len(" Running · ")
	return " · " + kit.Fit(b.sh.Styles().Cells, room, strings.Join(whole, ", "), strings.Join(short, ", "), kit.Plural(len(b.found), "session", "sessions"))
}

// instead is what is shown where there are no rows, nil where there are.
func (b *Screen) instead() []string {
	s := b.sh.Styles()
	var out []string
	if b.h >= 5 {
		out = append(out, "")
	}
	switch {
	case b.err != nil:
		out = append(out, shell.ErrorLines(s, b.w, b.err)...)
	case !b.ready && b.read.Late:
		out = append(out, shell.WaitingLines(s, b.w, "reading")...)
	case !b.ready:
		return []string{}
	case len(b.found) == 0:
		out = append(append(out, shell.TextLines(s, b.w, "No session is open.")...), "")
		out = append(out, shell.TextLines(s, b.w, "Sessions appear here as soon as Hermes writes to them. Those that have ended, or have been silent for a day, are in the list.")...)
	default:
		return nil
	}
	return out[:min(len(out), max(b.h-1, 1))]
}

// lines draws a session: the heading of its group, if it is the first of it, and its one
// or two lines.
func (b *Screen) lines(i int) []string {
	var out []string
	if b.h >= twoLinesFrom && (i == 0 || b.found[i-1].Activity != b.found[i].Activity) {
		out = append(out, kit.HeadingLine(b.sh.Styles(), b.w, nameOf(b.found[i].Activity)))
	}
	out = append(out, b.line(i))
	if b.h >= twoLinesFrom && b.w < oneLineFrom {
		out = append(out, b.sh.Styles().On(i == b.rows.Selected, b.sh.Styles().Text).Render("     ")+b.work(i, b.w-5))
	}
	return out
}

// titleWidth returns the columns of the title in a row that ends with right columns.
func (b *Screen) titleWidth(right int) int {
	room := max(0, b.w-5-right-1)
	if b.w >= oneLineFrom {
		return room / 2
	}
	return room
}

// placeWidth returns the columns of source, profile and folder in a row that has everything.
func (b *Screen) placeWidth() int { return b.w / 6 }

// workWidth returns the columns of the last tool and the place in a row that has everything.
func (b *Screen) workWidth() int { return b.w - 5 - columnsWidth - 1 - b.titleWidth(columnsWidth) }

// columnsWidth is how many columns the numbers of a row take.
const columnsWidth = 2 + 6 + 2 + 6 + 2 + 8

// columns lays out the numbers of a row.
func columns(silent, tokens, cost string, align func(string, int, string) string) string {
	return "  " + align(silent, 6, "") + "  " + align(tokens, 6, "") + "  " + align(cost, 8, "")
}

// line draws the first line of a session: what it is doing, its title, for how long it has
// been silent, tokens and cost so far.
func (b *Screen) line(i int) string {
	s, r := b.sh.Styles(), &b.found[i]
	selected := i == b.rows.Selected
	on := func(st lipgloss.Style) lipgloss.Style { return s.On(selected, st) }
	cursor := kit.RowMark(s, selected)
	glyph, style := s.Glyphs.Running, s.Good
	switch r.Activity {
	case model.ActivityWorking:
	case model.ActivityWaiting:
		glyph, style = s.Glyphs.Agent, s.Warn
	case model.ActivitySilent:
		glyph, style = s.Glyphs.Interrupted, s.Muted
	}
	right := "  " + silence(r.Silent)
	switch {
	case b.w >= columnsFrom:
		right = columns(silence(r.Silent), model.CompactNumber(r.Total.Tokens()), r.Total.Cost.String(), s.Cells.PadLeft)
	case b.h < twoLinesFrom && b.w >= placeFrom: // there are no headings
		right = "  " + strings.ToLower(nameOf(r.Activity)) + right
	}
	title, untitled := kit.TitleOf(&r.Conversation)
	text := s.Text
	if untitled {
		text = s.Faint
	}
	work := ""
	if b.w >= oneLineFrom {
		work = on(s.Text).Render("  ") + b.work(i, b.workWidth()-2)
	}
	return s.Cells.Truncate(on(s.Accent).Render(" "+cursor+" ")+on(style).Render(glyph+" ")+
		on(text).Bold(selected).Render(s.Cells.Pad(title, b.titleWidth(s.Cells.StringWidth(right)), s.Glyphs.Ellipsis))+work+on(s.Muted).Render(right+" "), b.w, "")
}

// work draws the last tool with what it worked on, and where, in w columns.
func (b *Screen) work(i, w int) string {
	s, r := b.sh.Styles(), &b.found[i]
	on := func(st lipgloss.Style) lipgloss.Style { return s.On(i == b.rows.Selected, st) }
	place := ""
	switch facts := "  " + kit.Facts(r.Source, b.profile(r), kit.Folder(r.CWD)); {
	case b.w >= oneLineFrom:
		place = s.Cells.Pad(facts, b.placeWidth(), s.Glyphs.Ellipsis)
	case b.w >= placeFrom:
		place = s.Cells.Truncate(facts, b.w/2, s.Glyphs.Ellipsis) + " "
	}
	room := max(0, w-s.Cells.StringWidth(place))
	tool := s.Cells.Truncate(r.Tool, room, s.Glyphs.Ellipsis)
	object := s.Cells.Pad(" "+r.Object, room-s.Cells.StringWidth(tool), s.Glyphs.Ellipsis)
	return s.Cells.Truncate(on(s.Tool).Render(tool)+on(s.Argument).Render(object)+on(s.Faint).Render(place), w, "")
}

// profile names the database of a session, "" where there is only one.
func (b *Screen) profile(r *model.Running) string {
	if !b.env.Several {
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
	}
	return strconv.Itoa(int(d/time.Hour)) + "h"
}
