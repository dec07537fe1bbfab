//go:build linux || darwin

package upkeep

import "syscall"

// freeSpace returns the free bytes on the disk of a folder, -1 where they are not known.
func freeSpace(folder string) int64 {
	var st syscall.Statfs_t
	if err := syscall.Statfs(folder, &st); err != nil {
		return -1
	}
	return int64(st.Bavail) * int64(st.Bsize) //nolint:unconvert // the types differ by system
}
