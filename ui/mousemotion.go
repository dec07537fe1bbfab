package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameTime is how long one frame is on the screen.
const frameTime = 16 * time.Millisecond

// LimitMotion makes a filter for tea.WithFilter that lets at most one motion and one
// wheel step through per frame: trackpads and terminals send hundreds a second,
// and each would be laid out.
func LimitMotion(clock func() time.Time) func(tea.Model, tea.Msg) tea.Msg {
	var last time.Time
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch msg.(type) {
		case tea.MouseWheelMsg, tea.MouseMotionMsg:
			now := clock()
			if d := now.Sub(last); d >= 0 && d < frameTime {
				return nil
			}
			last = now
		}
		return msg
	}
}
