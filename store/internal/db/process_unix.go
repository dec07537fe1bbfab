//go:build unix

package db

import (
	"errors"
	"syscall"
)

// processExists reports whether there is a process with this id on this machine, be it of
// another user.
func processExists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
