package shell

import (
	"context"
	"errors"
)

// Reason gives cause and remedy of an error in one line, without the path of
// the one database that is open.
func Reason(err error) string {
	if e, ok := errors.AsType[interface {
		error
		Advice() (cause, remedy string)
	}](err); ok {
		cause, remedy := e.Advice()
		if remedy != "" {
			cause += " (" + remedy + ")"
		}
		return cause
	}
	if errors.Is(err, context.Canceled) {
		return "stopped"
	}
	return err.Error()
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
