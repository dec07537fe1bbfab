package shell

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/kit"
)

// KeysOnly is embedded by a screen on which nothing is typed: all its keys are actions.
type KeysOnly struct{}

// Claims implements [Screen]: no key is typed.
func (KeysOnly) Claims(tea.KeyPressMsg) bool { return false }

// Cursor implements [Screen].
func (KeysOnly) Cursor() *tea.Cursor { return nil }

// RowHandlers are the actions that move among rows. why says why there are none to move
// among, "" where there are; then follows each move, nil for nothing.
func RowHandlers(rows *kit.Rows, why string, then func() tea.Cmd) []Handler {
	move := func(a Action, do func()) Handler {
		return NewHandler(a, why, func() tea.Cmd {
			if do(); then == nil {
				return nil
			}
			return then()
		})
	}
	return []Handler{
		move(Up, func() { rows.Move(rows.Selected - 1) }),
		move(Down, func() { rows.Move(rows.Selected + 1) }),
		move(PageUp, func() { rows.Page(-1) }),
		move(PageDown, func() { rows.Page(1) }),
		move(First, func() { rows.GoToEnd(false) }),
		move(Last, func() { rows.GoToEnd(true) }),
	}
}

// Wheel returns how many lines a turn of the mouse wheel scrolls, down if positive, and 0 for
// a turn to the side.
func Wheel(msg tea.MouseWheelMsg) int {
	switch msg.Button {
	case tea.MouseWheelUp:
		return -3
	case tea.MouseWheelDown:
		return 3
	}
	return 0
}

// doubleClick is the longest pause between two clicks that open a row.
const doubleClick = 400 * time.Millisecond

// Clicks tells the second click on a row, which opens it, from the first. The zero value
// has seen no click.
type Clicks struct {
	row int
	at  time.Time
}

// Second takes a click on a row and reports whether it is the second one.
func (c *Clicks) Second(row int, now time.Time) bool {
	if row == c.row && now.Sub(c.at) < doubleClick {
		c.at = time.Time{}
		return true
	}
	c.row, c.at = row, now
	return false
}

// OnRow takes a click y lines below the upper edge of the rows of a screen: it makes that
// row the current one, and does the action open with the second click.
func (c *Clicks) OnRow(sh Shell, s Screen, open Action, rows *kit.Rows, y int) tea.Cmd {
	i, _ := rows.At(y)
	if i < 0 || y < 0 {
		return nil
	}
	rows.Move(i)
	if c.Second(i, sh.Env().Clock()) {
		return sh.Do(RunAction{Screen: s, Action: open})
	}
	return nil
}
