//go:build !windows

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// The terminal of this process, by name.
const (
	inputName  = "/dev/tty"
	outputName = "/dev/tty"
)

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
