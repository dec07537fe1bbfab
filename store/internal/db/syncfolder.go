package db

import "os"

// SyncFolder writes the names in a folder to disk, so that a crash of the machine does
// not undo a rename. Not every system and file system can; there the names are written
// when it sees fit.
func SyncFolder(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	_ = f.Sync()  // see above
	_ = f.Close() // nothing was written through it
}
