package gc

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"modernc.org/libc"
)

// What SQLite has freed goes back to the system, and what it has not freed stays.
func TestFreedMemoryOfSQLiteIsGivenBack(t *testing.T) {
	tls := libc.NewTLS()
	defer tls.Close()
	mapped := func(p uintptr) bool {
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip(err)
		}
		for line := range strings.Lines(string(maps)) {
			var from, to uintptr
			if fmt.Sscanf(line, "%x-%x", &from, &to); from <= p && p < to {
				return true
			}
		}
		return false
	}
	freed, kept := libc.Xmalloc(tls, 1<<20), libc.Xmalloc(tls, 100)
	defer libc.Xfree(tls, kept)
	libc.Xfree(tls, freed)
	freeSQLiteMemory()
	if mapped(freed) || !mapped(kept) {
		t.Errorf("freed memory is mapped: %v, kept memory: %v", mapped(freed), mapped(kept))
	}
}
