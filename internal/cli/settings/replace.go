package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes a file whole or not at all. Only the user may read it, unless keep says
// that the permissions of the one that is there stay. A file that may not be
// written is left as it is.
func replaceFile(file string, text []byte, keep bool) error {
	folder, mode := filepath.Dir(file), fs.FileMode(0o600)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	switch info, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", file)
	case info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("%s is read-only", file)
	case keep:
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(folder, filepath.Base(file)+"-*.tmp") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if changed := os.Chmod(f.Name(), mode); err == nil && mode != 0o600 {
		err = changed
	}
	if synced := f.Sync(); err == nil {
		err = synced
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to return
	}
	return err
}
