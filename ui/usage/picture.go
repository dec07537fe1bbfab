package usage

import (
	"context"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/usage"
	"hermes-sessions/ui/kit"
)

// picture is what is drawn: the sums of a choice.
type picture struct {
	total    usage.Sum
	list     []row
	of       []usage.Conversation // of the report that the rows are from
	largest  usage.Sum            // of each number the largest one of a row
	peak     float64              // the largest of the measure
	calendar usage.Calendar
	levels   []int
}

// row is a group of sessions that is drawn as a line.
type row struct {
	usage.Row
	name string // safe to draw, "" until it is drawn
	gap  int    // periods without use below it
}

// pictureQuery asks for the sums of a choice. What it refers to is never changed.
type pictureQuery struct {
	choice choice
	report usage.Report
	counts []usage.ToolCount
	now    time.Time
	keep   string // key of the row that stays current, "" for the first row
}

// show sums up what is chosen, in a command: a large history takes a tenth of a second.
// Until then the screen shows what it had.
func (s *Screen) show() tea.Cmd { return s.showAt("") }

// showMore is show with more calls of tools.
func (s *Screen) showMore() tea.Cmd { return s.ask("", true) }

// showAt is show with the row that becomes current; without one, it is the same row as
// before where the order of the rows does not depend on the measure.
func (s *Screen) showAt(key string) tea.Cmd { return s.ask(key, false) }

// ask asks for a picture; again says that the sessions to count are the same as before.
func (s *Screen) ask(key string, again bool) tea.Cmd {
	if !s.ready {
		return nil
	}
	q := pictureQuery{choice: s.choice, report: s.report, now: s.env.Clock(), keep: key}
	if r := s.current(); r != nil && key == "" && s.choice.by() == s.shown.by() && (s.choice.ordered() || s.rows.Selected > 0) {
		q.keep = r.Keys[0]
	} else if r != nil && key == "" { // from a day to its week
		if start, _, ok := s.shown.by().Period(r.Keys[0], s.zone()); ok {
			q.keep = s.choice.by().KeyOf(start, s.zone())
		}
	}
	counting := tea.Cmd(nil)
	switch {
	case !s.choice.countsTools():
		s.tools.stop()
	case !again:
		of := s.choice.selection(q.now)
		only := usage.Selection{From: of.From, To: of.To}
		for _, p := range of.Picks {
			if p.By != usage.ByTool {
				only.Picks = append(only.Picks, p)
			}
		}
		counting = s.tools.want(only.In(s.report, s.zone()))
	default:
		counting = s.tools.next()
	}
	if s.choice.countsTools() {
		q.counts = s.tools.counts()
	}
	return tea.Batch(counting, s.sums.Ask(request{picture: q}))
}

// drawn takes the sums of a choice.
func (s *Screen) drawn(msg kit.Answer[request, answer]) tea.Cmd {
	ok, next := s.sums.Take(msg)
	if !ok || msg.Err != nil {
		return next
	}
	q := msg.Query.picture
	s.shown, s.picture = q.choice, msg.Value.picture
	at := 0
	for i := range s.list {
		if s.list[i].Keys[0] == q.keep && q.keep != "" {
			at = i
		}
	}
	s.rows.Reset(len(s.list), at)
	s.layOut()
	return tea.Batch(next, s.readNames())
}

// draw sums up.
func draw(ctx context.Context, of request) (a answer, err error) {
	q, p := of.picture, &a.picture
	c := &q.choice
	zone := q.now.Location()
	all := q.report
	chosen := c.selection(q.now)
	if c.countsTools() {
		if all = q.report.WithFailures(q.counts); c.toolsOnly() {
			all = q.report.WithTools(q.counts)
		}
	}
	in := chosen.In(all, zone)
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	p.total, p.of = in.Total(), all.Conversations
	last := c.lastDay(q.now)
	if newest := in.Newest(); chosen.From.IsZero() && !newest.IsZero() && newest.Before(last.AddDate(-1, 0, 0)) {
		last = newest // the year before today has nothing to show
	}
	p.calendar = usage.Selection{Picks: chosen.Picks}.In(all, zone).Calendar(last, calendarWeeks, zone)
	p.levels = p.calendar.Levels(c.compared())
	p.group(in, c, zone)
	return a, ctx.Err()
}

