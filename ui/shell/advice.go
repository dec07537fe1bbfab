package shell

import (
	"context"
	"errors"
)

// Advice gives the cause of an error, without the path of the one database that is
// open, and the remedy, "" if there is none.
func Advice(err error) (cause, remedy string) {
	if e, ok := errors.AsType[interface {
		error
		Advice() (cause, remedy string)
	}](err); ok {
		return e.Advice()
	}
	if errors.Is(err, context.Canceled) {
		return "stopped", ""
	}
	return err.Error(), ""
}

// Reason gives cause and remedy of an error in one line.
func Reason(err error) string {
	cause, remedy := Advice(err)
	if remedy != "" {
		cause += " (" + remedy + ")"
	}
	return cause
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
