//go:build unix

package db

import (
	"strconv"
	"syscall"
)

// FileID tells the file that is open from another one that is put in its place; "" where
// the system has no such thing.
func (d *DB) FileID() string {
	if d.file == nil {
		return ""
	}
	st, ok := d.file.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(uint64(st.Ino), 10) //nolint:unconvert // it is of another type elsewhere
}
