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

// DateGroup is what the list puts over a group of rows.
type DateGroup int

// The headings in the order in which they stand.
const (
	GroupPinned DateGroup = iota
	GroupRunning
	GroupToday
	GroupYesterday
	GroupWeek  // the last seven days
	GroupMonth // the last thirty days
	GroupOlder
)

func (h DateGroup) String() string {
	return [...]string{"Pinned", "Running", "Today", "Yesterday", "This week", "This month", "Older"}[h]
}

// DateGroups knows on which days a moment falls back: it is made once for many
// rows.
type DateGroups struct {
	today, yesterday, week, month time.Time // midnights
}

// NewDateGroups makes the calendar of a moment. Days begin at midnight in now's
// time zone.
func NewDateGroups(now time.Time) DateGroups {
	y, m, d := now.Date()
	midnight := func(ago int) time.Time { return time.Date(y, m, d-ago, 0, 0, 0, 0, now.Location()) }
	return DateGroups{midnight(0), midnight(1), midnight(6), midnight(29)}
}

// OfTime says under which heading a time stands.
func (c DateGroups) OfTime(t time.Time) DateGroup {
	switch {
	case !t.Before(c.today):
		return GroupToday
	case !t.Before(c.yesterday):
		return GroupYesterday
	case !t.Before(c.week):
		return GroupWeek
	case !t.Before(c.month):
		return GroupMonth
	}
	return GroupOlder
}

// OfConversation says under which heading a conversation stands by its last activity.
func (c DateGroups) OfConversation(conv Conversation) DateGroup {
	switch {
	case conv.Pinned:
		return GroupPinned
	case conv.State == StateRunning:
		return GroupRunning
	}
	return c.OfTime(conv.LastActive)
}
