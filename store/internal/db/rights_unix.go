//go:build unix

package db

import "syscall"

// mayWrite asks for the right to write a file or into a folder.
func mayWrite(path string) error {
	const write = 2 // W_OK
	return syscall.Access(path, write)
}