// group makes the rows.
func (p *picture) group(in usage.Report, c *choice, zone *time.Location) {
	by := c.by()
	rows := in.Group([]usage.Dimension{by}, zone)
	rows = append(rows, unused(by, rows)...)
	if c.ordered() {
		usage.SortByKeys(rows)
	} else {
		usage.Sort(rows, c.compared())
	}
	if by.Dated() { // the newest first, the undated last
		sort.SliceStable(rows, func(i, j int) bool { return rows[i].Keys[0] > rows[j].Keys[0] })
	}
	p.list = make([]row, len(rows))
	for i, r := range rows {
		p.list[i].Row = r
		p.measure(&r.Sum)
		p.peak = max(p.peak, c.compared().Of(&r.Sum))
		if by.Dated() && i+1 < len(rows) {
			if gap := by.Gap(rows[i+1].Keys[0], r.Keys[0], zone); gap >= shortestGap(by) {
				p.list[i].gap = gap
			}
		}
	}
}

// measure keeps the largest numbers.
func (p *picture) measure(n *usage.Sum) {
	m := &p.largest
	m.Sessions = max(m.Sessions, n.Sessions)
	m.Messages = max(m.Messages, n.Messages)
	m.Calls = max(m.Calls, n.Calls)
	m.Failed = max(m.Failed, n.Failed)
	m.Usage.Input = max(m.Usage.Input, n.Usage.Input)
	m.Usage.Output = max(m.Usage.Output, n.Usage.Output)
	m.Usage.CacheRead = max(m.Usage.CacheRead, n.Usage.CacheRead)
	m.Usage.Cost.USD = max(m.Usage.Cost.USD, n.Usage.Cost.USD)
	m.Estimated = max(m.Estimated, n.Estimated)
	m.Unpriced = max(m.Unpriced, n.Unpriced)
	m.Usage.Cost.Known, m.Usage.Cost.Partial = true, true
}

// unused returns rows for the hours of the day and the days of the week that have none.
func unused(by usage.Dimension, rows []usage.Row) (more []usage.Row) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) // a Monday
	step := time.Hour
	n := 24
	switch {
	case len(rows) == 0:
		return nil
	case by == usage.ByWeekday:
		step, n = 24*time.Hour, 7
	case by != usage.ByHour:
		return nil
	}
	has := map[string]bool{}
	for _, r := range rows {
		has[r.Keys[0]] = true
	}
	for range n {
		if key := by.KeyOf(at, time.UTC); !has[key] {
			more = append(more, usage.Row{Keys: []string{key}})
		}
		at = at.Add(step)
	}
	return more
}

// shortestGap is the number of periods without use from which they get a line.
func shortestGap(by usage.Dimension) int {
	switch by {
	case usage.ByDay:
		return 7
	case usage.ByWeek:
		return 2
	}
	return 1
}

func (s *Screen) nameAt(i int) string {
	if r := &s.list[i]; r.name == "" {
		r.name = s.nameOf(s.shown.by(), &r.Row)
	}
	return s.list[i].name
}

// nameOf returns the name of a row, safe to draw.
func (s *Screen) nameOf(by usage.Dimension, r *usage.Row) string {
	key := kit.CleanLine(r.Keys[0])
	if by == usage.ByConversation {
		of := s.of[r.Conversation]
		if c, ok := s.previews[of.Root]; ok {
			title, _ := kit.TitleOf(&c)
			return title
		}
		if title := kit.CleanLine(of.Title); title != "" {
			return title
		}
		return key
	}
	if key == "" {
		return map[bool]string{true: "undated", false: "none"}[by <= usage.ByHour]
	}
	start, _, ok := by.Period(key, s.zone())
	switch {
	case by == usage.ByDay && ok:
		return start.Format("2006-01-02 Mon")
	case by == usage.ByWeek && ok:
		return key + start.Format("  Jan _2")
	case by == usage.ByMonth && ok:
		return start.Format("2006-01 January")
	case by == usage.ByWeekday:
		return strings.TrimLeft(key, "1234567 ")
	}
	return key
}
