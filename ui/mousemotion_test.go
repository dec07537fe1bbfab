package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

func TestAFloodOfMotionIsCalmed(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	limit := LimitMotion(func() time.Time { return clock })
	passed := 0
	for range 1000 { // a second of a trackpad
		if limit(nil, tea.MouseWheelMsg{Button: tea.MouseWheelDown}) != nil {
			passed++
		}
		if limit(nil, tea.KeyPressMsg{Code: 'x'}) == nil || limit(nil, tea.MouseClickMsg{}) == nil {
			t.Fatal("a key or a click is lost")
		}
		clock = clock.Add(time.Millisecond)
	}
	if passed < 60 || passed > 64 {
		t.Fatalf("%d of 1000 came through", passed)
	}
	clock = clock.Add(-time.Hour) // the clock is set back
	if limit(nil, tea.MouseMotionMsg{}) == nil {
		t.Fatal("the mouse is dead until the clock catches up")
	}
}
