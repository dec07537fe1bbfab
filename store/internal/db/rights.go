package db

import (
	"errors"
	"hermes-sessions/model"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// fileRights caches whether the system allows this process to write the file, so that
// screens can say so before a change is tried.
type fileRights struct{ problem atomic.Pointer[model.Error] }

// checkRights checks the rights without opening the file. A change needs the file, and
// its folder, in which SQLite keeps a journal while it writes. Other obstacles show when
// a change is made.
func (d *DB) checkRights() {
	paths := []string{d.Path, filepath.Dir(d.Path)}
	if mayWrite(d.Path+"-wal") == nil && mayWrite(d.Path+"-shm") == nil {
		paths = paths[:1] // a write makes no file in the folder
	}
	var problem *model.Error
	for _, path := range paths {
		if err := mayWrite(path); errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			problem = d.ReadOnlyError(err)
		}
	}
	d.fileRights.problem.Store(problem)
}

// WriteProblem says why nothing can be changed, nil where no obstacle is known.
func (d *DB) WriteProblem() error {
	if d.Writer.ReadOnly {
		return d.ReadOnlyError(nil)
	}
	if e := d.fileRights.problem.Load(); e != nil {
		return e
	}
	if d.IndexesBypassed.Load() {
		return d.damagedIndexError()
	}
	return nil
}
