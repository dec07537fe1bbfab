// Package cli is the command line of the program.
//
// A command goes this way from its arguments to the exit code:
//
//	main            Run(ctx, Process)       arguments, environment, streams, clock
//	root.go         cobra finds the command and parses the flags
//	NAME.go         the command: list.go, search.go, delete.go … one file each
//	hermes          Locate chooses the database file from flags and environment
//	open.go         opens the store; a command reads, or changes after confirm.go asked
//	output          the command prints text or JSON into a buffer
//	report.go       an error becomes one line on standard error and the exit code
//
// Without a command, browse.go runs the full-screen browser (package ui) and carries
// out the choice made in it; resume.go replaces the process with Hermes. Around the
// browser: pick.go prints ids instead of resuming, plain.go replaces the browser
// where there is no screen, outside.go exports and has package program run Hermes, the
// pager, the editor and commands of the user's own below it, tmux.go its windows and panes, remember.go keeps its state,
// paging.go shows long output in the pager. several.go is for several databases at once.
//
// history.go is what is open, one database or several as one, and listed.go what lists need of it;
// sessionname.go finds the sessions that words name. The other nouns are packages below this one:
//
//	answer   what is printed with --json: the contract
//	print    the answers of the commands, as text and as the objects of answer
//	output   standard output, JSON, words for times and numbers; the terminal, the meter
//	state    files for the user: settings, the last run, notes, how far conversations were read
//	hermes   where Hermes's home, database and program are, how it is started, hermes browse
//	program  the pager, the editor and Hermes on their terminal, tmux, the clipboard
//	export   conversations as documents, with inert HTML, and the file of an export
//	help     help and examples, and what a shell offers for a word
//	plain    the browser in lines
//	fault    errors with kind, remedy and exit code; the word that was meant; a crash
//	env      environment variables and the folders they name
//
// Commands return errors and never exit the process. An error for users is a
// [fault.Fault]: what failed, why, and what to do.
package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"hermes-sessions/internal/buildinfo"
	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/help"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/ui/shell"
)

// Process is what the command line needs of the process it runs in.
type Process struct {
	Name    string   // as the program was called
	Args    []string // without the name of the program
	Environ env.Vars
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Now     func() time.Time
	// Keys returns the key map of a preset with the user's own keys. With
	// enterLF, Enter may arrive as a line feed; commands are the rows of the user's own.
	Keys  func(preset string, enterLF bool, own shell.Overrides, commands []shell.Binding) (shell.Keys, error)
	Build buildinfo.Info
	// HoldInterrupts keeps an interrupt from canceling the run until release is
	// called; nil where interrupts are not handled.
	HoldInterrupts func() (release func())
}

// Run runs a command line and returns the exit code: 0 done, 1 failed or nothing
// found, 2 usage, 130 canceled. When ctx is canceled it restores the screen,
// closes the database and returns. On Unix a resume replaces the process, so Run
// does not return from it.
func Run(ctx context.Context, p Process) int {
	a := &app{Process: p, out: output.NewWriter(p.Stdout, p.Environ), log: slog.New(slog.DiscardHandler)}
	root := rootCommand(a) //nolint:contextcheck // a command gets the context when it runs
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(a.out)
	help.AddCompletion(root, p.Args)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if unwritten := a.out.Flush(); err == nil || errors.Is(err, fault.ErrNothing) {
		err = cmp.Or(unwritten, err) // that nothing was found is part of the output
	}
	err = cmp.Or(err, a.endPaging())
	if ctx.Err() != nil && err != nil {
		err = fault.ErrCanceled
	}
	code := a.report(err)
	a.log.Info("done", "code", code)
	if a.logFile != nil {
		_ = a.logFile.Close() // the log itself is where this would be reported
	}
	return code
}

// app is one run: the process, and the flags that every command has.
type app struct {
	Process
	out     *output.Writer // standard output
	log     *slog.Logger   // never holds message text or titles
	logFile *os.File       // of --debug, nil without

	selection  hermes.Selection // --db, --home, --profile, --demo
	debug      string           // --debug
	json       bool             // --json
	quiet      bool             // --quiet
	readOnly   bool             // --read-only
	noColor    bool             // --no-color
	full       bool             // --full: system prompts in JSON
	lines      bool             // at the plain prompt, where nothing moves the cursor
	configFile string           // --config
	noProfile  string           // says that a profile named by PROFILE/ID does not exist
	settings   state.Settings
	paging     paging
}
