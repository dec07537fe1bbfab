package program

import (
	"context"
	"os/exec"
	"syscall"
)

// userShell returns a call of a command line. Variables between exclamation marks are replaced
// when cmd has read the line, so that nothing in them is read as a part of it.
func userShell(ctx context.Context, line string, _ []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /d /v:on /s /c "` + line + `"`}
	return cmd
}

// alone takes the console from a command; ended is called when it has ended.
func alone(cmd *exec.Cmd) (ended func()) {
	const createNoWindow = 0x08000000
	cmd.SysProcAttr.CreationFlags = createNoWindow
	return func() {}
}
