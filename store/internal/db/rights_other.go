//go:build !unix

package db

import (
	"io/fs"
	"os"
)

// mayWrite tells what the read-only mark of a file tells. That of a folder
// means nothing here.
func mayWrite(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o200 == 0 {
		err = fs.ErrPermission
	}
	return err
}
