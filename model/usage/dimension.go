package usage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
)

// Dimension is what records are grouped by.
type Dimension int

// The dimensions.
const (
	ByDay Dimension = iota
	ByWeek
	ByMonth
	ByYear
	ByWeekday
	ByHour
	ByModel
	BySource
	ByFolder
	ByProfile
	ByTool
	ByConversation
)

var dimensionNames = [...]string{"day", "week", "month", "year", "weekday", "hour", "model", "source", "folder", "profile", "tool", "conversation"}

// String names a dimension as stats --by does.
func (d Dimension) String() string { return dimensionNames[d] }

// DimensionNames returns the names of all dimensions.
func DimensionNames() []string { return slices.Clone(dimensionNames[:]) }

// ParseDimensions reads names of dimensions with commas between them. A name that is not one
// is an error, which lists all names.
func ParseDimensions(text string) (by []Dimension, err error) {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		d := slices.Index(dimensionNames[:], name)
		if d < 0 {
			return nil, fmt.Errorf("%q must be one of %s", name, strings.Join(dimensionNames[:], ", "))
		}
		by = append(by, Dimension(d))
	}
	return by, nil
}

// Dated reports whether the keys are days or longer times of the calendar.
func (d Dimension) Dated() bool { return d <= ByYear }

// Period returns the time that a key of a dated dimension stands for: start and later,
// before end. ok is false where it stands for none.
func (d Dimension) Period(key string, zone *time.Location) (start, end time.Time, ok bool) {
	var first, after time.Time // days, of which only the date counts
	var err error
	switch d {
	case ByDay:
		first, err = time.Parse(time.DateOnly, key)
		after = first.AddDate(0, 0, 1)
	case ByWeek:
		year, week, _ := strings.Cut(key, "-W")
		if first, err = time.Parse("2006", year); err == nil {
			var w int
			w, err = strconv.Atoi(week)
			fourth := first.AddDate(0, 0, 3) // always in the first week
			first = fourth.AddDate(0, 0, 7*(w-1)-(int(fourth.Weekday())+6)%7)
		}
		after = first.AddDate(0, 0, 7)
	case ByMonth:
		first, err = time.Parse("2006-01", key)
		after = first.AddDate(0, 1, 0)
	case ByYear:
		first, err = time.Parse("2006", key)
		after = first.AddDate(1, 0, 0)
	default:
		return start, end, false
	}
	midnight := func(day time.Time) time.Time { return model.Midnight(day.Year(), day.Month(), day.Day(), zone) }
	return midnight(first), midnight(after), err == nil
}

// KeyOf returns the key of a time in a dimension of time, "" for the zero time.
func (d Dimension) KeyOf(at time.Time, zone *time.Location) string {
	if at.IsZero() {
		return ""
	}
	at = at.In(zone)
	switch d {
	case ByDay:
		return at.Format(time.DateOnly)
	case ByWeek:
		y, w := at.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", y, w)
	case ByMonth:
		return at.Format("2006-01")
	case ByYear:
		return at.Format("2006")
	case ByWeekday: // Monday is the first
		return strconv.Itoa((int(at.Weekday())+6)%7+1) + " " + at.Weekday().String()
	case ByHour:
		return at.Format("15") + ":00"
	}
	return ""
}

// keys gives the keys of records, and caches those of days.
type keys struct {
	report Report
	zone   *time.Location
	days   map[dayKey]string
}

type dayKey struct {
	by        Dimension
	year, day int
}

func newKeys(r Report, zone *time.Location) *keys {
	return &keys{r, zone, map[dayKey]string{}}
}

func (k *keys) of(d Dimension, r *Record) string {
	switch d {
	case ByModel:
		return r.Model
	case BySource:
		return r.Source
	case ByFolder:
		return r.Folder
	case ByProfile:
		return r.Profile
	case ByTool:
		return r.Tool
	case ByConversation:
		return k.report.Conversations[r.Conversation].Root
	}
	if r.At.IsZero() {
		return ""
	}
	at := r.At.In(k.zone)
	if d == ByHour {
		return d.KeyOf(at, k.zone)
	}
	day := dayKey{d, at.Year(), at.YearDay()}
	text, ok := k.days[day]
	if !ok {
		text = d.KeyOf(at, k.zone)
		k.days[day] = text
	}
	return text
}
