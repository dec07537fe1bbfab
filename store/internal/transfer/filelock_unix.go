//go:build unix && !solaris && !aix

package transfer

import (
	"os"
	"syscall"
)

// lockFile locks a file for this process; false where another has it. The lock ends with
// the process, however that ends.
func lockFile(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// unlockFile gives the lock back before the file is closed. A program that is being started
// has the file open until it runs, and would keep the lock.
func unlockFile(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
