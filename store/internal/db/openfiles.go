package db

import (
	"os"
	"sync"
)

// openFiles are the database files that this process has open, each as often as it is open.
// Closing one that was opened without SQLite would drop the locks that SQLite has on it (POSIX
// advisory locks belong to the process), and another program could write over what is being
// read or changed here.
var openFiles = struct {
	sync.Mutex
	bySQLite, byOthers map[*os.FileInfo]bool
	changed            *sync.Cond // byOthers
}{bySQLite: map[*os.FileInfo]bool{}, byOthers: map[*os.FileInfo]bool{}}

func init() { openFiles.changed = sync.NewCond(&openFiles) }

// openedBySQLite says that SQLite opens the file at a path next, until closed is called.
func openedBySQLite(path string) (closed func()) {
	info, err := os.Stat(path)
	if err != nil {
		return func() {} // SQLite cannot open it either
	}
	openFiles.Lock()
	defer openFiles.Unlock()
	for isAmong(openFiles.byOthers, info) {
		openFiles.changed.Wait()
	}
	openFiles.bySQLite[&info] = true
	return func() {
		openFiles.Lock()
		defer openFiles.Unlock()
		delete(openFiles.bySQLite, &info)
	}
}

// withoutSQLite calls read, which opens the file at a path and closes it again. While SQLite
// has the file open in this process it does not, and returns false.
func withoutSQLite(path string, read func()) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	openFiles.Lock()
	if isAmong(openFiles.bySQLite, info) {
		openFiles.Unlock()
		return false
	}
	openFiles.byOthers[&info] = true
	openFiles.Unlock()
	defer func() {
		openFiles.Lock()
		defer openFiles.Unlock()
		delete(openFiles.byOthers, &info)
		openFiles.changed.Broadcast()
	}()
	read()
	return true
}

func isAmong(files map[*os.FileInfo]bool, info os.FileInfo) bool {
	for f := range files {
		if os.SameFile(*f, info) {
			return true
		}
	}
	return false
}
