//go:build !unix

package db

import (
	"io/fs"
	"os"
)

// mayWrite checks the read-only attribute of a file. That of a folder does not forbid
// writing into it here.
func mayWrite(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o200 == 0 {
		err = fs.ErrPermission
	}
	return err
}

// mayRead returns no error: a file that was opened can be read.
func mayRead(string) error { return nil }
