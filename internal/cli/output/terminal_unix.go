//go:build !windows

package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// The terminal of this process, by name.
const (
	inputName  = "/dev/tty"
	outputName = "/dev/tty"
)

// HasShell reports whether a shell controls the jobs of the terminal: it can continue the program
// after it has been suspended. In the group of the session's leader, as in a window of tmux that
// runs the program itself, the program would wait for that forever.
func HasShell() bool {
	session, err := unix.Getsid(0)
	return err == nil && session != unix.Getpgrp()
}

// Unread reports whether a stream has lost its reader: the program at the other end of a pipe
// has ended, or the terminal is gone. A write would fail too, but may come much later.
func Unread(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}} //nolint:gosec // a file descriptor is small
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
