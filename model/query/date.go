package query

import (
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
)

// date is the value of after: and before:, and a part of that of started:. It is relative
// (7d: seven days ago) or a calendar date, down to the minute.
type date struct {
	ago      int
	unit     string // of ago: h, d, w, mo, y; "" for a calendar date
	calendar time.Time
	digits   int // of the text of a calendar date: what is not given is zero
}

// parseDate parses today, yesterday, 12h, 7d, 2w, 3mo, 1y, 2026, 2026-05,
// 2026-05-03 and 2026-05-03T14:30.
func parseDate(s string) (date, bool) {
	switch s {
	case "today":
		return date{unit: "d"}, true
	case "yesterday":
		return date{ago: 1, unit: "d"}, true
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch unit := s[digits:]; unit {
	case "h", "d", "w", "mo", "y":
		n, err := strconv.Atoi(s[:digits])
		return date{ago: n, unit: unit}, err == nil && n < 100_000
	}
	for _, layout := range []string{"2006", "2006-01", time.DateOnly, "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, s); err == nil && len(s) == len(layout) && t.Year() > 0 {
			return date{calendar: t, digits: len(s)}, true
		}
	}
	return date{}, false
}

func (d date) startTime(now time.Time) time.Time {
	y, m, day := now.Date()
	switch d.unit {
	case "":
		t := d.calendar
		if y, m, day = t.Date(); d.digits > len(time.DateOnly) {
			return time.Date(y, m, day, t.Hour(), t.Minute(), 0, 0, now.Location())
		}
	case "h":
		return now.Add(-time.Duration(d.ago) * time.Hour)
	case "d":
		day -= d.ago
	case "w":
		day -= 7 * d.ago
	case "mo":
		m -= time.Month(d.ago)
	case "y":
		y -= d.ago
	}
	if d.unit == "mo" || d.unit == "y" { // a month before 31 March is the end of February
		day = min(day, time.Date(y, m+1, 0, 0, 0, 0, 0, now.Location()).Day())
	}
	return model.Midnight(y, m, day, now.Location())
}

// endTime returns the time at which the year, month, day or minute that the date names has
// ended.
func (d date) endTime(now time.Time) time.Time {
	at := d.startTime(now)
	y, m, day := at.Date()
	switch {
	case d.unit == "h":
		return at
	case d.unit != "", d.digits == len(time.DateOnly):
		day++
	case d.digits == len("2006-01"):
		m++
	case d.digits == len("2006"):
		y++
	default:
		return at.Add(time.Minute)
	}
	return model.Midnight(y, m, day, now.Location())
}
