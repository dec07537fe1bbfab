package model

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for want, d := range map[string]time.Duration{
		"now": 59 * time.Second, "1m": time.Minute, "59m": time.Hour - 1, "1h": time.Hour, "23h": 24*time.Hour - 1,
		"1d": 24 * time.Hour, "59d": 60*24*time.Hour - 1, "2mo": 60 * 24 * time.Hour, "24mo": 729 * 24 * time.Hour,
		"2y": 730 * 24 * time.Hour,
	} {
		if got := Age(now, now.Add(-d)); got != want {
			t.Errorf("%v ago: %q, want %q", d, got, want)
		}
	}
	for want, d := range map[string]time.Duration{
		"now": time.Hour - 1, "+1h": time.Hour, "+1d": 24 * time.Hour, "+59d": 60*24*time.Hour - 1, "+9mo": 300*24*time.Hour - 1,
		"+1y": 300 * 24 * time.Hour, "+2y": 800 * 24 * time.Hour,
	} {
		if got := Age(now, now.Add(d)); got != want {
			t.Errorf("%v in the future: %q, want %q", d, got, want)
		}
	}
	if got := Age(now, time.Time{}); got != "" {
		t.Errorf("never: %q", got)
	}
}

func TestDateGroupsUseTheTimeZoneOfTheClock(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*3600)
	now := time.Date(2026, 3, 2, 0, 30, 0, 0, tokyo)
	at := func(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, tokyo) }
	for _, c := range []struct {
		conv Conversation
		want DateGroup
	}{
		{Conversation{LastActive: now.Add(-29 * time.Minute).UTC()}, GroupToday},
		{Conversation{LastActive: now.Add(time.Hour)}, GroupToday},
		{Conversation{LastActive: at(2, 23)}, GroupToday},
		{Conversation{LastActive: at(3, 0)}, GroupFuture},
		{Conversation{LastActive: now.Add(-31 * time.Minute).UTC()}, GroupYesterday},
		{Conversation{LastActive: at(1, 0)}, GroupYesterday},
		{Conversation{LastActive: at(0, 23)}, GroupWeek},
		{Conversation{LastActive: at(2-6, 0)}, GroupWeek},
		{Conversation{LastActive: at(2-7, 23)}, GroupMonth},
		{Conversation{LastActive: at(2-29, 0)}, GroupMonth},
		{Conversation{LastActive: at(2-30, 23)}, GroupOlder},
		{Conversation{}, GroupOlder},
		{Conversation{State: StateRunning, LastActive: at(1, 0)}, GroupRunning},
		{Conversation{Session: Session{Pinned: true}, State: StateRunning}, GroupRunning},
	} {
		if got := NewDateGroups(now).OfConversation(c.conv); got != c.want {
			t.Errorf("last active %v, state %d: %v, want %v", c.conv.LastActive, c.conv.State, got, c.want)
		}
	}
}

func TestOlderConversationsStandUnderMonthsAndYears(t *testing.T) {
	now := time.Date(2026, 11, 22, 13, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{now, "Today"},
		{now.AddDate(0, 0, -1), "Yesterday"},
		{now.AddDate(0, 0, -6), "Last 7 days"},
		{now.AddDate(0, 0, -29), "Last 30 days"},
		{now.AddDate(0, 0, -30), "October"},
		{time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), "Last 30 days"},
		{time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), "October"},
		{time.Date(2026, 9, 30, 23, 59, 0, 0, time.UTC), "September"},
		{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), "January"},
		{time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC), "December 2025"},
		{time.Date(2025, 11, 30, 0, 0, 0, 0, time.UTC), "Earlier in 2025"},
		{time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), "Earlier in 2025"},
		{time.Date(2024, 12, 31, 23, 0, 0, 0, time.UTC), "2024"},
		{time.Time{}, "Undated"},
	} {
		if got := NewDateGroups(now).HeadingOfTime(c.at); got != c.want {
			t.Errorf("%v stands under %q, want %q", c.at, got, c.want)
		}
	}
	december := NewDateGroups(time.Date(2026, 12, 31, 13, 0, 0, 0, time.UTC))
	if got := december.HeadingOfTime(time.Date(2025, 12, 31, 13, 0, 0, 0, time.UTC)); got != "2025" {
		t.Errorf("a year without headings of months is %q", got)
	}
	pinned := Conversation{Session: Session{Pinned: true}, LastActive: now.AddDate(-3, 0, 0)}
	if got := december.Heading(pinned); got != "Pinned" {
		t.Errorf("a pinned conversation stands under %q", got)
	}
}

func TestMidnight(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"Europe/Berlin", "2025-03-30", "2025-03-30T00:00:00+01:00"},
		{"America/Santiago", "2025-04-06", "2025-04-06T00:00:00-04:00"},
		{"America/Santiago", "2025-09-07", "2025-09-07T01:00:00-03:00"}, // has no midnight
		{"America/Santiago", "2025-09-08", "2025-09-08T00:00:00-03:00"},
		{"America/Havana", "2025-11-02", "2025-11-02T00:00:00-04:00"}, // has two
		{"Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00"},   // there was no such day
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := Midnight(day.Year(), day.Month(), day.Day(), zone).Format(time.RFC3339); got != c.want {
			t.Errorf("%s in %s begins at %s, want %s", c.day, c.zone, got, c.want)
		}
	}
}

func TestClockTimeNamesAnotherDay(t *testing.T) {
	now := time.Date(2026, 11, 21, 23, 59, 0, 0, time.FixedZone("JST", 9*3600))
	for want, at := range map[string]time.Time{
		"23:59:30": now.Add(30 * time.Second), "14:59:30": now.Add(30 * time.Second).UTC(),
		"2026-11-22 00:04": now.Add(5 * time.Minute), "2027-11-21 23:59": now.AddDate(1, 0, 0),
	} {
		if got := ClockTime(now, at); got != want {
			t.Errorf("%v: %q, want %q", at, got, want)
		}
	}
}
