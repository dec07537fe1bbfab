package analysis

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Span is a stretch of time that words of a query name: september, two weeks ago, 上周.
type Span struct {
	Words       string // as they were typed, in lower case
	First, Last int    // their places; Last is below First for a part of a word
	From, To    time.Time
}

// String returns the span as filters write it: 2026, 2026-09, 2026-09-14 or
// 2026-09-14..2026-09-20.
func (s Span) String() string {
	const day = time.DateOnly
	last := s.To.AddDate(0, 0, -1)
	switch {
	case s.From.AddDate(1, 0, 0).Equal(s.To) && s.From.YearDay() == 1:
		return s.From.Format("2006")
	case s.From.AddDate(0, 1, 0).Equal(s.To) && s.From.Day() == 1:
		return s.From.Format("2006-01")
	case !last.After(s.From):
		return s.From.Format(day)
	}
	return s.From.Format(day) + ".." + last.Format(day)
}

// maxDatedWords is how many words a query has at most in which dates are looked for. A longer
// one was pasted, and the dates of a log are not when people talked about it.
const maxDatedWords = 24

// Spans returns the stretches of time that the words of a query name, seen from a moment, in
// its time zone. A month or a day of the year is the last one that has begun. What is
// no date, such as the 31st of February or a year to come, is left out, and so is a
// word such as may or march where it hardly means the month.
func Spans(words []string, now time.Time) (spans []Span) {
	if len(words) > maxDatedWords {
		return nil
	}
	c := calendar{words: words, now: now, today: time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())}
	for i := 0; i < len(words); i++ {
		for _, read := range []func(int) (Span, bool){c.date, c.weekday, c.period, c.ago, c.year, c.numeric} {
			if s, ok := read(i); ok {
				s.Words = strings.Join(words[s.First:s.Last+1], " ")
				spans, i = append(spans, s), max(i, s.Last)
				break
			}
		}
	}
	return append(spans, c.unspaced()...)
}

// calendar reads dates among words, each of its methods at one place.
type calendar struct {
	words      []string
	now, today time.Time
}

// word returns the word at a place, "" where there is none.
func (c *calendar) word(i int) string {
	if i < 0 || i >= len(c.words) {
		return ""
	}
	return c.words[i]
}

var (
	months   = strings.Fields("january february march april may june july august september october november december")
	weekdays = strings.Fields("sunday monday tuesday wednesday thursday friday saturday")

	// beforeDates are the words after which a date is meant, and notBefore those after which
	// it is the end of a stretch without a beginning.
	beforeDates = strings.Fields("in of last since this from during early mid late")
	notBefore   = strings.Fields("before until till by")
	numbers     = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
)

// monthOf returns the month that a word names. An ambiguous word names it only beside a
// number or behind one of beforeDates.
func monthOf(word string) (month time.Month, ambiguous, ok bool) {
	if len(word) < 3 {
		return 0, false, false
	}
	at := slices.IndexFunc(months, func(m string) bool { return m == word || m[:3] == word || word == "sept" && m == "september" })
	return time.Month(at + 1), at >= 0 && (word != months[at] || word == "march" || word == "may"), at >= 0
}

// date reads the month at a place, with its day before or behind it and its year.
func (c *calendar) date(i int) (Span, bool) {
	month, ambiguous, ok := monthOf(c.word(i))
	if !ok {
		return Span{}, false
	}
	s := Span{First: i, Last: i}
	day := dayOf(c.word(i - 1))
	switch {
	case day > 0:
		s.First--
	case c.word(i-1) == "of" && dayOf(c.word(i-2)) > 0:
		day, s.First = dayOf(c.word(i-2)), i-2
	case dayOf(c.word(i+1)) > 0:
		day, s.Last = dayOf(c.word(i+1)), i+1
	}
	year := c.yearOf(c.word(s.Last + 1))
	back, named := map[string]int{"last": 1, "this": 0, "next": -1}[c.word(s.Last+1)]
	switch {
	case year > 0:
		s.Last++
	case named && c.word(s.Last+2) == "year":
		year, s.Last = c.now.Year()-back, s.Last+2
	case c.yearOf(c.word(s.First-1)) > 0:
		s.First--
		year = c.yearOf(c.word(s.First))
	case slices.Contains([]string{"of", "in"}, c.word(s.Last+1)) && c.yearOf(c.word(s.Last+2)) > 0:
		year, s.Last = c.yearOf(c.word(s.Last+2)), s.Last+2
	}
	before := c.word(s.First - 1)
	atEnd := i == len(c.words)-1 && len(c.words[i]) > 3 || c.word(i) == "may" && i == len(c.words)-1
	if slices.Contains(notBefore, before) ||
		ambiguous && day == 0 && year == 0 && !atEnd && !slices.Contains(beforeDates, before) {
		return Span{}, false
	}
	return c.dated(s, year, month, day, before)
}

