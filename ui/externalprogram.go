package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/shell"
)

// programEnded says that another program has ended and given the terminal back.
type programEnded struct {
	what   string
	err    error
	reload bool // it may have changed what the screens show
}

// runProgram returns the terminal to another program, such as the pager, until it
// ends.
func runProgram(sh shell.Shell, q shell.RunProgram) tea.Cmd {
	return handOver(q.Program(sh.Env().Context, q.ID), func(err error) tea.Msg { return programEnded{q.Name, err, false} })
}

// runCommand runs a command of the user's own: on the terminal, in a box that shows its output,
// or after the browser.
func (r *Root) runCommand(q shell.RunCommand) tea.Cmd {
	name, run := q.Command.Words(), r.env.Outside.Command
	switch q.Command.Then {
	case shell.ThenLeave:
		return r.finish(Outcome{Command: &q})
	case shell.ThenShow:
		ctx, stop := context.WithCancel(r.env.Context)
		box := dialog.NewOutput(r, name, stop)
		return tea.Batch(r.Open(box), func() tea.Msg {
			defer stop()
			return box.Ended(run(ctx, q, box.Writer()).Run())
		})
	}
	return handOver(run(r.env.Context, q, nil), func(err error) tea.Msg {
		return programEnded{name, err, q.Command.Then == shell.ThenReload}
	})
}

// report shows an error of the other program, and makes the screens read their
// data again, which may have changed in the meantime.
func (p programEnded) report(r *Root) tea.Cmd {
	if p.err != nil {
		r.Fail(errors.New(p.what + ": " + p.err.Error()))
	}
	again := func() tea.Msg { return tea.ResumeMsg{} }
	if p.reload {
		return tea.Batch(again, r.refreshAll())
	}
	return again
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
