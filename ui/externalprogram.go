package ui

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/shell"
)

// programEnded says that another program has ended and given the terminal back.
type programEnded struct {
	what string
	err  error
}

// runProgram returns the terminal to another program, such as the pager, until it
// ends.
func runProgram(sh shell.Shell, q shell.RunProgram) tea.Cmd {
	return handOver(q.Program(sh.Env().Context, q.ID), func(err error) tea.Msg { return programEnded{q.Name, err} })
}

// report shows an error of the other program, and makes the screens read their
// data again, which may have changed in the meantime.
func (p programEnded) report(sh shell.Shell) tea.Cmd {
	if p.err != nil {
		sh.Fail(errors.New(p.what + ": " + p.err.Error()))
	}
	return func() tea.Msg { return tea.ResumeMsg{} }
}

// handOver returns the screen to another program until it ends.
func handOver(to tea.ExecCommand, then func(error) tea.Msg) tea.Cmd {
	return unfollowBackground(tea.Exec(slowExec{to}, then))
}

// slowExec is a program that keeps the screen for a moment even where it ends
// at once. Bubble Tea stops its renderer in the background. A renderer that is
// started again before it has stopped stays stopped: nothing would ever be drawn
// again.
type slowExec struct{ tea.ExecCommand }

// leastTime is how long such a program keeps the screen, at the least.
const leastTime = 100 * time.Millisecond

func (e slowExec) Run() error {
	least := time.NewTimer(leastTime)
	err := e.ExecCommand.Run()
	<-least.C
	return err
}
