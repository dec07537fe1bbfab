package db

import (
	"errors"
	"syscall"
)

// processExists reports whether there is a process with this id on this machine, be it of
// another user. One that has ended exists as long as a program keeps a handle of it.
func processExists(pid int) bool {
	const queryLimitedInformation = 0x1000
	const noSuchProcess = syscall.Errno(87) // ERROR_INVALID_PARAMETER
	h, err := syscall.OpenProcess(queryLimitedInformation, false, uint32(pid))
	if err != nil {
		return !errors.Is(err, noSuchProcess)
	}
	defer syscall.CloseHandle(h) //nolint:errcheck // nothing was written
	var code uint32
	const stillActive = 259
	return syscall.GetExitCodeProcess(h, &code) != nil || code == stillActive
}
