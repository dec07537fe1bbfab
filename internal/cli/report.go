package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
)

// report prints an error on standard error and returns the exit
// code of the process. Some ends print nothing: a canceled run (130), nothing
// found (1), a reader that closed the pipe (0), a child's own exit code.
func (a *app) report(err error) int {
	code, ended := errors.AsType[fault.ExitCode](err)
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return 0 // list | head is no failure
	case errors.Is(err, fault.ErrCanceled), errors.Is(err, context.Canceled):
		return 130
	case errors.Is(err, fault.ErrNothing):
		return 1
	case ended:
		return int(code)
	}
	f := fault.Of(err)
	if f.Kind == model.KindNotFound && a.noProfile != "" {
		f.Remedy, f.Command = a.noProfile, ""
	}
	a.log.Error("failed", "kind", f.Kind, "message", f.Message)
	a.printDiagnostic("error", f)
	return f.Code
}

// marking returns standard error for what has marks and bars.
func (a *app) marking() io.Writer {
	if a.Environ.Unicode() {
		return a.Stderr
	}
	return output.ASCII{Writer: a.Stderr}
}

// say prints a sentence for people on standard error.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.Stderr, format+"\n", args...)
	}
}

// printNote prints something worth knowing on standard error.
func (a *app) printNote(f fault.Fault) {
	if !a.quiet {
		a.printDiagnostic("note", &f)
	}
}

// printDiagnostic prints an "error" or a "note" on standard error: one line of text, with
// the command that helps on a line of its own, or one line of JSON with --json.
func (a *app) printDiagnostic(severity string, f *fault.Fault) {
	message := shortened(f.Message)
	remedy := shortened(f.Remedy)
	command := f.Command
	if f.Kind != "usage" { // which shows how a command is written
		command = a.selection.Command(command)
	}
	command = shortened(command)
	// When the flags could not be parsed, a.json is not set yet.
	if a.json || slices.Contains(a.Args, "--json") {
		enc := json.NewEncoder(output.Escaping(a.Stderr))
		enc.SetEscapeHTML(false)
		// An error of standard error cannot be reported anywhere.
		_ = enc.Encode(map[string]answer.Problem{severity: {
			Finding: answer.Finding{Kind: f.Kind, Message: message, Remedy: remedy, Command: command}, Candidates: f.Candidates,
		}})
		return
	}
	line := "hermes-sessions: "
	if severity != "error" {
		line += severity + ": "
	}
	line += output.Clean(message)
	if remedy != "" {
		line += " (" + output.Clean(remedy) + ")"
	}
	if command != "" {
		line += "\n  " + output.Clean(command)
	}
	fmt.Fprintln(a.Stderr, line)
}

// maxDiagnostic is how many bytes of a message are printed. Longer ones repeat a huge
// argument.
const maxDiagnostic = 1000

// shortened cuts the middle out of a long message, which says at its end what is wrong.
func shortened(text string) string {
	if len(text) <= maxDiagnostic {
		return text
	}
	text = text[:maxDiagnostic*2/3] + " … " + text[len(text)-maxDiagnostic/3:]
	return strings.ToValidUTF8(text, "")
}

// printPartial says what a change that was stopped has done so far, and returns
// the error as it is.
func (a *app) printPartial(err error) error {
	if err == nil {
		return nil
	}
	if f := fault.Of(err); f.Kind == model.KindIncompleteWrite {
		fmt.Fprintln(a.Stderr, "hermes-sessions: "+output.Clean(f.Message))
	}
	return err
}

// printCanceled is printPartial for an error that [app.report] prints unless the run was
// canceled.
func (a *app) printCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return a.printPartial(err)
	}
	return err
}
