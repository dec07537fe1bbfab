package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/help"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/program"
)

// paging shows the output of a command in the pager, if it is longer than the terminal.
type paging struct {
	off    bool // --no-pager
	pager  *program.Pager
	stderr io.Writer    // of the process
	notes  bytes.Buffer // for standard error, which the pager's screen would mix up
}

// paged shows what a command prints in the pager, where it prints to a terminal.
func (a *app) paged(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		a.beginPaging(cmd.Context())
		return run(cmd, words)
	}
	return cmd
}

// pageHelp shows the help of all commands in the pager, where it goes to a terminal.
func (a *app) pageHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		a.beginPaging(root.Context()) // cmd has no context in "help COMMAND"
		fmt.Fprint(cmd.OutOrStdout(), help.Text(cmd))
	})
}

// beginPaging makes the pager ready, where there is one and a terminal. Notes on standard error
// wait until the output has been read.
func (a *app) beginPaging(ctx context.Context) {
	line := program.PagerOf(a.Environ)
	width, height := output.TerminalSize(a.Stdout)
	if a.paging.off || line == "" || height == 0 || !a.out.ToTerminal() {
		return
	}
	a.paging.pager = &program.Pager{
		Terminal: a.Stdout, Errors: a.Stderr, Line: line, Environ: a.Environ, Width: width, Height: height, Hold: a.HoldInterrupts,
	}
	a.paging.pager.Begin(ctx)
	a.out.Reset(a.paging.pager)
	a.paging.stderr, a.Stderr = a.Stderr, &a.paging.notes
}

// printNoteAtOnce prints a note that is about waiting, before the pager has begun: it does not wait
// for the end of the pager, as others do.
func (a *app) printNoteAtOnce(f fault.Fault) {
	if a.paging.pager != nil {
		held := a.Stderr
		a.Stderr = a.paging.stderr
		defer func() { a.Stderr = held }()
	}
	a.printNote(f)
}

// flushBefore prints what a command has written so far. At most the given number of lines
// follow it, by which the pager knows whether it is needed.
func (a *app) flushBefore(lines int) error {
	err := a.out.Flush()
	if err == nil && a.paging.pager != nil {
		err = a.paging.pager.Ends(lines)
	}
	return err
}

// endPaging waits until the user has read and quit the pager.
func (a *app) endPaging() error {
	p := &a.paging
	if p.pager == nil {
		return nil
	}
	err := p.pager.Close()
	a.Stderr = p.stderr
	_, _ = a.Stderr.Write(p.notes.Bytes()) // an error of standard error cannot be reported anywhere
	return err
}
