package transfer

import (
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file for this process; false where another has it. The lock ends with
// the process, however that ends. It covers a byte far beyond the end of the file: Windows
// keeps other processes from reading locked bytes.
func lockFile(f *os.File) bool {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, lockedByte()) == nil
}

// unlockFile gives the lock back before the file is closed: the system may take its time.
func unlockFile(f *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedByte()) // it ends with the file too
}

func lockedByte() *windows.Overlapped {
	return &windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
}
