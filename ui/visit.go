package ui

import (
	"errors"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// visited says that another program has ended and the screen is ours again.
type visited struct {
	what string
	err  error
}

// visit gives the terminal to another program until it ends.
func (r *Root) visit(q shell.RunProgram) tea.Cmd {
	return handOver(q.Program(r.ctx, q.ID), func(err error) tea.Msg { return visited{q.Name, err} })
}

// landVisit tells what became of another program. Changes in the meantime are
// found as ever.
func (r *Root) landVisit(v visited) tea.Cmd {
	if v.err != nil {
		r.Fail(errors.New(v.what + ": " + v.err.Error()))
	}
	return func() tea.Msg { return tea.ResumeMsg{} }
}
