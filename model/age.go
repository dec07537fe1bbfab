package model

import (
	"strconv"
	"time"
)

// Age formats the time from t to now in at most four characters: now, 5m, 3h, 1d,
// 12mo, 3y. A time in the future, which a wrong clock can write, is "now"; the zero
// time is "".
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

// DateGroup is a heading of the list, such as "Yesterday".
type DateGroup int

// The headings, from the top of the list.
const (
	GroupPinned DateGroup = iota
	GroupRunning
	GroupToday
	GroupYesterday
	GroupWeek  // the last seven days
	GroupMonth // the last thirty days
	GroupOlder
)

// String gives the text of the heading.
func (g DateGroup) String() string {
	return [...]string{"Pinned", "Running", "Today", "Yesterday", "This week", "This month", "Older"}[g]
}

// DateGroups assigns times to headings. It is computed once for many rows.
type DateGroups struct {
	today, yesterday, week, month time.Time // midnights
}

// NewDateGroups gives the headings as of now. Days begin at midnight in the time
// zone of now.
func NewDateGroups(now time.Time) DateGroups {
	y, m, d := now.Date()
	midnight := func(ago int) time.Time { return time.Date(y, m, d-ago, 0, 0, 0, 0, now.Location()) }
	return DateGroups{midnight(0), midnight(1), midnight(6), midnight(29)}
}

// OfTime gives the heading of a time.
func (g DateGroups) OfTime(t time.Time) DateGroup {
	switch {
	case !t.Before(g.today):
		return GroupToday
	case !t.Before(g.yesterday):
		return GroupYesterday
	case !t.Before(g.week):
		return GroupWeek
	case !t.Before(g.month):
		return GroupMonth
	}
	return GroupOlder
}

// OfConversation gives the heading of a conversation: pinned, running, or by its last
// activity.
func (g DateGroups) OfConversation(c Conversation) DateGroup {
	switch {
	case c.Pinned:
		return GroupPinned
	case c.State == StateRunning:
		return GroupRunning
	}
	return g.OfTime(c.LastActive)
}
