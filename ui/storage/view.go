package storage

import (
	"strconv"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

func listNames() []string { return []string{"Conversations", "Sources", "Months"} }

func (s *Screen) tabs() kit.Tabs { return kit.Tabs{Names: listNames(), Shown: s.list} }

// Lines returns the finished lines of the screen.
func (s *Screen) Lines() []string {
	out := s.head()
	s.rows.Resize(max(s.h-len(out), 1))
	st := s.sh.Styles()
	switch {
	case len(s.entries) > 0:
		return append(out, s.rows.Visible()...)
	case s.err != nil:
		return append(out, shell.ErrorLines(st, s.w, s.err)...)
	case s.listed && (s.list != byMonth || s.shown.Done):
		return append(out, shell.TextLines(st, s.w, "No conversations yet.")...)
	case s.read.Late:
		return append(out, shell.WaitingLines(st, s.w, "reading", s.read.Moves)...)
	}
	return out
}

// head draws what is above the rows: one line in a low window.
func (s *Screen) head() []string {
	st := s.sh.Styles()
	cut := func(l string) string { return st.Cells.Truncate(l, s.w, st.Glyphs.Ellipsis) }
	name, at := "Storage", s.rows.Position()
	if s.env.Several {
		name += " of " + kit.CleanLine(s.of.Profile)
	}
	title := " " + st.Strong.Render(name)
	room := max(0, s.w-len(at)-2)
	if s.sized {
		title += st.Muted.Render(" · " + s.fileSizes(room-st.Cells.StringWidth(" "+name+" · ")))
	}
	if at != "" {
		title = st.Cells.Pad(title, room, st.Glyphs.Ellipsis) + " " + st.Muted.Render(at)
	}
	if s.h < 8 {
		return []string{cut(title)}
	}
	tabs := s.tabs().Line(st, s.w)
	if s.sourced {
		tabs += st.Muted.Render("of ") + st.Chip.Render(" "+sourceName(s.source)+" ")
	}
	out := append([]string{cut(title), cut(tabs)}, shell.FiguresBanner(st, s.env.Library, s.w)...)
	if s.err != nil && len(s.entries) > 0 {
		for _, l := range st.Cells.Wrap("stopped: "+shell.Reason(s.err), max(s.w-2, 1)) {
			out = append(out, " "+st.Bad.Render(l))
		}
	} else {
		out = append(out, cut(" "+s.measured()))
	}
	if s.h >= 12 {
		out = append(out, "")
	}
	before, after := s.columns(cellsOf{"Text", "Frees", "Messages", strings.TrimSuffix(listNames()[s.list], "s"), "Age", "Source", "Folder"})
	return append(out, cut(st.Faint.Render("   "+before+strings.Repeat(" ", s.bars())+after)))
}

// fileSizes tells the sizes of the files in w columns.
func (s *Screen) fileSizes(w int) string {
	sizes := s.forecast.Sizes
	file, free, log := model.ByteSize(sizes.File), ", no free pages", ""
	if sizes.Free > 0 {
		free = ", " + model.ByteSize(sizes.Free) + " free"
	}
	if sizes.Log > 0 {
		log = ", write-ahead log " + model.ByteSize(sizes.Log)
	}
	return kit.Fit(s.sh.Styles().Cells, w, file+free+log, file+free, file)
}

// measured says what has been measured so far.
func (s *Screen) measured() string {
	st := s.sh.Styles()
	m := &s.shown
	if m.Total.Messages == 0 && !m.Done {
		return st.Muted.Render("measuring" + st.Glyphs.Ellipsis)
	}
	texts := model.ByteSize(m.Total.Text) + " of text"
	messages, more, progress := " in "+kit.Plural(m.Total.Messages, "message", "messages"), "", ""
	switch {
	case !m.Done:
		progress = " · measuring" + st.Glyphs.Ellipsis + " " + strconv.Itoa(m.Percent()) + "%"
		more = progress + ", newest first"
	case s.again:
		progress = " · measuring" + st.Glyphs.Ellipsis
		more = " · measuring again" + st.Glyphs.Ellipsis
	default:
		more = ", " + model.ByteSize(m.Overhead()) + " of indexes and rows"
	}
	return st.Muted.Render(kit.Fit(st.Cells, s.w-1, texts+messages+more, texts+messages+progress, texts+progress, texts))
}

const (
	wideFrom    = 150 // width from which a row has a bar and the folder
	barWidth    = 16
	folderWidth = 24 // at least
	nameWidth   = 80 // of the longest name in a wide window
)

// cellsOf are the texts of a row, or the heads.
type cellsOf struct{ text, frees, messages, name, active, source, folder string }

// columns puts the cells of a row beside each other: those before its bar, and the others.
func (s *Screen) columns(row cellsOf) (before, after string) {
	c, ellipsis := s.sh.Styles().Cells, s.sh.Styles().Glyphs.Ellipsis
	before, left := c.PadLeft(row.text, 9, "")+"  ", ""
	if s.w >= 50 {
		left += c.PadLeft(row.frees, 10, "") + "  "
	}
	if s.w >= 70 {
		left += c.PadLeft(row.messages, 8, "") + "  "
	}
	right := ""
	if s.list == byConversation && s.w >= 100 {
		right = "  " + c.PadLeft(row.active, 6, "") + "  " + c.Pad(row.source, 9, ellipsis)
	}
	room := max(0, s.w-4-s.bars()-c.StringWidth(before+left)-c.StringWidth(right))
	if right != "" && s.w >= wideFrom {
		name := min(room-2-folderWidth, nameWidth)
		right += "  " + c.Pad(row.folder, room-name-2, ellipsis)
		room = name
	}
	return before, left + c.Pad(row.name, room, ellipsis) + right
}

// bars returns the columns of the bars with the gap behind them, 0 where there is no room.
func (s *Screen) bars() int {
	if s.w < wideFrom {
		return 0
	}
	return barWidth + 2
}

// sourceName names a source, also where a conversation has none.
func sourceName(source string) string {
	if source = kit.CleanLine(source); source != "" {
		return source
	}
	return "(no source)"
}

// line draws a row.
func (s *Screen) line(i int) string {
	st, e := s.sh.Styles(), &s.entries[i]
	row := cellsOf{name: sourceName(e.Name), messages: kit.Count(e.Messages), text: model.ByteSize(e.Text)}
	switch {
	case e.Conversation != nil:
		c := *e.Conversation
		kit.CleanConversation(&c)
		row.name, _ = kit.TitleOf(&c)
		row.active, row.source, row.folder = model.Age(s.env.Clock(), c.LastActive), c.Source, kit.Folder(c.CWD)
	case s.list == byMonth && e.Month.IsZero():
		row.name = "(no time)"
	case s.list == byMonth:
		row.name = e.Month.Format("January 2006")
	default:
		row.name += ", " + kit.Plural(e.Conversations, "conversation", "conversations")
	}
	if s.shown.Done {
		row.frees = "~" + model.ByteSize(s.shown.Freed(e.StoredBytes))
	}
	if e.Text == 0 && !s.shown.Done {
		row.text = ""
	}
	bar := ""
	if s.bars() > 0 {
		bar = st.Cells.Pad(kit.ShareBar(st, float64(e.Text)/float64(max(s.largest, 1)), barWidth), s.bars(), "")
	}
	before, after := s.columns(row)
	selected := i == s.rows.Selected
	cursor := kit.RowMark(st, selected)
	return st.Cells.Truncate(st.On(selected, st.Accent).Render(" "+cursor+" ")+
		st.On(selected, st.Text).Render(before)+st.On(selected, st.Accent).Render(bar)+st.On(selected, st.Text).Render(after+" "), s.w, "")
}
