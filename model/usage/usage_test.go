package usage

import (
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // the zones, also where the system has none

	"hermes-sessions/model"
)

func at(text string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return t
}

// sample is sessions of all kinds: with two models, without a time, with a negative count,
// with a cost that is actual, estimated, unknown and zero.
func sample() Report {
	use := func(in, out int64, cost model.Cost) model.Usage {
		return model.Usage{Input: in, Output: out, CacheRead: 10 * in, Cost: cost}
	}
	return Report{
		Conversations: []Conversation{{Root: "r1", Tip: "t1", Title: "one"}, {Root: "r2", Tip: "r2"}},
		Records: []Record{
			{Session: "r1", Conversation: 0, At: at("2026-05-03 23:30"), Model: "big", Source: "cli", Messages: 4, Calls: 2, Usage: use(100, 10, model.Cost{USD: 1, Known: true})},
			{Session: "r1", Conversation: 0, At: at("2026-05-03 23:30"), Model: "small", Source: "cli", Messages: 4, Calls: 2, Usage: use(5, 5, model.Cost{})},
			{Session: "t1", Conversation: 0, At: at("2026-05-04 00:10"), Model: "big", Source: "cli", Messages: 1, Usage: use(20, 2, model.Cost{USD: 0.5, Known: true, Estimated: true})},
			{Session: "r2", Conversation: 1, Source: "cron", Usage: use(-7, 0, model.Cost{})},
			{Session: "empty", Conversation: 1, At: at("1999-12-31 12:00"), Source: "cron"},
		},
	}
}

func TestGroupsSumUp(t *testing.T) {
	r := sample()
	total := r.Total()
	if total.Sessions != 4 || total.Messages != 5 || total.Calls != 2 || total.Usage.Tokens() != 135 || total.Usage.CacheRead != 1180 {
		t.Errorf("in all %+v", total)
	}
	if c := total.Usage.Cost; total.Actual != 1 || total.Estimated != 0.5 || total.Unpriced != 2 || c.USD != 1.5 || !c.Estimated || !c.Partial {
		t.Errorf("costs %+v", total)
	}
	for by := ByDay; by <= ByConversation; by++ {
		var sum Sum
		for _, row := range r.Group([]Dimension{by}, time.UTC) {
			sum.Usage = sum.Usage.Add(row.Usage)
			sum.Actual += row.Actual
			sum.Estimated += row.Estimated
			sum.Unpriced += row.Unpriced
		}
		if sum.Usage.Tokens() != total.Usage.Tokens() || sum.Actual != total.Actual || sum.Estimated != total.Estimated || sum.Unpriced != total.Unpriced {
			t.Errorf("by %s: %+v, in all %+v", by, sum, total)
		}
	}
	two := r.Group([]Dimension{ByMonth, ByModel}, time.UTC)
	SortByKeys(two)
	var keys []string
	for _, row := range two {
		keys = append(keys, row.Keys[0]+"/"+row.Keys[1])
	}
	if want := []string{"/", "1999-12/", "2026-05/big", "2026-05/small"}; !slices.Equal(keys, want) {
		t.Errorf("groups %q", keys)
	}
	if empty := (Report{}); empty.Total().Sessions != 0 || len(empty.Group([]Dimension{ByDay}, time.UTC)) != 0 {
		t.Error("groups of nothing")
	}
}

// A day is a day of the time zone, also where the clocks change.
func TestDaysOfAZone(t *testing.T) {
	r := sample()
	east := time.FixedZone("east", 2*60*60)
	days := func(zone *time.Location) (keys []string) {
		rows := r.Group([]Dimension{ByDay}, zone)
		SortByKeys(rows)
		for _, row := range rows {
			keys = append(keys, row.Keys[0])
		}
		return keys
	}
	if got := days(time.UTC); !slices.Equal(got, []string{"", "1999-12-31", "2026-05-03", "2026-05-04"}) {
		t.Errorf("days in UTC %q", got)
	}
	if got := days(east); !slices.Equal(got, []string{"", "1999-12-31", "2026-05-04"}) {
		t.Errorf("days in the east %q", got)
	}
	for by, want := range map[Dimension]string{ByDay: "2026-05-03", ByWeek: "2026-W18", ByMonth: "2026-05", ByYear: "2026", ByWeekday: "7 Sunday", ByHour: "23:00", ByModel: ""} {
		if got := by.KeyOf(at("2026-05-03 23:30"), time.UTC); got != want {
			t.Errorf("%s: %q, want %q", by, got, want)
		}
		start, end, ok := by.Period(want, time.UTC)
		if ok != by.Dated() || ok && (start.After(at("2026-05-03 23:30")) || !end.After(at("2026-05-03 23:30")) || by.KeyOf(start, time.UTC) != want || by.KeyOf(end, time.UTC) == want) {
			t.Errorf("%s %s: %s to %s", by, want, start, end)
		}
	}
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	for by, keys := range map[Dimension][2]string{ByDay: {"2018-11-02", "2018-11-06"}, ByWeek: {"2018-W43", "2018-W47"}, ByMonth: {"2018-09", "2019-01"}, ByYear: {"2015", "2019"}} {
		if got := by.Gap(keys[0], keys[1], zone); got != 3 || by.Gap(keys[1], keys[0], zone) != 0 || by.Gap(keys[0], keys[0], zone) != 0 {
			t.Errorf("%s: %d between %q", by, got, keys)
		}
	}
}