// dated sets the days of a span: a month, or a day of it where there is such a day. Without
// a year it is the last one that has begun, and behind last one that is over.
func (c *calendar) dated(s Span, year int, month time.Month, day int, before string) (Span, bool) {
	at := func(y int) bool {
		if day > 0 {
			s.From = time.Date(y, month, day, 0, 0, 0, 0, c.now.Location())
			s.To = s.From.AddDate(0, 0, 1)
			return s.From.Month() == month
		}
		s.From = time.Date(y, month, 1, 0, 0, 0, 0, c.now.Location())
		s.To = s.From.AddDate(0, 1, 0)
		return true
	}
	for y := c.now.Year(); year == 0 && y > c.now.Year()-8; y-- { // eight years have a 29th of February
		if at(y) && !s.From.After(c.now) && !(before == "last" && s.To.After(c.now)) {
			year = y
		}
	}
	if year == 0 || !at(year) {
		if day == 0 {
			return Span{}, false
		}
		return c.dated(s, year, month, 0, before) // no such day: the month
	}
	if before == "since" {
		s.To = c.today.AddDate(0, 0, 1)
	}
	return s, !s.From.After(c.now)
}

// dayOf returns the day of a month that a word is, 0 for none.
func dayOf(word string) int {
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		word = strings.TrimSuffix(word, ending)
	}
	n, err := strconv.Atoi(word)
	if err != nil || len(word) > 2 || n < 1 || n > 31 {
		return 0
	}
	return n
}

// numeric reads 2026-09 and 2026-09-14, as String writes them.
func (c *calendar) numeric(i int) (Span, bool) {
	from, err := time.ParseInLocation(time.DateOnly, c.word(i), c.now.Location())
	to := from.AddDate(0, 0, 1)
	if err != nil {
		from, err = time.ParseInLocation("2006-01", c.word(i), c.now.Location())
		to = from.AddDate(0, 1, 0)
	}
	return Span{First: i, Last: i, From: from, To: to}, err == nil && from.Year() >= 1970 && !from.After(c.now)
}

// yearOf returns the year that a word is, 0 for none. It may be one to come, whose months are
// not those of this year; what is far away is a number.
func (c *calendar) yearOf(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil || len(word) != 4 || n < 1970 || n > c.now.Year()+10 {
		return 0
	}
	return n
}

// weekday reads the day of the week at a place, which is the last one before today.
func (c *calendar) weekday(i int) (Span, bool) {
	at := slices.Index(weekdays, c.word(i))
	if at < 0 || !slices.Contains([]string{"on", "last", "this", "since", "of", "from"}, c.word(i-1)) {
		return Span{}, false
	}
	ago := (int(c.today.Weekday())-at+6)%7 + 1
	s := Span{First: i, Last: i, From: c.today.AddDate(0, 0, -ago), To: c.today.AddDate(0, 0, 1-ago)}
	if c.word(i-1) == "since" {
		s.To = c.today.AddDate(0, 0, 1)
	}
	return s, true
}

// period reads yesterday, this week and the like.
func (c *calendar) period(i int) (Span, bool) {
	s := Span{First: i, Last: i + 1}
	switch c.word(i) {
	case "today", "yesterday":
		s.Last = i
		return c.back(s, "day", map[string]int{"yesterday": 1}[c.word(i)]), true
	case "this":
		if unit := c.word(i + 1); slices.Contains([]string{"week", "month", "year"}, unit) {
			return c.back(s, unit, 0), true
		}
	case "last", "past", "previous":
		switch unit := c.word(i + 1); unit {
		case "week", "month", "year":
			return c.back(s, unit, 1), true
		case "night":
			return c.back(s, "day", 1), true
		}
	}
	return Span{}, false
}

// back returns the day, the week, the month or the year that lies n of them back.
func (c *calendar) back(s Span, unit string, n int) Span {
	y, m, _ := c.today.Date()
	start := func(year int, month time.Month) time.Time {
		return time.Date(year, month, 1, 0, 0, 0, 0, c.now.Location())
	}
	switch unit {
	case "day":
		s.From = c.today.AddDate(0, 0, -n)
		s.To = s.From.AddDate(0, 0, 1)
	case "week":
		monday := c.today.AddDate(0, 0, -(int(c.today.Weekday())+6)%7)
		s.From = monday.AddDate(0, 0, -7*n)
		s.To = s.From.AddDate(0, 0, 7)
	case "month":
		s.From, s.To = start(y, m-time.Month(n)), start(y, m-time.Month(n)+1)
	case "year":
		s.From, s.To = start(y-n, time.January), start(y-n+1, time.January)
	}
	return s
}

