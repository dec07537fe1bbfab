package usage

import (
	"sort"
	"time"

	"hermes-sessions/model"
)

// Calendar is the days of some weeks, each from Monday to Sunday.
type Calendar struct {
	Start time.Time // the Monday that the first week begins with
	Days  []Sum     // day after day
	Rest  Sum       // only Sessions: those before the first and after the last day, and without a time
}

// Calendar sums up the records by day in the weeks that end with the week of the last day.
func (r Report) Calendar(last time.Time, weeks int, zone *time.Location) Calendar {
	last = last.In(zone)
	y, m, d := last.Date()
	monday := d - (int(last.Weekday())+6)%7
	c := Calendar{Start: model.Midnight(y, m, monday-7*(weeks-1), zone), Days: make([]Sum, 7*weeks)}
	places := make(map[string]int, len(c.Days))
	for i := range c.Days {
		places[c.Day(i).Format(time.DateOnly)] = i
	}
	for _, row := range r.Group([]Dimension{ByDay}, zone) {
		if i, ok := places[row.Keys[0]]; ok {
			c.Days[i] = row.Sum
		} else {
			c.Rest.Sessions += row.Sessions
		}
	}
	return c
}

// Day returns the midnight of a day of the calendar.
func (c Calendar) Day(i int) time.Time {
	y, m, d := c.Start.Date()
	return model.Midnight(y, m, d+i, c.Start.Location())
}

// Levels returns the level of each day by a measure, from 0 for no use to 4. Each of the
// others has about a quarter of the days with use, so that one very long day does not make
// all others alike.
func (c Calendar) Levels(m Measure) []int {
	var used []float64
	for i := range c.Days {
		if n := m.Of(&c.Days[i]); n > 0 {
			used = append(used, n)
		}
	}
	sort.Slice(used, func(i, j int) bool { return used[i] < used[j] })
	levels := make([]int, len(c.Days))
	for i := range c.Days {
		n := m.Of(&c.Days[i])
		if n <= 0 {
			continue
		}
		below := sort.SearchFloat64s(used, n)
		levels[i] = 1 + 4*below/len(used)
		if n == used[len(used)-1] {
			levels[i] = 4
		}
	}
	return levels
}

// Gap counts the periods of a dated dimension between two keys, the earlier first: 0 where
// they follow each other.
func (d Dimension) Gap(earlier, later string, zone *time.Location) int {
	_, from, ok := d.Period(earlier, zone)
	to, _, also := d.Period(later, zone)
	if !ok || !also || !from.Before(to) {
		return 0
	}
	switch d {
	case ByMonth:
		return 12*(to.Year()-from.Year()) + int(to.Month()) - int(from.Month())
	case ByYear:
		return to.Year() - from.Year()
	}
	days := int((to.Sub(from) + 12*time.Hour) / (24 * time.Hour)) // a day may have 23 or 25 hours
	if d == ByWeek {
		return days / 7
	}
	return days
}
