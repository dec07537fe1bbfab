package model

import (
	"strconv"
	"time"
)

// Age formats the time from t to now in at most four characters: now, 5m, 3h, 1d,
// 12mo, 3y. A time in the future, which a wrong clock can write, is "now" for an hour,
// then +3h, +2d, +9mo or +1y; the zero time is "".
func Age(now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	d := now.Sub(t)
	const day = 24 * time.Hour
	switch {
	case d <= -300*day:
		return "+" + strconv.Itoa(max(1, int(-d/(365*day)))) + "y"
	case d <= -time.Hour:
		return "+" + Age(t, now)
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

// ClockTime formats a moment near now by its time of day, and one of another day with its
// date.
func ClockTime(now, t time.Time) string {
	if now = now.In(t.Location()); now.Year() == t.Year() && now.YearDay() == t.YearDay() {
		return t.Format(time.TimeOnly)
	}
	return t.Format("2006-01-02 15:04")
}

// Midnight returns the first moment of a day, as [time.Date] takes it. Where the clock goes
// from 24:00 to 1:00 that is 1:00, and where midnight comes twice the first one.
func Midnight(y int, m time.Month, d int, zone *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	from, to := t.ZoneBounds()
	if t.Day() != time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Day() {
		return to
	}
	if !from.IsZero() {
		_, offset := from.Add(-1).Zone()
		if first := time.Date(y, m, d, 0, 0, 0, 0, time.FixedZone("", offset)); first.Before(from) {
			return first.In(zone)
		}
	}
	return t
}

// DateGroup is a group of rows of the list, such as those of yesterday.
type DateGroup int

// The groups, from the top of the list.
const (
	GroupRunning DateGroup = iota
	GroupPinned
	GroupFuture // after today, by a wrong clock
	GroupToday
	GroupYesterday
	GroupWeek  // the last seven days
	GroupMonth // the last thirty days
	GroupOlder // under headings of their months and years
)

// String returns the heading of a group, except for GroupOlder, which has several.
func (g DateGroup) String() string {
	return [...]string{"Running", "Pinned", "In the future", "Today", "Yesterday", "Last 7 days", "Last 30 days", "Older"}[g]
}

// DateGroups assigns times to groups and headings. It is computed once for many rows.
type DateGroups struct {
	now                           time.Time
	tomorrow                      time.Time // midnight
	today, yesterday, week, month time.Time // midnights
	older                         []olderHeading
}

// olderHeading is the heading of what is older than the last thirty days.
type olderHeading struct {
	from time.Time
	text string
}

// monthHeadings is how many months have a heading of their own. Before them come years.
const monthHeadings = 12

// NewDateGroups returns the groups as of now. Days begin at midnight in the time
// zone of now.
func NewDateGroups(now time.Time) DateGroups {
	y, m, d := now.Date()
	midnight := func(ago int) time.Time { return Midnight(y, m, d-ago, now.Location()) }
	g := DateGroups{now: now, tomorrow: midnight(-1), today: midnight(0), yesterday: midnight(1), week: midnight(6), month: midnight(29)}
	for ago := range monthHeadings {
		from := Midnight(y, m-time.Month(ago), 1, now.Location())
		text := from.Month().String()
		if from.Year() != y {
			text += " " + strconv.Itoa(from.Year())
		}
		g.older = append(g.older, olderHeading{from, text})
	}
	if last := g.older[monthHeadings-1].from; last.Month() != time.January {
		year := Midnight(last.Year(), time.January, 1, now.Location())
		g.older = append(g.older, olderHeading{year, "Earlier in " + strconv.Itoa(last.Year())})
	}
	return g
}

// HeadingOfTime returns the heading of a time: a day, a month or a year.
func (g DateGroups) HeadingOfTime(t time.Time) string {
	if group := g.OfTime(t); group != GroupOlder {
		return group.String()
	}
	for _, h := range g.older {
		if !t.Before(h.from) {
			return h.text
		}
	}
	if t.IsZero() {
		return "Undated"
	}
	return strconv.Itoa(t.In(g.today.Location()).Year())
}

// HeadingOfExpiry returns the heading of conversations that Hermes deletes at a time.
func (g DateGroups) HeadingOfExpiry(at time.Time) string {
	const day = 24 * time.Hour
	left := at.Sub(g.now)
	switch {
	case left <= 0:
		return "When Hermes starts"
	case left < day:
		return "Within a day"
	case left < 7*day:
		return "Within a week"
	}
	return "Within two weeks"
}

// Heading returns the heading of a conversation: running, pinned, or by its last activity.
func (g DateGroups) Heading(c Conversation) string {
	if group := g.OfConversation(c); group != GroupOlder {
		return group.String()
	}
	return g.HeadingOfTime(c.LastActive)
}

// OfTime returns the group of a time.
func (g DateGroups) OfTime(t time.Time) DateGroup {
	switch {
	case !t.Before(g.tomorrow):
		return GroupFuture
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

// OfConversation returns the group of a conversation: running, pinned, or by its last
// activity.
func (g DateGroups) OfConversation(c Conversation) DateGroup {
	switch {
	case c.State == StateRunning:
		return GroupRunning
	case c.Pinned:
		return GroupPinned
	}
	return g.OfTime(c.LastActive)
}