// ago reads two weeks ago and the like. A week ago is the seven days around that day.
func (c *calendar) ago(i int) (Span, bool) {
	unit := strings.TrimSuffix(c.word(i), "s")
	if c.word(i+1) != "ago" {
		return Span{}, false
	}
	s := Span{First: i - 1, Last: i + 1}
	n := slices.Index(numbers, c.word(i-1))
	if w := c.word(i - 1); n < 0 && (w == "a" || w == "an") {
		n = 1
	} else if d, err := strconv.Atoi(w); n < 0 && err == nil && len(w) <= 3 {
		n = d
	}
	if n < 0 {
		return Span{}, false
	}
	switch unit {
	case "day", "month", "year":
		s = c.back(s, unit, n)
	case "week":
		s.From, s.To = c.today.AddDate(0, 0, -7*n-3), c.today.AddDate(0, 0, -7*n+4)
	default:
		return Span{}, false
	}
	return s, s.From.Year() >= 1970
}

// year reads in 2025.
func (c *calendar) year(i int) (Span, bool) {
	y, before := c.yearOf(c.word(i)), c.word(i-1)
	if y == 0 || !slices.Contains([]string{"in", "of", "since", "from", "during"}, before) {
		return Span{}, false
	}
	s := c.back(Span{First: i, Last: i}, "year", c.now.Year()-y)
	if before == "since" {
		s.To = c.today.AddDate(0, 0, 1)
	}
	return s, !s.From.After(c.now)
}

var (
	// unspacedDate is a year, a month and a day, of which the first or the last may be missing.
	unspacedDate = regexp.MustCompile(`(?:(?P<year>(?P<number>[0-9]{4}) ?[年년]|(?P<lastYear>去年|昨年|작년)|(?P<thisYear>今年|올해)) ?[の的의]? ?)?` +
		`(?:(?P<month>[0-9]{1,2}|十[一二]?|[一二三四五六七八九]) ?[月월](?: ?(?P<day>[0-9]{1,2}) ?[日号號일])?)?`)

	// unspacedPeriods are words of Chinese, Japanese and Korean, with the unit that they name
	// and how many of it they lie back.
	unspacedPeriods = regexp.MustCompile(`(昨天|昨日|어제)|(今天|今日|오늘)|(前天|一昨日|그저께)|` +
		`(上个?星期|上個星期|上[周週]|先週|지난 ?주)|(本[周週]|[这這][周週]|[这這][个個]星期|今週|이번 ?주)|` +
		`(上[个個]?月|先月|지난 ?달)|(本月|[这這][个個]月|今月|이번 ?달)`)
	periodOf = []struct {
		unit string
		back int
	}{{"day", 1}, {"day", 0}, {"day", 2}, {"week", 1}, {"week", 0}, {"month", 1}, {"month", 0}}
)

// unspaced reads the dates of Chinese, Japanese and Korean, which may be parts of words.
func (c *calendar) unspaced() (spans []Span) {
	text := strings.Join(c.words, " ")
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x3000 }) {
		return nil
	}
	add := func(s Span, ok bool, from, to int) {
		if !ok {
			return
		}
		s.Words = text[from:to]
		first := strings.Count(text[:from], " ")
		s.First, s.Last = first, first+strings.Count(s.Words, " ")
		if from > 0 && text[from-1] != ' ' || to < len(text) && text[to] != ' ' {
			s.Last = s.First - 1 // other words are there too
		}
		spans = append(spans, s)
	}
	for _, at := range unspacedPeriods.FindAllStringSubmatchIndex(text, -1) {
		for i, p := range periodOf {
			if at[2*i+2] >= 0 {
				add(c.back(Span{}, p.unit, p.back), true, at[0], at[1])
			}
		}
	}
	for _, at := range unspacedDate.FindAllStringSubmatchIndex(text, -1) {
		part := func(name string) string {
			i := 2 * unspacedDate.SubexpIndex(name)
			return text[max(at[i], 0):max(at[i+1], 0)]
		}
		year := c.yearOf(part("number"))
		month := chineseMonth(part("month"))
		switch {
		case part("lastYear") != "":
			year = c.now.Year() - 1
		case part("thisYear") != "":
			year = c.now.Year()
		}
		before := text[:at[0]]
		if at[0] == at[1] || before != "" && before[len(before)-1] >= '0' && before[len(before)-1] <= '9' {
			continue // a part of a longer number
		}
		if before = strings.TrimRight(before, " の的의"); strings.HasSuffix(before, "年") || strings.HasSuffix(before, "년") {
			continue // of a year in another calendar
		}
		switch {
		case part("number") != "" && year == 0, part("month") != "" && month == 0:
		case month > 0:
			s, ok := c.dated(Span{}, year, month, dayOf(part("day")), "")
			add(s, ok, at[0], at[1])
		case year > 0:
			s := c.back(Span{}, "year", c.now.Year()-year)
			add(s, !s.From.After(c.now), at[0], at[0]+len(part("year")))
		}
	}
	return spans
}

var chineseNumbers = strings.Fields("一 二 三 四 五 六 七 八 九 十 十一 十二")

// chineseMonth returns the month of a number before 月 or 월, 0 for none.
func chineseMonth(text string) time.Month {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= 12 {
		return time.Month(n)
	}
	return time.Month(1 + slices.Index(chineseNumbers, text))
}
