package model

import (
	"strconv"
	"time"
)

// Age writes how long ago t was, in at most four columns: now, 5m, 3h, 1d,
// 12mo, 3y. A time in the future, which a wrong clock can write, is now; the
// zero time is "".
func Age(now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	d := now.Sub(t)
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < day:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d < 60*day:
		return strconv.Itoa(int(d/day)) + "d"
	case d < 730*day:
		return strconv.Itoa(int(d/(30*day))) + "mo"
	}
	return strconv.Itoa(int(d/(365*day))) + "y"
}

// Heading is what the list puts over a group of rows.
type Heading int

// The headings in the order in which they stand.
const (
	UnderPinned Heading = iota
	UnderRunning
	UnderToday
	UnderYesterday
	UnderWeek  // the last seven days
	UnderMonth // the last thirty days
	UnderOlder
)

func (h Heading) String() string {
	return [...]string{"Pinned", "Running", "Today", "Yesterday", "This week", "This month", "Older"}[h]
}

// Calendar knows on which days a moment falls back: it is made once for many
// rows.
type Calendar struct {
	today, yesterday, week, month time.Time // midnights
}

// NewCalendar makes the calendar of a moment. Days begin at midnight in now's
// time zone.
func NewCalendar(now time.Time) Calendar {
	y, m, d := now.Date()
	midnight := func(ago int) time.Time { return time.Date(y, m, d-ago, 0, 0, 0, 0, now.Location()) }
	return Calendar{midnight(0), midnight(1), midnight(6), midnight(29)}
}

// Day says under which heading a time stands.
func (c Calendar) Day(t time.Time) Heading {
	switch {
	case !t.Before(c.today):
		return UnderToday
	case !t.Before(c.yesterday):
		return UnderYesterday
	case !t.Before(c.week):
		return UnderWeek
	case !t.Before(c.month):
		return UnderMonth
	}
	return UnderOlder
}

// Of says under which heading a conversation stands by its last activity.
func (c Calendar) Of(conv Conversation) Heading {
	switch {
	case conv.Pinned:
		return UnderPinned
	case conv.State == Running:
		return UnderRunning
	}
	return c.Day(conv.LastActive)
}
