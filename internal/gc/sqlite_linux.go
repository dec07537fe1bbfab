package gc

import (
	"sync"
	_ "unsafe" // for go:linkname

	_ "modernc.org/libc" // has both variables
	"modernc.org/memory"
)

// sqliteMemory is where SQLite's memory comes from. It keeps what was freed, 6 MB at a million
// messages, and the package that has it exports nothing that gives that back.
//
//go:linkname sqliteMemory modernc.org/libc.allocator
var sqliteMemory memory.Allocator

//go:linkname sqliteLock modernc.org/libc.allocatorMu
var sqliteLock sync.Mutex

// freeSQLiteMemory gives the system back what SQLite has freed.
func freeSQLiteMemory() {
	sqliteLock.Lock()
	defer sqliteLock.Unlock()
	_ = sqliteMemory.Trim() // what cannot be given back stays
}
