package list

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/shell"
)

// seenAfter is how long a row must have been under the cursor before Enter
// resumes it, two frames: a key that comes sooner was pressed for the row
// before.
const seenAfter = 35 * time.Millisecond

// misfireGuard keeps Enter from resuming a conversation that an answer has put
// under the cursor at the moment when the key was pressed.
type misfireGuard struct {
	changes int // how often another conversation came under the cursor by itself
	seen    int // the latest of these changes that has been on the screen for seenAfter
}

// guardTick says that what came under the cursor with a change can have been
// seen.
type guardTick struct {
	guard  *misfireGuard
	change int
}

// changed counts a change of the current row that no key has asked for.
func (g *misfireGuard) changed() { g.changes++ }

// blocks reports whether the current row is too new to be acted upon.
func (g *misfireGuard) blocks() bool { return g.seen != g.changes }

// wait ends the guard once the current row can have been seen.
func (g *misfireGuard) wait() tea.Cmd {
	if !g.blocks() {
		return nil
	}
	change := g.changes
	return tea.Tick(seenAfter, func(time.Time) tea.Msg { return guardTick{g, change} })
}

// take takes the end of a wait.
func (g *misfireGuard) take(t guardTick) { g.seen = max(g.seen, t.change) }

// protect makes an action refuse the current row while the guard blocks it.
func (g *misfireGuard) protect(sh shell.Shell, do func() tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		if g.blocks() {
			return sh.Refuse("the list has just changed; press again")
		}
		return do()
	}
}
