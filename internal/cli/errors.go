package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"hermes-sessions/store"
)

// fault is an error as people and scripts get it: what, why, and what to do.
type fault struct {
	kind    string // stable, for scripts
	message string // "what: why", one line
	remedy  string // the exact thing to do, "" if there is none
	code    int    // exit code
	err     error  // the cause
}

func (f *fault) Error() string { return f.message }
func (f *fault) Unwrap() error { return f.err }

// Ends of a run that need no words.
var (
	errCancelled = errors.New("cancelled")
	errNothing   = errors.New("nothing found") // already said, or plain from the output
)

// exitCode is the end of a child process that ran in our place.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usage is a command line that can not be understood.
func usage(format string, args ...any) *fault {
	return &fault{kind: "usage", message: "usage: " + fmt.Sprintf(format, args...), code: 2}
}

// explain turns any error into a fault.
func explain(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	if e, ok := errors.AsType[*store.Error](err); ok {
		f := &fault{kind: e.Kind, message: e.Error(), remedy: e.Remedy, code: 1, err: err}
		if e.Kind == store.KindNotFound || e.Kind == store.KindAmbiguous {
			f.message = e.Message // about a session, not about the file
		}
		return f
	}
	if store.IsDiskFull(err) {
		return &fault{kind: store.KindDiskFull, message: err.Error(), remedy: "free some space, or write to another disk", code: 1, err: err}
	}
	return &fault{kind: "failed", message: err.Error(), code: 1, err: err}
}

// report says on standard error what went wrong, in one line, and gives the
// exit code.
func (a *app) report(err error) int {
	switch code, ended := errors.AsType[exitCode](err); {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return 0 // a reader that has enough is no failure
	case errors.Is(err, errCancelled), errors.Is(err, context.Canceled):
		return 130
	case errors.Is(err, errNothing):
		return 1
	case ended:
		return int(code)
	}
	f := explain(err)
	a.log.Error("failed", "kind", f.kind, "message", f.message)
	a.tell("error", f.kind, f.message, f.remedy)
	return f.code
}

// tell says something on standard error, in one line: an error, or a note.
func (a *app) tell(what, kind, message, remedy string) {
	// A command line that was not understood may have asked for JSON as well.
	if a.json || slices.Contains(a.Args, "--json") {
		type body struct {
			Kind    string `json:"kind"`
			Message string `json:"message"`
			Remedy  string `json:"remedy"`
		}
		enc := json.NewEncoder(harmless{a.Stderr})
		enc.SetEscapeHTML(false)
		// There is nobody left to tell when this fails.
		_ = enc.Encode(map[string]body{what: {kind, message, remedy}})
		return
	}
	line := "hermes-sessions: "
	if what != "error" {
		line += what + ": "
	}
	line += clean(message)
	if remedy != "" {
		line += " (" + clean(remedy) + ")"
	}
	fmt.Fprintln(a.Stderr, line)
}
