//go:build (!unix && !windows) || solaris || aix

package transfer

import (
	"os"
	"time"
)

// lockFile reports whether a file is free. Without locks, one that was written within a
// minute counts as that of another process.
func lockFile(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Size() == 0 || time.Since(info.ModTime()) > time.Minute) //nolint:forbidigo // the clock of the file system
}

// unlockFile has nothing to do without locks.
func unlockFile(*os.File) {}
