package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// fileRestore puts files back, part by part. A file that is there already stays
// as it is.
type fileRestore struct {
	dir      string
	root     *os.Root
	name     string
	file     *os.File
	modified time.Time
}

func (r *fileRestore) write(k *backedUpRow) error {
	if r.dir == "" {
		return nil
	}
	if r.root == nil {
		if err := os.MkdirAll(r.dir, 0o700); err != nil {
			return err
		}
		var err error
		if r.root, err = os.OpenRoot(r.dir); err != nil {
			return err
		}
	}
	if k.file != r.name {
		if err := r.finish(); err != nil {
			return err
		}
		r.name, r.modified = k.file, k.modified
		if strings.ContainsAny(k.file, `/\`) {
			return fmt.Errorf("%q is no name of a transcript file", k.file)
		}
		f, err := r.root.OpenFile(k.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(k.mode).Perm())
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err != nil {
			return err
		}
		r.file = f
	}
	if r.file == nil {
		return nil
	}
	_, err := r.file.Write(k.data)
	return err
}

func (r *fileRestore) finish() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return errors.Join(err, r.root.Chtimes(r.name, r.modified, r.modified))
}

func (r *fileRestore) close() error {
	err := r.finish()
	if r.root != nil {
		err = errors.Join(err, r.root.Close())
	}
	return err
}
