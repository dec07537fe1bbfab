package usage

import (
	"strings"
	"time"

	"hermes-sessions/model/usage"
)

const (
	calendarWeeks = 53
	// calendarLines is how many lines the calendar takes: the months and seven days.
	calendarLines = 8
	// daysWidth is how wide the names of the days beside it are.
	daysWidth = 5
)

// marks are the marks of the levels, from no use to the most.
func (s *Screen) marks() [5]string {
	if s.sh.Styles().Glyphs.Bar == "|" {
		return [5]string{".", "-", "+", "*", "#"}
	}
	return [5]string{"·", "░", "▒", "▓", "█"}
}

// weeks returns the first week that is shown, and the columns of a day.
func (s *Screen) weeks() (first, cell int) {
	cell = 1
	if s.w >= daysWidth+2*calendarWeeks {
		cell = 2
	}
	return max(0, calendarWeeks-(s.w-daysWidth-1)/cell), cell
}

// calendarWidth is how wide the calendar is drawn.
func (s *Screen) calendarWidth() int {
	first, cell := s.weeks()
	return daysWidth + cell*(calendarWeeks-first)
}

// calendarRows draws the calendar: the months, and a line for each day of the week.
func (s *Screen) calendarRows() []string {
	st := s.sh.Styles()
	first, cell := s.weeks()
	months, free := strings.Builder{}, 0
	for week := first; week < calendarWeeks; week++ {
		day := s.calendar.Day(7*week + 6) // the Sunday: a month begins in its week
		column := (week - first) * cell
		for ; free < column; free++ {
			months.WriteByte(' ')
		}
		if day.Day() <= 7 && column >= free && column+3 <= cell*(calendarWeeks-first) {
			months.WriteString(day.Format("Jan"))
			free += 3
		}
	}
	lines := []string{strings.Repeat(" ", daysWidth) + st.Muted.Render(months.String())}
	now, marks := s.env.Clock(), s.marks()
	of := s.shown.selection(now)
	from, to := s.currentPeriod()
	for weekday := range 7 {
		var b strings.Builder
		name := ""
		if weekday%2 == 0 {
			name = s.calendar.Day(weekday).Format("Mon")
		}
		b.WriteString(st.Muted.Render(st.Cells.Pad(" "+name, daysWidth, "")))
		for week := first; week < calendarWeeks; week++ {
			i := 7*week + weekday
			day := s.calendar.Day(i)
			style, mark := st.Key, marks[s.levels[i]]
			outside := day.Before(of.From) || !of.To.IsZero() && !day.Before(of.To)
			switch {
			case s.levels[i] == 0 && (day.After(now) || outside && s.shown.countsTools()): // not counted there
				mark = " "
			case s.levels[i] == 0 || outside:
				style = st.Faint
			}
			if s.levels[i] > 0 {
				mark = strings.Repeat(mark, cell)
			}
			if !day.Before(from) && day.Before(to) {
				style = st.On(true, st.Warn) // a full block hides the ground
				if day.Equal(from) {
					mark = st.Glyphs.Cursor + mark // the one thing that shows without colors
				}
			}
			b.WriteString(style.Render(st.Cells.Cut(st.Cells.Pad(mark, cell, ""), 0, cell)))
		}
		lines = append(lines, b.String())
	}
	return lines
}

// currentPeriod returns the time of the current row: from its start to its end; both zero
// where it has none.
func (s *Screen) currentPeriod() (from, to time.Time) {
	if r := s.current(); r != nil {
		if start, end, ok := s.shown.by().Period(r.Keys[0], s.zone()); ok {
			return start, end
		}
	}
	return from, to
}

// dayAt returns the day of the calendar at a place of the screen.
func (s *Screen) dayAt(x, y int) (time.Time, bool) {
	first, cell := s.weeks()
	weekday := y - s.shape.calendar - 1
	week := first + (x-daysWidth)/cell
	if s.shape.calendar == 0 || weekday < 0 || weekday > 6 || x < daysWidth || week >= calendarWeeks {
		return time.Time{}, false
	}
	return s.calendar.Day(7*week + weekday), true
}

// facts are the numbers of a sum, for the space beside the calendar, in lines of w columns.
func (s *Screen) facts(name string, sum usage.Sum, w int) []string {
	st := s.sh.Styles()
	lines := []string{st.Strong.Render(st.Cells.Truncate(name, w, st.Glyphs.Ellipsis))}
	for _, f := range s.sumFacts(sum) {
		value := f.value
		room := max(0, w-st.Cells.StringWidth(value)-1)
		lines = append(lines, st.Muted.Render(st.Cells.Pad(f.name, room, ""))+" "+st.Text.Render(value))
	}
	return lines
}
