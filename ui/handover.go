package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// handOver gives the screen to another program until it ends.
func handOver(to tea.ExecCommand, then func(error) tea.Msg) tea.Cmd {
	return tea.Exec(slowExec{to}, then)
}

// slowExec is a program that keeps the screen for a moment even where it ends
// at once. Bubble Tea stops its renderer in the background. A renderer that is
// started again before it has stopped stays stopped: nothing would ever be drawn
// again.
type slowExec struct{ tea.ExecCommand }

// leastTime is how long such a program keeps the screen, at the least.
const leastTime = 100 * time.Millisecond

func (u slowExec) Run() error {
	moment := time.NewTimer(leastTime)
	err := u.ExecCommand.Run()
	<-moment.C
	return err
}
