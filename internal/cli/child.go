package cli

import (
	"context"
	"io"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/terminal"
	"hermes-sessions/model"
)

// childProcess runs Hermes below the browser, which goes on when Hermes ends. It
// implements tea.ExecCommand.
type childProcess struct {
	app     *app
	ctx     context.Context
	screen  terminal.Terminal
	command hermes.Command
	folder  string // of the conversation
}

// resumeAndReturn returns the function that the browser calls for "resume and
// come back": it makes the command for a session.
func (a *app) resumeAndReturn(ctx context.Context, s history, t terminal.Terminal, r resumption) func(model.Session, bool) tea.ExecCommand {
	return func(tip model.Session, tui bool) tea.ExecCommand {
		r := r
		r.hermes.TUI = r.hermes.TUI || tui
		_, at, local := s.of(tip.ID)
		return &childProcess{app: a, ctx: ctx, screen: t, command: a.hermesCommand(at, local, r), folder: tip.CWD}
	}
}

// Run runs Hermes on the browser's terminal until it ends. Interrupts belong to
// Hermes meanwhile: a terminal sends them to all of its processes.
func (c *childProcess) Run() error {
	a := c.app
	l, err := hermes.Prepare(c.ctx, c.command, c.folder, a.Environ, a.log)
	if err != nil {
		return err
	}
	if a.HoldInterrupts != nil {
		defer a.HoldInterrupts()()
	}
	a.log.Info("resume and return", "program", l.Path)
	return l.Run(c.ctx, hermes.Streams{In: c.screen.In, Out: c.screen.Out, Err: a.Stderr})
}

// Bubble Tea offers its own streams, which are ignored: Hermes gets the streams
// of the process.
func (c *childProcess) SetStdin(io.Reader)  {}
func (c *childProcess) SetStdout(io.Writer) {}
func (c *childProcess) SetStderr(io.Writer) {}
