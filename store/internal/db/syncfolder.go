package db

import "os"

// SyncFolder writes the names in a folder to disk, so that a crash of the machine does
// not undo a rename. Where the system or the file system cannot do that, it does nothing.
func SyncFolder(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	_ = f.Sync()  // not every file system can
	_ = f.Close() // nothing was written through it
}
