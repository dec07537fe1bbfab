//go:build unix

package store

import "syscall"

func fifo(path string) error { return syscall.Mkfifo(path, 0o600) }
