// Package fault holds errors in the form that users and scripts get: what
// failed, why, what to do about it, and the exit code of the process. A panic of the
// browser becomes one (crash.go), and nearest.go finds the word that a mistyped one meant.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/model"
	"hermes-sessions/store"
	"hermes-sessions/ui/kit"
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
	ErrCanceled = errors.New("canceled")      // exit code 130
	ErrNothing  = errors.New("nothing found") // exit code 1; the output says it already
)

// NothingFound returns [ErrNothing] for a count of 0.
func NothingFound(n int) error {
	if n == 0 {
		return ErrNothing
	}
	return nil
}

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
	return Fault{Kind: n.Kind, Message: n.Message, Remedy: n.Remedy.Text, Command: kit.RemedyCommand(n.Remedy)}
}

// Of turns any error into a fault: the fault that it wraps, else one of exit
// code 1 with the kind and the remedy of the store's error.
func Of(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	if e, ok := errors.AsType[*model.Error](err); ok {
		f := &Fault{Kind: e.Kind, Message: e.Error(), Remedy: e.Remedy.Text, Command: kit.RemedyCommand(e.Remedy), Code: 1, Err: err}
		if e.Kind == model.KindNotFound || e.Kind == model.KindAmbiguous {
			f.Message = e.Message // about a session, so the path of the file is left out
		}
		return f
	}
	if store.IsDiskFull(err) {
		return &Fault{Kind: model.KindDiskFull, Message: errorText(err), Remedy: "free some space, or write to another disk", Code: 1, Err: err}
	}
	f := &Fault{Kind: "failed", Message: errorText(err), Code: 1, Err: err}
	p, ok := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, os.ErrNotExist):
		f.Remedy = "check the name of the file"
		if ok {
			if _, err := os.Stat(filepath.Dir(p.Path)); errors.Is(err, os.ErrNotExist) {
				f.Remedy = "check the name of the folder, or create it"
			}
		}
	case errors.Is(err, os.ErrExist):
		f.Kind, f.Remedy = "exists", "choose another name"
	case errors.Is(err, os.ErrPermission):
		f.Remedy = "check the permissions of the file and its folder"
	case errors.Is(err, syscall.ENAMETOOLONG):
		f.Remedy = "choose a shorter name"
	case errors.Is(err, syscall.EISDIR):
		f.Remedy = "name a file in it"
	case errors.Is(err, syscall.ENOTDIR):
		f.Remedy = "check the name of the folder"
	}
	return f
}

// errorText returns the text of an error without the name of the call that failed on a file, as
// in "a.jsonl: no such file or directory".
func errorText(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return strings.Replace(err.Error(), p.Error(), p.Path+": "+p.Err.Error(), 1)
	}
	return err.Error()
}
