package cli

import (
	"context"
	"errors"
	"io"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// child is Hermes as a child process, after which the browser goes on.
type child struct {
	app     *app
	ctx     context.Context
	screen  terminal
	command hermesCommand
	folder  string // that the conversation was in
}

// childOf makes Hermes a child process of the browser on a terminal.
func (a *app) childOf(ctx context.Context, at place, t terminal, r resumption) func(model.Session, bool) tea.ExecCommand {
	return func(tip model.Session, tui bool) tea.ExecCommand {
		r := r
		r.tui = r.tui || tui
		return &child{app: a, ctx: ctx, screen: t, command: a.hermesCommand(at, tip.ID, r), folder: tip.CWD}
	}
}

// Run runs Hermes on our terminal until it ends. Interrupts are its own: they
// reach all processes of a terminal.
func (c *child) Run() error {
	l, err := c.app.prepare(c.ctx, c.command, c.folder)
	if err != nil {
		return err
	}
	if c.app.HoldInterrupts != nil {
		defer c.app.HoldInterrupts()()
	}
	cmd := exec.CommandContext(context.WithoutCancel(c.ctx), l.path)
	cmd.Args, cmd.Env, cmd.Dir = l.argv, l.environ, l.folder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.screen.in, c.screen.out, c.app.Stderr
	c.app.log.Info("resume and return", "program", l.path)
	err = cmd.Run()
	if exit, ended := errors.AsType[*exec.ExitError](err); ended {
		return errors.New(exit.String()) // "exit status 2", or the signal
	}
	if err != nil {
		return notStarted(l.path, err)
	}
	return nil
}

// The streams are those of the process, not those of the screen.
func (c *child) SetStdin(io.Reader)  {}
func (c *child) SetStdout(io.Writer) {}
func (c *child) SetStderr(io.Writer) {}
