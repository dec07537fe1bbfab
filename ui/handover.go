package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// handOver gives the screen to another program until it ends.
func handOver(to tea.ExecCommand, then func(error) tea.Msg) tea.Cmd {
	return tea.Exec(unhurried{to}, then)
}

// unhurried is a program that keeps the screen for a moment even where it ends
// at once. Bubble Tea stops its drawing beside what goes on, and should it be
// begun anew before that is done, it stays stopped: nothing would ever be drawn
// again.
type unhurried struct{ tea.ExecCommand }

// leastVisit is that moment.
const leastVisit = 100 * time.Millisecond

func (u unhurried) Run() error {
	moment := time.NewTimer(leastVisit)
	err := u.ExecCommand.Run()
	<-moment.C
	return err
}
