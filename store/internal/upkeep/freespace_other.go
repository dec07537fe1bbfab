//go:build !linux && !darwin

package upkeep

// freeSpace returns the free bytes on the disk of a folder, -1 where they are not known.
func freeSpace(string) int64 { return -1 }
