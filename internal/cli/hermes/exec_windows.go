package hermes

import (
	"context"
	"errors"
	"os/exec"

	"hermes-sessions/internal/cli/fault"
)

// replace runs the program as a child and returns its exit code: Windows cannot
// replace a process. The console sends Ctrl+C to the child as well, so a canceled
// context must not kill it.
func (l Launch) replace(ctx context.Context, s Streams) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), l.Path, l.argv[1:]...)
	cmd.Env = l.environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.In, s.Out, s.Err
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fault.ExitCode(exit.ExitCode())
	}
	return err
}
