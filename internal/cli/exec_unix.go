//go:build !windows

package cli

import (
	"context"
	"syscall"
)

// replaceProcess makes this process the program, so that signals, the
// terminal and the exit code are Hermes's own. It returns only on failure.
func replaceProcess(_ context.Context, r launch, _ Process) error {
	return syscall.Exec(r.path, r.argv, r.environ)
}
