// Package program runs other programs for the browser and the commands: the pager, the
// editor and Hermes on their terminal, and tmux for its windows and its clipboard.
package program

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"hermes-sessions/internal/cli/env"
)

// shellCommand returns a call of a command line, which may have arguments or be one of the
// shell, with further arguments. When ctx is canceled, it is asked to end.
func shellCommand(ctx context.Context, line string, environ env.Vars, args ...string) *exec.Cmd {
	var cmd *exec.Cmd
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(line), args...)
		cmd = exec.CommandContext(ctx, words[0], words[1:]...)
	} else {
		cmd = exec.CommandContext(ctx, "sh", append([]string{"-c", line + ` "$@"`, "sh"}, args...)...)
	}
	cmd.Cancel = func() error { return end(cmd.Process) } // it can put the terminal back
	cmd.WaitDelay = waitDelay
	cmd.Env = environ
	return cmd
}

// waitDelay is how long a program that is to end may take.
const waitDelay = 2 * time.Second

// end asks a program to end.
func end(p *os.Process) error {
	if runtime.GOOS == "windows" {
		return p.Kill()
	}
	return p.Signal(syscall.SIGTERM)
}
