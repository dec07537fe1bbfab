package space

import (
	"strconv"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

const (
	tabsFrom   = 5 // heights from which the screen has its tabs, a line about them, and heads
	statusFrom = 7
	headsFrom  = 10
	barsFrom   = 60 // width from which the largest have bars
	// namesMeasured is how many rows decide how wide the columns are.
	namesMeasured = 200
)

// The columns of a row.
const (
	whyColumn = iota
	freesColumn
	ageColumn
	messagesColumn
	sourceColumn
	folderColumn
)

// layOut chooses the columns.
func (s *Screen) layOut() {
	measure := s.sh.Styles().Cells
	t := &s.table
	t.Name, t.Bar = "Conversation", 0
	if s.w >= barsFrom && s.tab == largest {
		t.Bar = max(6, min(s.w/10, 24))
	}
	t.Columns = []kit.Column{
		{Rank: 0, Left: true}, {Head: "Frees", Width: 8, Rank: 1, Main: true}, {Head: "Age", Width: 4, Rank: 2},
		{Head: "Messages", Rank: 3}, {Head: "Source", Rank: 4, Left: true}, {Head: "Folder", Rank: 5, Left: true},
	}
	if s.env.Several { // of which database a row is
		t.Columns[sourceColumn].Head = "Profile"
		t.Columns[sourceColumn].Rank = 3
		t.Columns[messagesColumn].Rank = 4
	}
	names := 0
	for i := range min(len(s.list), namesMeasured) {
		names = max(names, measure.StringWidth(s.titleOf(i)))
		for c := range t.Columns {
			t.Columns[c].Width = max(t.Columns[c].Width, measure.StringWidth(s.cell(i, c)))
		}
	}
	switch why := &t.Columns[whyColumn]; s.tab {
	case clutter:
		why.Head, why.Width = "Why", min(why.Width, s.w/3)
	case expiring:
		why.Head, why.Left = "Expires", false
	default:
		why.Rank, why.Width = 9, s.w // nothing to say
	}
	for _, i := range []int{sourceColumn, folderColumn} {
		if c := &t.Columns[i]; c.Width == 0 {
			c.Rank, c.Width = 9, s.w // nothing to say
		} else {
			c.Width = min(c.Width, 24)
		}
	}
	t.LayOut(measure, s.w, names)
	s.rows.Resize(max(s.h-len(s.head()), 1))
}

func (s *Screen) titleOf(i int) string { return shell.ConversationName(*s.list[i].Conversation) }

// cell is the text of a row in a column.
func (s *Screen) cell(i, column int) string {
	r := &s.list[i]
	switch column {
	case whyColumn:
		if s.tab == expiring {
			return r.ExpiresIn(s.env.Clock())
		}
		return r.why
	case freesColumn:
		f := s.bytes.of(r.Profile)
		if r.frees == 0 && (f < 0 || !s.bytes.files[f].shown.Done) {
			return "" // not measured yet
		}
		if r.frees == 0 {
			return model.ByteSize(0)
		}
		return "~" + model.ByteSize(r.frees)
	case ageColumn:
		return model.Age(s.env.Clock(), r.LastActive)
	case messagesColumn:
		return kit.Count(r.Messages)
	case sourceColumn:
		if s.env.Several {
			return kit.CleanLine(r.Profile)
		}
		return kit.CleanLine(r.Source)
	}
	return kit.Folder(kit.CleanLine(r.CWD))
}

// line draws a row.
func (s *Screen) line(i int) string {
	st, mark := s.sh.Styles(), ""
	if s.selected(&s.list[i]) {
		mark = st.Glyphs.Marked
	}
	share := float64(s.list[i].frees) / float64(max(s.most, 1))
	return s.table.Row(st, mark, i == s.rows.Selected, s.titleOf(i), func(c int) string { return s.cell(i, c) }, share)
}

// Lines returns the finished lines of the screen.
func (s *Screen) Lines() []string {
	out, st := s.head(), s.sh.Styles()
	s.rows.Resize(max(s.h-len(out), 1))
	switch {
	case len(s.list) > 0:
		return append(out, s.rows.Visible()...)
	case s.tabErr != nil:
		return append(out, shell.ErrorLines(st, s.w, s.tabErr)...)
	case s.ready:
		return append(out, shell.TextLines(st, s.w, s.nothing())...)
	case s.read.Late:
		return append(out, shell.WaitingLines(st, s.w, "reading", s.read.Moves)...)
	}
	return out
}

// nothing is said in place of rows.
func (s *Screen) nothing() string {
	switch s.tab {
	case clutter:
		return "No clutter: no empty, ghost or duplicate conversations."
	case inactive:
		return "No ended conversation has been inactive for " + strconv.Itoa(days[s.age]) + " days."
	case expiring:
		none := "No conversation expires within " + strconv.Itoa(int(model.ExpiringWindow.Hours()/24)) + " days."
		for _, h := range s.hints {
			none += " " + h + "."
		}
		return none
	}
	return "No conversations yet."
}

// head draws what is above the rows: one line in a low window.
func (s *Screen) head() []string {
	st := s.sh.Styles()
	cut := func(l string) string { return st.Cells.Truncate(l, s.w, st.Glyphs.Ellipsis) }
	name, at := "Space", s.rows.Position()
	if s.h < tabsFrom {
		name += ": " + s.tabs().Names[s.tab]
	}
	title := " " + st.Strong.Render(name)
	room := max(0, s.w-len(at)-2)
	if sizes := s.fileSizes(); sizes != nil {
		title += st.Muted.Render(" · " + kit.Fit(st.Cells, room-st.Cells.StringWidth(" "+name+" · "), sizes...))
	}
	if at != "" {
		title = st.Cells.Pad(title, room, st.Glyphs.Ellipsis) + " " + st.Muted.Render(at)
	}
	out := []string{cut(title)}
	if s.h >= tabsFrom {
		out = append(out, cut(s.tabs().Line(st, s.w)))
	}
	if s.h < statusFrom {
		return out
	}
	if s.h >= headsFrom {
		out = append(out, shell.FiguresBanner(st, s.env.Library, s.w)...)
	}
	if err := s.stopped(); err != nil {
		for _, l := range st.Cells.Wrap("stopped: "+shell.Reason(err), max(s.w-2, 1)) {
			out = append(out, " "+st.Bad.Render(l))
		}
	} else {
		out = append(out, cut(" "+st.Muted.Render(kit.Fit(st.Cells, s.w-1, s.status()...))))
	}
	if s.h < headsFrom {
		return out
	}
	if s.h >= 12 {
		out = append(out, "")
	}
	if len(s.list) > 0 {
		out = append(out, cut(s.table.Heads(st)))
	}
	return out
}

// stopped is why figures or rows on the screen are not those of now.
func (s *Screen) stopped() error {
	if s.tabErr != nil && len(s.list) > 0 {
		return s.tabErr
	}
	if s.tabErr == nil {
		return s.bytes.err
	}
	return nil
}

// fileSizes tells the sizes of the files, the longest form first; nil until they are known.
func (s *Screen) fileSizes() []string {
	var size, pages, log int64
	for i := range s.bytes.files {
		of := s.bytes.files[i].shown.Sizes
		size += of.File
		pages += of.Free
		log += of.Log
	}
	if size == 0 {
		return nil
	}
	file := model.ByteSize(size)
	free := ", no free pages"
	logged := ""
	if n := len(s.bytes.files); n > 1 {
		file += " in " + strconv.Itoa(n) + " databases"
	}
	if pages > 0 {
		free = ", " + model.ByteSize(pages) + " free"
	}
	if log > 0 {
		logged = ", write-ahead log " + model.ByteSize(log)
	}
	return []string{file + free + logged, file + free, file}
}

// status says what is selected and what there is to say of the tab, the longest form first.
func (s *Screen) status() []string {
	n, messages, frees := s.sum()
	var selected, short, more string
	if s.ready && (n > 0 || s.proposes()) {
		short = kit.Count(n) + " of " + kit.Count(len(s.list)) + " selected"
		selected = short + ", " + kit.Plural(messages, "message", "messages")
		if frees > 0 {
			selected += ", frees ~" + model.ByteSize(frees)
		}
	}
	switch s.tab {
	case largest:
		texts := s.bytes.progress(s.sh.Styles().Glyphs.Ellipsis)
		if selected == "" {
			return texts
		}
		return []string{kit.Facts(selected, texts[0]), selected, short}
	case inactive:
		if left := s.left.String(); left != "" {
			more = left + " stay"
		}
	case expiring:
		if len(s.list) > 0 {
			more = kit.Facts(s.hints...)
		}
		if more != "" && selected == "" {
			return []string{more, kit.WithoutClause(more), ""}
		}
	}
	return []string{kit.Facts(selected, more), selected, short}
}

// progress says what has been measured so far, the longest form first.
func (m *measure) progress(ellipsis string) []string {
	var total model.StoredBytes
	var overhead int64
	percent := 0
	done := len(m.files) > 0
	again := false
	for i := range m.files {
		of := &m.files[i].shown
		total = total.Add(of.Total)
		overhead += of.Overhead()
		percent += of.Percent()
		done, again = done && of.Done, again || m.files[i].again
	}
	if total.Messages == 0 && !done {
		return []string{"measuring" + ellipsis}
	}
	texts, messages := model.ByteSize(total.Text)+" of text", " in "+kit.Plural(total.Messages, "message", "messages")
	more, short := ", "+model.ByteSize(overhead)+" of indexes and rows", ""
	switch {
	case !done:
		short = " · measuring" + ellipsis + " " + strconv.Itoa(percent/len(m.files)) + "%"
		more = short + ", newest first"
	case again:
		short = " · measuring" + ellipsis
		more = " · measuring again" + ellipsis
	}
	return []string{texts + messages + more, texts + messages + short, texts + short, texts}
}
