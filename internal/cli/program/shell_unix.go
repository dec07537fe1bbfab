//go:build !windows

package program

import (
	"context"
	"os/exec"
	"syscall"
)

// userShell returns a call of a command line with arguments.
func userShell(ctx context.Context, line string, args []string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", append([]string{"-c", line, "sh"}, args...)...)
}

// alone takes the terminal from a command, which could open it by name, and makes canceling end
// all that the command has started; ended is called when it has ended.
func alone(cmd *exec.Cmd) (ended func()) {
	canceled := false
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		canceled = true
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	}
	return func() {
		if canceled {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it fails where nothing is left
		}
	}
}
