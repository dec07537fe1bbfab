package ui

import (
	"errors"

	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// visited says that another program has ended and given the terminal back.
type visited struct {
	what string
	err  error
}

// visit gives the terminal to another program until it ends.
func visit(sh shell.Shell, q shell.RunProgram) tea.Cmd {
	return handOver(q.Program(sh.Env().Context, q.ID), func(err error) tea.Msg { return visited{q.Name, err} })
}

// land reports an error of the other program, and has the screens read again
// what may have changed in the meantime.
func (v visited) land(sh shell.Shell) tea.Cmd {
	if v.err != nil {
		sh.Fail(errors.New(v.what + ": " + v.err.Error()))
	}
	return func() tea.Msg { return tea.ResumeMsg{} }
}
