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
	if got := Age(now, now.Add(time.Hour)); got != "now" {
		t.Errorf("in the future: %q", got)
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
		{Conversation{LastActive: now.Add(-31 * time.Minute).UTC()}, GroupYesterday},
		{Conversation{LastActive: at(1, 0)}, GroupYesterday},
		{Conversation{LastActive: at(0, 23)}, GroupWeek},
		{Conversation{LastActive: at(2-6, 0)}, GroupWeek},
		{Conversation{LastActive: at(2-7, 23)}, GroupMonth},
		{Conversation{LastActive: at(2-29, 0)}, GroupMonth},
		{Conversation{LastActive: at(2-30, 23)}, GroupOlder},
		{Conversation{}, GroupOlder},
		{Conversation{State: StateRunning, LastActive: at(1, 0)}, GroupRunning},
		{Conversation{Session: Session{Pinned: true}, State: StateRunning}, GroupPinned},
	} {
		if got := NewDateGroups(now).OfConversation(c.conv); got != c.want {
			t.Errorf("last active %v, state %d: %v, want %v", c.conv.LastActive, c.conv.State, got, c.want)
		}
	}
}
