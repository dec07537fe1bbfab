package cli

import (
	"context"
	"errors"
	"os/exec"
)

// replaceProcess runs the program as a child and ends as it does: Windows can
// not replace a process. The console sends Ctrl+C to the child as well, so
// that the context must not kill it.
func replaceProcess(ctx context.Context, r launch, p Process) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), r.path, r.argv[1:]...)
	cmd.Env = r.environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exitCode(exit.ExitCode())
	}
	return err
}