// Where the clock goes from 24:00 to 1:00, the day before keeps its last hours.
func TestDaysWithoutMidnight(t *testing.T) {
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	late := time.Date(2025, 9, 6, 23, 30, 0, 0, zone) // a Saturday
	early := time.Date(2025, 9, 7, 1, 30, 0, 0, zone)
	r := Report{Records: []Record{{Session: "late", At: late}, {Session: "early", At: early}}}
	calendar := r.Calendar(early, 1, zone)
	for i, day := range []string{"2025-09-06", "2025-09-07"} {
		if got := calendar.Day(5 + i).Format(time.DateOnly); got != day || calendar.Days[5+i].Sessions != 1 {
			t.Errorf("the calendar has %d sessions on %s, want one on %s", calendar.Days[5+i].Sessions, got, day)
		}
		if start, end, ok := ByDay.Period(day, zone); !ok || (Selection{From: start, To: end}).In(r, zone).Total().Sessions != 1 {
			t.Errorf("%s is from %s to %s", day, start, end)
		}
	}
}

func TestSelections(t *testing.T) {
	r := sample()
	for _, c := range []struct {
		of       Selection
		sessions int
	}{
		{Selection{}, 4},
		{Selection{From: at("2026-05-04 00:00")}, 1},
		{Selection{To: at("2026-05-04 00:00")}, 2},
		{Selection{Picks: []Pick{{ByDay, ""}}}, 1},
		{Selection{Picks: []Pick{{ByModel, "big"}, {BySource, "cli"}}}, 2},
		{Selection{Picks: []Pick{{ByConversation, "r1"}}, From: at("2026-01-01 00:00")}, 2},
		{Selection{Picks: []Pick{{BySource, "none"}}}, 0},
	} {
		if got := c.of.In(r, time.UTC).Total().Sessions; got != c.sessions {
			t.Errorf("%+v: %d sessions", c.of, got)
		}
	}
}

func TestToolsAreGroupedByAllElse(t *testing.T) {
	r := sample().WithTools([]ToolCount{{"r1", "terminal", 5, 2}, {"r1", "", 1, 0}, {"t1", "terminal", 1, 1}, {"gone", "terminal", 9, 9}})
	rows := r.Group([]Dimension{ByTool}, time.UTC)
	Sort(rows, Calls)
	if len(rows) != 2 || rows[0].Keys[0] != "terminal" || rows[0].Calls != 6 || rows[0].Failed != 3 || rows[0].Sessions != 2 || rows[0].Usage.Tokens() != 0 || rows[1].Keys[0] != "" {
		t.Errorf("%+v", rows)
	}
	if rows := r.Group([]Dimension{ByConversation}, time.UTC); len(rows) != 1 || rows[0].Failed != 3 || r.Conversations[rows[0].Conversation].Title != "one" {
		t.Errorf("%+v", rows)
	}
}

func TestCalendar(t *testing.T) {
	c := sample().Calendar(at("2026-05-06 09:00"), 2, time.UTC)
	if c.Start != at("2026-04-27 00:00") || len(c.Days) != 14 || c.Days[6].Sessions != 1 || c.Days[7].Sessions != 1 || c.Rest.Sessions != 2 || c.Day(13) != at("2026-05-10 00:00") {
		t.Errorf("%+v", c)
	}
	levels := c.Levels(Tokens)
	if levels[6] != 4 || levels[7] != 1 || levels[0] != 0 || slices.Max(Calendar{Days: make([]Sum, 7)}.Levels(Dollars)) != 0 {
		t.Errorf("levels %d", levels)
	}
}

func TestDimensionsByName(t *testing.T) {
	by, err := ParseDimensions("day, model")
	if err != nil || !slices.Equal(by, []Dimension{ByDay, ByModel}) {
		t.Error(by, err)
	}
	for _, name := range dimensionNames {
		if by, err := ParseDimensions(name); err != nil || len(by) != 1 || by[0].String() != name {
			t.Error(name, by, err)
		}
	}
	if _, err := ParseDimensions("day,,"); err == nil {
		t.Error("an empty name is a dimension")
	}
}
