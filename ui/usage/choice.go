package usage

import (
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/model/usage"
)

// The views, in the order of their tabs.
const (
	viewConversations = iota
	viewTime
	viewModels
	viewSources
	viewFolders
	viewProfiles
	viewTools
	viewHours
	viewWeekdays
	views
)

var viewNames = [views]string{"Conversations", "Time", "Models", "Sources", "Folders", "Profiles", "Tools", "Hours", "Weekdays"}

// viewDimensions says what a row of each view stands for. In the view by time that depends on
// the length of the periods.
var viewDimensions = [views]usage.Dimension{
	viewModels: usage.ByModel, viewSources: usage.BySource, viewFolders: usage.ByFolder, viewProfiles: usage.ByProfile, viewTools: usage.ByTool,
	viewHours: usage.ByHour, viewWeekdays: usage.ByWeekday, viewConversations: usage.ByConversation,
}

// length is how long a range is: days or months; neither for all sessions.
type length struct{ days, months int }

var lengths = [...]length{{days: 7}, {days: 30}, {days: 90}, {months: 12}, {}}

// yearRange is the range that the screen opens with.
const yearRange = 3

// choice is what the screen shows.
type choice struct {
	view     int
	grain    usage.Dimension // of the view by time
	measure  usage.Measure
	usual    usage.Measure // that the screen opens with: costs, unless the database has none
	lengthAt int           // in lengths
	back     int           // ranges before the newest one
	profiles bool

	picks []usage.Pick // the groups that are open
	from  []int        // the views that they were opened in
}

func newChoice() choice {
	return choice{grain: usage.ByDay, measure: usage.Dollars, usual: usage.Dollars, lengthAt: yearRange}
}

func (c *choice) by() usage.Dimension {
	if c.view == viewTime {
		return c.grain
	}
	return viewDimensions[c.view]
}

// ordered reports whether the rows are in the order of their keys, not of their size.
func (c *choice) ordered() bool { return c.by() <= usage.ByHour }

func (c *choice) length() length { return lengths[c.lengthAt] }

// hasView reports whether a view has a tab.
func (c *choice) hasView(view int) bool { return view != viewProfiles || c.profiles }

func (c *choice) setView(view int) {
	c.view = view
	if c.measure >= usage.Calls && !c.countsTools() {
		c.measure = c.usual
	}
}

// turn goes to the next view, or the one before.
func (c *choice) turn(by int) {
	view := (c.view + by + views) % views
	for !c.hasView(view) {
		view = (view + by + views) % views
	}
	c.setView(view)
}

// nextGrain goes through day, week and month. In another view it shows the view by time.
func (c *choice) nextGrain() {
	if c.view != viewTime {
		c.setView(viewTime)
		return
	}
	c.grain = (c.grain + 1) % (usage.ByMonth + 1)
}

func (c *choice) nextRange(by int) {
	c.lengthAt, c.back = (c.lengthAt+by+len(lengths))%len(lengths), 0
}

// nextMeasure goes through the measures that the rows have.
func (c *choice) nextMeasure() {
	first, last := usage.Tokens, usage.Messages
	switch {
	case c.toolsOnly():
		first, last = usage.Calls, usage.Failed
	case c.view == viewConversations:
		last = usage.Failed
	}
	c.measure = c.compared()
	if c.measure++; c.measure > last || c.measure < first {
		c.measure = first
	}
	if c.measure == usage.Calls && !c.toolsOnly() {
		c.measure++ // failed calls say more of a conversation
	}
}

// toolsOnly reports whether the rows are about tools, which have calls and no tokens.
func (c *choice) toolsOnly() bool {
	return c.view == viewTools || slices.ContainsFunc(c.picks, func(p usage.Pick) bool { return p.By == usage.ByTool })
}

// countsTools reports whether the calls of tools must be counted for the rows.
func (c *choice) countsTools() bool {
	return c.toolsOnly() || c.view == viewConversations && c.measure == usage.Failed
}

