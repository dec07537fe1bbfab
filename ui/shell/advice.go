package shell

import (
	"context"
	"errors"

	"hermes-sessions/model"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
)

// Advice returns the cause of an error, without the path of the one database that is
// open, and what helps, both safe to draw.
func Advice(err error) (cause string, remedy kit.Remedy) {
	if e, ok := errors.AsType[interface {
		error
		Advice() (cause string, remedy model.Remedy)
	}](err); ok {
		cause, remedy := e.Advice()
		return kit.CleanLine(cause), kit.NewRemedy(remedy)
	}
	if errors.Is(err, context.Canceled) {
		return "stopped", kit.Remedy{}
	}
	return kit.CleanLine(err.Error()), kit.Remedy{}
}

// Reason returns the cause of an error and the words that help in one line. The command that
// helps is left out: [Explain] shows it.
func Reason(err error) string {
	cause, remedy := Advice(err)
	return remedy.After(cause)
}

// Explain returns the cause of an error and what helps in lines of at most w columns, the
// command on a line of its own.
func Explain(measure cells.Method, err error, w int) []string {
	cause, remedy := Advice(err)
	return append(measure.Wrap(remedy.After(cause), w), remedy.CommandLines(measure, w)...)
}

// FileLost reports whether an error says that the file of the database is not there or is
// no database now: what is on the screen stays until it is back.
func FileLost(err error) bool {
	_, lost := errors.AsType[interface {
		error
		FileLost()
	}](err)
	return lost
}
