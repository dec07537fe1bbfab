//go:build !windows

package cli

import (
	"context"
	"syscall"
)

// replaceProcess makes this process the program, so that signals, the
// terminal and the exit code are Hermes's own. It returns only on failure.
func replaceProcess(_ context.Context, path string, argv, environ []string, _ Process) error {
	return syscall.Exec(path, argv, environ)
}
