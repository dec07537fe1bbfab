package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// rights is whether the system lets us write the file, so that a person is
// told before trying.
type rights struct{ against atomic.Pointer[Error] }

// lookAtRights asks the system, without opening anything. A change needs the
// file, and its folder, in which SQLite keeps a journal while it writes. What
// nobody can tell is left to the change itself.
func (s *Store) lookAtRights() {
	paths := []string{s.path, filepath.Dir(s.path)}
	if mayWrite(s.path+"-wal") == nil && mayWrite(s.path+"-shm") == nil {
		paths = paths[:1] // the journal is there
	}
	var against *Error
	for _, path := range paths {
		if err := mayWrite(path); errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			against = s.readOnlyFault(err)
		}
	}
	s.rights.against.Store(against)
}

// unwritable says why nothing can be changed, nil where nothing is known to
// stand against it.
func (s *Store) unwritable() error {
	if s.writer.forbidden {
		return s.readOnlyFault(nil)
	}
	if e := s.rights.against.Load(); e != nil {
		return e
	}
	return nil
}
