package db

import (
	"errors"
)

// IsInUse reports whether an error says that another process is writing.
func IsInUse(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == KindInUse
}
