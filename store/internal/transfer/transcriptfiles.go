package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// fileRestore writes transcript files from the lines of a backup, chunk by chunk. A
// file that exists already stays as it is.
type fileRestore struct {
	dir      string   // of transcripts; "" writes nothing
	root     *os.Root // dir, opened with the first file
	name     string   // of the file that is being written
	file     *os.File // nil where it existed already
	modified time.Time
}

// write writes one line of a backup: a chunk of a file, in order.
func (r *fileRestore) write(l *backupLine) error {
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
	if l.file != r.name {
		if err := r.finish(); err != nil {
			return err
		}
		r.name, r.modified = l.file, l.modified
		if strings.ContainsAny(l.file, `/\`) {
			return fmt.Errorf("%q is not the name of a transcript file", l.file)
		}
		f, err := r.root.OpenFile(l.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(l.mode).Perm())
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
	_, err := r.file.Write(l.data)
	return err
}

// finish closes the current file and sets its time.
func (r *fileRestore) finish() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return errors.Join(err, r.root.Chtimes(r.name, r.modified, r.modified))
}

// close finishes the last file.
func (r *fileRestore) close() error {
	err := r.finish()
	if r.root != nil {
		err = errors.Join(err, r.root.Close())
	}
	return err
}
