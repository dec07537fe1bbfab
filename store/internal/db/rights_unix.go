//go:build unix

package db

import "syscall"

// mayWrite asks for the right to write a file or into a folder.
func mayWrite(path string) error {
	const write = 2 // W_OK
	return syscall.Access(path, write)
}

// mayRead asks for the right to read a file.
func mayRead(path string) error {
	const read = 4 // R_OK
	return syscall.Access(path, read)
}