// compared is the measure in force: tools have other ones.
func (c *choice) compared() usage.Measure {
	if c.toolsOnly() && c.measure < usage.Calls {
		return usage.Calls
	}
	return c.measure
}

// openGroup shows the conversations of a group.
func (c *choice) openGroup(key string) {
	n := len(c.picks) // other pictures have the same arrays
	c.picks, c.from = append(c.picks[:n:n], usage.Pick{By: c.by(), Key: key}), append(c.from[:n:n], c.view)
	c.setView(viewConversations)
}

// closeGroup goes back to the view that the last group was opened in, and returns its key.
func (c *choice) closeGroup() (key string, ok bool) {
	last := len(c.picks) - 1
	if last < 0 {
		return "", false
	}
	key = c.picks[last].Key
	view := c.from[last]
	c.picks, c.from = c.picks[:last:last], c.from[:last:last]
	c.setView(view)
	return key, true
}

// selection returns the sessions that are chosen. The newest range has no end: a clock that
// was wrong may have written later times.
func (c *choice) selection(now time.Time) usage.Selection {
	s := usage.Selection{Picks: c.picks}
	if s.From, s.To = c.period(now); c.back == 0 {
		s.To = time.Time{}
	}
	return s
}

// lastDay returns a time on the last day of the calendar.
func (c *choice) lastDay(now time.Time) time.Time {
	if c.back == 0 {
		return now
	}
	_, to := c.period(now)
	return to.Add(-time.Hour)
}

// period returns the start and the end of the range, both zero for all sessions.
func (c *choice) period(now time.Time) (from, to time.Time) {
	y, m, d := now.Date()
	midnight := func(y int, m time.Month, d int) time.Time { return model.Midnight(y, m, d, now.Location()) }
	l := c.length()
	if l.days > 0 {
		to = midnight(y, m, d+1-l.days*c.back)
		from = midnight(y, m, d+1-l.days*(c.back+1))
	} else if l.months > 0 {
		// To the end of this month, so that the months of the year before are whole.
		to = midnight(y, m+1-time.Month(l.months*c.back), 1)
		from = midnight(y, m+1-time.Month(l.months*(c.back+1)), 1)
	}
	return from, to
}

// rangeName names the range.
func (c *choice) rangeName(now time.Time) string {
	names := [...]string{"7 days", "30 days", "90 days", "12 months", "All time"}
	if c.back == 0 {
		return names[c.lengthAt]
	}
	return strings.Replace(query.SpanText(c.period(now)), "..", " to ", 1)
}

// query returns the query of the list for the current row, or the reason why there is none.
func (s *Screen) query() (text, why string) {
	now := s.env.Clock()
	of := s.shown.selection(now)
	picks := of.Picks
	if r := s.current(); r != nil {
		picks = append(picks[:len(picks):len(picks)], usage.Pick{By: s.shown.by(), Key: r.Keys[0]})
	}
	var filters []string
	add := func(field query.Field, value string) {
		filters = append(filters, query.Filter{Field: field, Value: value}.String())
	}
	for _, p := range picks {
		field, ok := map[usage.Dimension]query.Field{
			usage.ByModel: query.FieldModel, usage.BySource: query.FieldSource, usage.ByFolder: query.FieldCWD,
			usage.ByProfile: query.FieldProfile, usage.ByTool: query.FieldTool, usage.ByConversation: query.FieldID,
		}[p.By]
		start, end, dated := p.By.Period(p.Key, s.zone())
		switch {
		case dated:
			of.From, of.To = start, end
		case p.Key == "" || !ok:
			return "", "the list has no filter for it"
		default:
			add(field, p.Key)
		}
	}
	if !of.From.IsZero() || !of.To.IsZero() {
		add(query.FieldStarted, query.SpanText(of.From, of.To))
	}
	return strings.Join(filters, " "), ""
}
