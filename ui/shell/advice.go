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
