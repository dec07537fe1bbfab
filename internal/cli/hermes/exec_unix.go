//go:build !windows

package hermes

import (
	"context"
	"syscall"
)

// replace makes this process the program, so that signals, the terminal and the
// exit code are Hermes's own. It returns only on failure.
func (l Launch) replace(context.Context, Streams) error {
	return syscall.Exec(l.Path, l.argv, l.environ)
}
