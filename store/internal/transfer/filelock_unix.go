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
