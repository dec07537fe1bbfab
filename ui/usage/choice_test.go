package usage

import (
	"testing"
	"time"

	"hermes-sessions/model/usage"
)

// Ranges follow each other without a gap, and the last one has no end.
func TestRanges(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		zone = time.UTC
	}
	now := time.Date(2026, 3, 29, 12, 0, 0, 0, zone) // a day of 23 hours
	c := newChoice()
	for range lengths {
		c.back = 0
		s, last := c.selection(now), c.lastDay(now)
		if !s.To.IsZero() || !last.Equal(now) || (c.length() == length{}) != s.From.IsZero() {
			t.Errorf("%s: from %s to %s", c.rangeName(now), s.From, s.To)
		}
		for before := s; !s.From.IsZero() && c.back < 4; before = s {
			c.back++
			if s, last = c.selection(now), c.lastDay(now); !s.To.Equal(before.From) || !last.Before(s.To) || !last.After(s.From) || s.From.Hour() != 0 {
				t.Errorf("%s: from %s to %s, after it %s", c.rangeName(now), s.From, s.To, before.From)
			}
		}
		c.nextRange(1)
	}
	c = newChoice()
	if s := c.selection(now); s.From.Format(time.DateOnly) != "2025-04-01" || c.rangeName(now) != "12 months" {
		t.Errorf("a year from %s", s.From)
	}
	c.back = 1
	if name := c.rangeName(now); name != "2024-04-01 to 2025-03-31" {
		t.Errorf("the year before is called %s", name)
	}
}

// A group opens its conversations, whatever is opened in it, and closes to where it was.
func TestGroupsOpenAndClose(t *testing.T) {
	c := newChoice()
	c.setView(viewModels)
	c.openGroup("big")
	other := c
	c.setView(viewTime)
	c.openGroup("2026-05-03")
	other.setView(viewSources)
	other.openGroup("cli")
	if c.view != viewConversations || len(c.picks) != 2 || c.picks[1] != (usage.Pick{By: usage.ByDay, Key: "2026-05-03"}) || other.picks[1].Key != "cli" {
		t.Errorf("%+v, %+v", c.picks, other.picks)
	}
	if key, ok := c.closeGroup(); key != "2026-05-03" || !ok || c.view != viewTime {
		t.Error(key, ok, c.view)
	}
	if key, ok := c.closeGroup(); key != "big" || !ok || c.view != viewModels {
		t.Error(key, ok, c.view)
	}
	if _, ok := c.closeGroup(); ok {
		t.Error("closed what is not open")
	}
}

// Every view has measures that its rows have.
func TestMeasuresOfViews(t *testing.T) {
	c := newChoice()
	for range 3 * views {
		c.turn(1)
		for range usage.Failed + 1 {
			c.nextMeasure()
			if tools := c.compared() >= usage.Calls; tools != c.toolsOnly() && c.view != viewConversations {
				t.Errorf("%s by %s", viewNames[c.view], c.compared())
			}
		}
	}
	if c.hasView(viewProfiles) || c.view == viewProfiles {
		t.Error("one profile has a view")
	}
}
