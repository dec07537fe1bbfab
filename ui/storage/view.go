package storage

import (
	"strconv"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// listNames are the names of the lists.
func listNames() []string { return []string{"Conversations", "Sources", "Months"} }

// tabs are the lists, one of which is shown.
func (s *Screen) tabs() kit.Tabs { return kit.Tabs{Names: listNames(), Shown: s.list} }

// Lines gives the finished lines of the screen.
func (s *Screen) Lines() []string {
	out := s.head()
	s.rows.Resize(s.w, max(s.h-len(out), 1))
	st := s.sh.Styles()
	switch {
	case len(s.entries) > 0:
		return append(out, s.rows.Visible()...)
	case s.err != nil:
		return append(out, shell.ErrorLines(st, s.w, s.err)...)
	case s.listed && (s.list != byMonth || s.shown.Done):
		return append(out, shell.TextLines(st, s.w, "No conversations yet.")...)
	case s.read.Late:
		return append(out, shell.WaitingLines(st, s.w, "reading")...)
	}
	return out
}

// head draws what is above the rows: one line in a low window.
func (s *Screen) head() []string {
	st := s.sh.Styles()
	cut := func(l string) string { return st.Cells.Truncate(l, s.w, st.Glyphs.Ellipsis) }
	title := " " + st.Strong.Render("Storage")
	if s.sized {
		title += st.Muted.Render(" · " + s.fileSizes(s.w-len(" Storage · ")))
	}
	if s.h < 8 {
		return []string{cut(title)}
	}
	tabs := s.tabs().Line(st, s.w)
	if s.sourced {
		tabs += st.Muted.Render("of ") + st.Chip.Render(" "+sourceName(s.source)+" ")
	}
	out := []string{cut(title), cut(tabs), cut(" " + s.measured())}
	if s.h >= 12 {
		out = append(out, "")
	}
	return append(out, cut(st.Group.Render("   "+s.columns("Texts", "Frees", "Messages", listNames()[s.list], "Active", "Source"))))
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
	if s.err != nil && len(s.entries) > 0 {
		return st.Bad.Render("stopped: " + shell.Reason(s.err))
	}
	if m.Total.Messages == 0 && !m.Done {
		return st.Muted.Render("measuring" + st.Glyphs.Ellipsis)
	}
	texts := model.ByteSize(m.Total.Text) + " of texts"
	in, progress := " in "+kit.Plural(m.Total.Messages, "message", "messages"), ""
	switch {
	case !m.Done:
		progress = " · measuring" + st.Glyphs.Ellipsis + " " + strconv.Itoa(m.Percent()) + "%"
		in += progress + ", newest first"
	case s.again:
		progress = " · measuring" + st.Glyphs.Ellipsis
		in += " · measuring again" + st.Glyphs.Ellipsis
	default:
		in += ", " + model.ByteSize(m.Overhead()) + " of indexes and rows"
	}
	return st.Muted.Render(kit.Fit(st.Cells, s.w-1, texts+in, texts+progress, texts))
}

// columns puts the cells of a row, or the heads, beside each other.
func (s *Screen) columns(text, frees, messages, name, active, source string) string {
	c, ellipsis := s.sh.Styles().Cells, s.sh.Styles().Glyphs.Ellipsis
	left := c.PadLeft(text, 9, "") + "  "
	if s.w >= 50 {
		left += c.PadLeft(frees, 10, "") + "  "
	}
	if s.w >= 70 {
		left += c.PadLeft(messages, 8, "") + "  "
	}
	right := ""
	if s.list == byConversation && s.w >= 100 {
		right = "  " + c.PadLeft(active, 6, "") + "  " + c.Pad(source, 9, ellipsis)
	}
	room := max(0, s.w-4-c.StringWidth(left)-c.StringWidth(right))
	return left + c.Pad(name, room, ellipsis) + right
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
	name, active, source := sourceName(e.Name), "", ""
	switch {
	case e.Conversation != nil:
		c := *e.Conversation
		kit.CleanConversation(&c)
		name, _ = kit.TitleOf(&c)
		active, source = model.Age(s.env.Clock(), c.LastActive), c.Source
	case s.list == byMonth && e.Month.IsZero():
		name = "(no time)"
	case s.list == byMonth:
		name = e.Month.Format("January 2006")
	default:
		name += ", " + kit.Plural(e.Conversations, "conversation", "conversations")
	}
	frees := ""
	if s.shown.Done {
		frees = "~" + model.ByteSize(s.shown.Freed(e.StoredBytes))
	}
	text := model.ByteSize(e.Text)
	if e.Text == 0 && !s.shown.Done {
		text = ""
	}
	selected, cursor := i == s.rows.Selected, " "
	if selected {
		cursor = kit.OnRow + st.Glyphs.Cursor
	}
	return st.Cells.Truncate(st.On(selected, st.Accent).Render(" "+cursor+" ")+
		st.On(selected, st.Text).Render(s.columns(text, frees, kit.Count(e.Messages), name, active, source)+" "), s.w, "")
}
