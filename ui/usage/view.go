package usage

import (
	"cmp"
	"math"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/usage"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// shape is the layout of the screen.
type shape struct {
	banner   []string // what is wrong with the database
	calendar int      // its first line, 0 for none
	detail   bool
	top      int      // first line of the rows
	columns  []column // of table
	table    kit.Table
}

// column is a column of numbers.
type column struct {
	kit.Column
	measure usage.Measure // that it shows, -1 for none
	text    func(*usage.Sum) string
}

// fact is a number with its name.
type fact struct{ name, value string }

const (
	// tallForCalendar is the height from which the view by time has the calendar, and
	// tallForBoth that from which the others have it too.
	tallForCalendar = 20
	tallForBoth     = 32
	// tallForHeads is the height from which the columns have heads, beside which the place of
	// the current row stands.
	tallForHeads = 10
	// besideCalendar is the least room beside the calendar for the numbers of a row.
	besideCalendar = 19
	// namesMeasured is how many rows decide how wide the names are.
	namesMeasured = 200
)

func number(n int64) string { return model.CompactNumber(n) }

// dollars writes an amount, "" for none.
func dollars(usd float64, estimated bool) string {
	if usd == 0 {
		return ""
	}
	return model.Cost{USD: usd, Known: true, Estimated: estimated}.String()
}

// costOf writes the cost of a sum: "" where nothing was consumed.
func costOf(n *usage.Sum) string {
	if !n.Usage.Cost.Known && n.Unpriced == 0 {
		return ""
	}
	return n.Usage.Cost.String()
}

// sumFacts returns the numbers of a sum, without those that no row has.
func (s *Screen) sumFacts(n usage.Sum) []fact {
	if s.shown.toolsOnly() {
		return []fact{{"sessions", kit.Count(n.Sessions)}, {"calls", kit.Count(n.Calls)}, {"failed", kit.Count(n.Failed)}}
	}
	u := n.Usage
	actual := "?"
	estimated := "?"
	if n.Usage.Cost.Known || n.Unpriced == 0 {
		actual = model.Cost{USD: n.Actual, Known: true}.String()
		estimated = model.Cost{USD: n.Estimated, Known: true, Estimated: n.Estimated > 0}.String()
	}
	facts := []fact{{"sessions", kit.Count(n.Sessions)}, {"tokens in", number(u.Input)}, {"tokens out", number(u.Output)}}
	if s.largest.Usage.CacheRead > 0 {
		facts = append(facts, fact{"cache reads", number(u.CacheRead)})
	}
	return append(facts, fact{"actual", actual}, fact{"estimated", estimated}, fact{"unknown cost", kit.Count(n.Unpriced)})
}

// allColumns returns the columns of numbers that the rows have, in their order on the screen.
func (s *Screen) allColumns() []column {
	count := func(rank int, head string, m usage.Measure, of func(*usage.Sum) int) column {
		return column{kit.Column{Head: head, Rank: rank}, m, func(n *usage.Sum) string { return kit.Count(of(n)) }}
	}
	tokens := func(rank int, head string, m usage.Measure, of func(*usage.Sum) int64) column {
		return column{kit.Column{Head: head, Width: 5, Rank: rank}, m, func(n *usage.Sum) string { return number(of(n)) }}
	}
	sessions := count(3, "Sessions", usage.Sessions, func(n *usage.Sum) int { return n.Sessions })
	failed := count(2, "Failed", usage.Failed, func(n *usage.Sum) int { return n.Failed })
	if s.shown.toolsOnly() {
		return []column{count(1, "Calls", usage.Calls, func(n *usage.Sum) int { return n.Calls }), failed, sessions}
	}
	all := []column{
		sessions, count(5, "Messages", usage.Messages, func(n *usage.Sum) int { return n.Messages }),
		tokens(1, "Tokens", usage.Tokens, func(n *usage.Sum) int64 { return n.Usage.Tokens() }),
		tokens(8, "In", -1, func(n *usage.Sum) int64 { return n.Usage.Input }),
		tokens(8, "Out", -1, func(n *usage.Sum) int64 { return n.Usage.Output }),
		tokens(4, "Cache reads", usage.CacheRead, func(n *usage.Sum) int64 { return n.Usage.CacheRead }),
		{kit.Column{Head: "Cost", Width: 6, Rank: 0}, usage.Dollars, costOf},
		{kit.Column{Head: "Estimated", Rank: 6}, -1, func(n *usage.Sum) string { return dollars(n.Estimated, true) }},
		{kit.Column{Head: "Unknown", Rank: 7}, -1, func(n *usage.Sum) string { return strings.TrimPrefix(kit.Count(n.Unpriced), "0") }},
	}
	if s.shown.compared() == usage.Failed {
		all = append(all, failed)
	}
	return all
}

// columns returns the columns of numbers that the rows have. A lesser one that is zero or empty in
// all rows, because the database does not record it, leaves its room to the others.
func (s *Screen) columns() (columns []column) {
	st := s.sh.Styles()
	for _, c := range s.allColumns() {
		most := c.text(&s.largest)
		if c.Main = c.measure == s.shown.compared(); c.Main {
			c.Rank = 0
		}
		if c.Rank > 3 && (most == "" || most == "0") {
			continue
		}
		c.Width = max(c.Width, st.Cells.StringWidth(st.Spell(most)))
		columns = append(columns, c)
	}
	return columns
}

// layOut computes the layout.
func (s *Screen) layOut() {
	f := shape{top: 1}
	if s.h >= 6 {
		f.top = 2
	}
	if s.h >= 12 {
		f.top++
	}
	if s.h >= tallForHeads {
		f.banner = shell.FiguresBanner(s.sh.Styles(), s.env.Library, s.w)
		f.top += len(f.banner)
	}
	tall := s.h >= tallForBoth || s.h >= tallForCalendar && s.shown.view == viewTime
	if s.levels != nil && s.err == nil && tall && s.w >= 40 {
		f.calendar = f.top
		f.top += calendarLines + 1
	}
	if s.h >= 10 {
		f.top++ // the heads of the columns
	}
	f.detail = s.h >= 12 && s.w >= 40 && (f.calendar == 0 || s.w-s.calendarWidth()-3 < besideCalendar)
	names := 0
	for i := range min(len(s.list), namesMeasured) {
		names = max(names, s.sh.Styles().Cells.StringWidth(s.nameAt(i)))
	}
	f.columns = s.columns()
	f.table = kit.Table{Name: s.headOfNames(), Bar: min(max(s.w/7, 6), 24)}
	for _, c := range f.columns {
		f.table.Columns = append(f.table.Columns, c.Column)
	}
	f.table.LayOut(s.sh.Styles().Cells, s.w, names)
	s.shape = f
	height := s.h - f.top
	if f.detail {
		height -= 2
	}
	s.rows.Resize(max(height, 1))
	s.rows.Reveal()
}

// Lines returns the finished lines of the screen.
func (s *Screen) Lines() []string {
	st := s.sh.Styles()
	out := []string{s.head()}
	if s.h >= 6 {
		tabs, _ := s.tabs()
		out = append(out, tabs.Line(st, s.w))
	}
	out = append(out, s.shape.banner...)
	if s.h >= 12 {
		out = append(out, "")
	}
	if instead := s.instead(); instead != nil {
		return append(out, instead...)
	}
	if s.shape.calendar > 0 {
		out = append(append(out, s.band()...), "")
	}
	if s.h >= tallForHeads {
		out = append(out, s.heads())
	}
	out = append(out, s.rows.Visible()...)
	if s.shape.detail {
		out = kit.FillLines(out, s.h-1)
		if r := s.current(); r != nil {
			out = append(out, s.detail(s.nameAt(s.rows.Selected), r.Sum))
		}
	}
	for i := range out {
		out[i] = st.Cells.Truncate(out[i], s.w, "")
	}
	return out
}

// head draws what is shown, and its sums.
func (s *Screen) head() string {
	st := s.sh.Styles()
	left := " " + st.Strong.Render("Usage") + st.Muted.Render(" · "+s.shown.rangeName(s.env.Clock()))
	for _, p := range s.shown.picks {
		left += st.Muted.Render("  "+st.Glyphs.Right+" ") + st.Chip.Render(" "+s.nameOfPick(p)+" ")
	}
	right := ""
	if s.read.Late {
		right = st.Spell("reading…")
	} else if s.ready {
		right = kit.Fit(st.Cells, s.w-st.Cells.StringWidth(left)-3, s.totals()...)
	}
	room := max(0, s.w-st.Cells.StringWidth(right)-2)
	return st.Cells.Pad(st.Cells.Truncate(left, room, st.Glyphs.Ellipsis), room, "") + " " + st.Muted.Render(st.Spell(right))
}

// totals returns the sums of all rows, and the place of the current one where the columns have
// no heads; the longest form first.
func (s *Screen) totals() []string {
	n, at := &s.total, ""
	if s.h < tallForHeads {
		at = s.rows.Position()
	}
	sessions := kit.Plural(n.Sessions, "session", "sessions")
	if s.shown.toolsOnly() {
		calls := kit.Plural(n.Calls, "tool call", "tool calls")
		return []string{kit.Facts(sessions, calls, kit.Count(n.Failed)+" failed", at), kit.Facts(calls, at), at, ""}
	}
	tokens := number(n.Usage.Tokens()) + " tokens"
	reads := ""
	cost := costOf(n)
	if n.Usage.CacheRead > 0 {
		reads = number(n.Usage.CacheRead) + " cache reads"
	}
	if cost != "" && !n.Usage.Cost.Known {
		cost = "cost " + cost
	}
	return []string{kit.Facts(sessions, tokens, reads, cost, at), kit.Facts(sessions, tokens, cost, at), kit.Facts(sessions, at), at, ""}
}

// nameOfPick names an open group.
func (s *Screen) nameOfPick(p usage.Pick) string {
	name := cmp.Or(kit.CleanLine(p.Key), "no "+p.By.String())
	return s.sh.Styles().Cells.Truncate(name, max(24, s.w/(2+len(s.shown.picks))), s.sh.Styles().Glyphs.Ellipsis)
}

// tabs returns the views that have a tab, and the tabs.
func (s *Screen) tabs() (tabs kit.Tabs, shown []int) {
	for view := range views {
		if !s.shown.hasView(view) {
			continue
		}
		if view == s.shown.view {
			tabs.Shown = len(shown)
		}
		tabs.Names, shown = append(tabs.Names, viewNames[view]), append(shown, view)
	}
	return tabs, shown
}

// tabAt returns the view whose tab is at a place, -1 for none.
func (s *Screen) tabAt(x, y int) int {
	tabs, shown := s.tabs()
	if y != 1 || s.h < 6 {
		return -1
	}
	if i := tabs.At(s.sh.Styles(), x, s.w); i >= 0 {
		return shown[i]
	}
	return -1
}

// instead is the text in place of rows that are missing, nil otherwise.
func (s *Screen) instead() []string {
	st := s.sh.Styles()
	text := ""
	switch {
	case s.err != nil:
		return shell.ErrorLines(st, s.w, s.err)
	case (!s.ready || s.levels == nil) && s.read.Late:
		return shell.WaitingLines(st, s.w, "reading", s.read.Moves)
	case !s.ready || s.levels == nil:
		return []string{}
	case len(s.list) > 0:
		return nil
	case s.tools.running && s.shown.countsTools():
		return shell.WaitingLines(st, s.w, "counting", s.tools.read.Moves)
	case s.shown.toolsOnly():
		text = "No tools were called in this period."
	case s.report.Total().Sessions == 0:
		text = "No sessions yet."
	default:
		text = "No sessions started in this period"
		if newest := s.report.Newest(); !newest.IsZero() {
			text += "; the newest started on " + newest.In(s.zone()).Format(time.DateOnly)
		}
		text += ". " + s.env.Keys.Find(shell.InUsage, shell.Range).KeyText() + " changes the range."
	}
	return shell.TextLines(st, s.w, text)
}

// band draws the calendar, and the numbers of the current row beside it.
func (s *Screen) band() []string {
	lines := s.calendarRows()
	room := s.w - s.calendarWidth() - 3
	r := s.current()
	if room < besideCalendar || r == nil {
		return lines
	}
	for i, fact := range s.facts(s.nameAt(s.rows.Selected), r.Sum, min(room, 28)) {
		if i < len(lines) {
			lines[i] = s.sh.Styles().Cells.Pad(lines[i], s.calendarWidth()+2, "") + fact
		}
	}
	return lines
}

// detail draws the numbers of a row in one line, those that fit.
func (s *Screen) detail(name string, sum usage.Sum) string {
	st := s.sh.Styles()
	line := " " + st.Strong.Render(st.Cells.Truncate(name, max(s.w/3, 1), st.Glyphs.Ellipsis))
	if sum.Sessions == 0 {
		return line + "  " + st.Muted.Render("no sessions")
	}
	for _, f := range s.sumFacts(sum) {
		if s.w < 130 && (f.value == "0" || f.value == "$0.00") {
			continue
		}
		more := "  " + st.Muted.Render(f.name+" ") + st.Text.Render(st.Spell(f.value))
		if st.Cells.StringWidth(line)+st.Cells.StringWidth(more) < s.w {
			line += more
		}
	}
	return line
}

// heads names the columns; that of the measure stands out.
func (s *Screen) heads() string {
	st := s.sh.Styles()
	line := s.shape.table.Heads(st)
	status := s.shown.compared().String()
	at := s.rows.Position()
	room := s.w - st.Cells.StringWidth(line) - 3
	if s.shown.countsTools() {
		done, of := s.tools.left()
		if s.tools.err != nil {
			status = "the calls could not be counted"
		} else if done < of {
			status = "counted " + kit.Count(done) + " of " + kit.Plural(of, "session", "sessions")
		}
	}
	gap := room - st.Cells.StringWidth(status) - len(at)
	switch {
	case at == "":
	case len(at) > room:
		at = ""
	case gap > 1:
		at = strings.Repeat(" ", gap) + at
	default: // the head of its column stands out, too
		status, at = "", st.Cells.PadLeft(at, room, "")
	}
	return line + "  " + st.Muted.Render(st.Spell(status+at))
}

func (s *Screen) headOfNames() string {
	return kit.Capitalize(s.shown.by().String())
}

// lines draws a row, and below it the time without use.
func (s *Screen) lines(i int) []string {
	st, r := s.sh.Styles(), &s.list[i]
	name, wide := s.nameAt(i), s.shape.table.NameWidth()
	if s.shown.by().Dated() && st.Cells.StringWidth(name) > wide {
		name, _, _ = strings.Cut(name, " ") // without the day of the week, or the name of the month
	}
	if over := st.Cells.StringWidth(name) - wide; over > 0 && s.shown.by() == usage.ByFolder {
		name = st.Cells.TruncateLeft(name, over+1, st.Glyphs.Ellipsis) // the end of a path says more
	}
	cell := func(c int) string { return s.shape.columns[c].text(&r.Sum) }
	line := s.shape.table.Row(st, "", i == s.rows.Selected, name, cell, s.shown.compared().Of(&r.Sum)/max(s.peak, math.SmallestNonzeroFloat64))
	lines := []string{line}
	if r.gap > 0 {
		unit := s.shown.by().String()
		lines = append(lines, st.Faint.Render("   "+st.Spell("· ")+kit.Plural(r.gap, unit, unit+"s")+" unused"))
	}
	return lines
}
