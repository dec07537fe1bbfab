// Package fault holds errors in the form that users and scripts get: what
// failed, why, what to do about it, and the exit code of the process.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/remedy"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// Fault is an error with the words and the exit code of the command line.
type Fault struct {
	Kind    string // stable, for scripts
	Message string // "what: why", one line
	Remedy  string // what to do, in words, "" if there is nothing
	Command string // the line to type for it, "" if there is none
	Code    int    // exit code
	Err     error  // the cause, nil if there is none

	Candidates []answer.Candidate // of an ambiguous or unknown name: the sessions that it may mean
}

func (f *Fault) Error() string { return f.Message }
func (f *Fault) Unwrap() error { return f.Err }

// Ends of a run that print no error.
var (
	ErrCanceled = errors.New("cancelled")     // exit code 130
	ErrNothing  = errors.New("nothing found") // exit code 1; the output says it already
)

// ExitCode is the exit code of a child process that ran in place of this one,
// which exits with the same.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Usage reports a command line that cannot be understood: exit code 2.
func Usage(format string, args ...any) *Fault {
	return &Fault{Kind: "usage", Message: "usage: " + fmt.Sprintf(format, args...), Code: 2}
}

// OfNote returns a note of the store on the health of a database.
func OfNote(n model.HealthNote) Fault {
	return Fault{Kind: n.Kind, Message: n.Message, Remedy: n.Remedy.Text, Command: remedy.Command(n.Remedy)}
}

// Of turns any error into a fault: the fault that it wraps, else one of exit
// code 1 with the kind and the remedy of the store's error.
func Of(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	if e, ok := errors.AsType[*store.Error](err); ok {
		f := &Fault{Kind: e.Kind, Message: e.Error(), Remedy: e.Remedy.Text, Command: remedy.Command(e.Remedy), Code: 1, Err: err}
		if e.Kind == store.KindNotFound || e.Kind == store.KindAmbiguous {
			f.Message = e.Message // about a session, so the path of the file is left out
		}
		return f
	}
	if store.IsDiskFull(err) {
		return &Fault{Kind: store.KindDiskFull, Message: err.Error(), Remedy: "free some space, or write to another disk", Code: 1, Err: err}
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(p, os.ErrNotExist) {
		f := &Fault{Kind: "failed", Message: err.Error(), Remedy: "check the name of the file", Code: 1, Err: err}
		if _, err := os.Stat(filepath.Dir(p.Path)); errors.Is(err, os.ErrNotExist) {
			f.Remedy = "check the name of the folder, or make it"
		}
		return f
	}
	if errors.Is(err, os.ErrExist) {
		return &Fault{Kind: "exists", Message: err.Error(), Remedy: "choose another name", Code: 1, Err: err}
	}
	return &Fault{Kind: "failed", Message: err.Error(), Code: 1, Err: err}
}
