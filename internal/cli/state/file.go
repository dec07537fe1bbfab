// Package state keeps what the program keeps for the user, in files of its own: the settings, what
// the last run was left at, notes, and how far conversations were read.
//
//	settings.go    config.toml; its named queries: queries.go, statements.go; commands: commands.go;
//	               colors and columns: look.go; the file with the defaults, the schema: reference.go
//	state.go       the scope, order and queries of the last run
//	notebook.go    notes, tags and bookmarks
//	lastread.go    how far conversations were read; of the open databases: readings.go
//	file.go        how such a file is written, by several runs at once
package state

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"hermes-sessions/store"
)

// ReplaceFile writes a file whole or not at all. Only the user may read it, unless keep says
// that the permissions of the one that is there stay. A file that may not be
// written is left as it is. Of a symbolic link, the target is written. A full disk
// is an error of [model.KindDiskFull].
func ReplaceFile(file string, text []byte, keep bool) error {
	return store.WrapDiskFull(file, unchanged, replaceFile(file, text, keep))
}

// unchanged is what follows from a full disk.
const unchanged = "the file is unchanged"

func replaceFile(file string, text []byte, keep bool) error {
	if info, err := os.Lstat(file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if file, err = filepath.EvalSymlinks(file); err != nil {
			return err
		}
	}
	folder, mode := filepath.Dir(file), fs.FileMode(0o600)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(file)
	switch {
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
	if changed := os.Chmod(f.Name(), mode); mode != 0o600 {
		err = cmp.Or(err, changed)
	}
	if err = cmp.Or(err, f.Sync(), f.Close()); err == nil {
		err = whileOpenElsewhere(func() error { return os.Rename(f.Name(), file) })
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to return
	}
	return err
}

const (
	// pause and tries are how often a program looks whether another one that writes the same
	// file is done. Writing takes some milliseconds.
	pause = 5 * time.Millisecond
	tries = 400
	// maxBytes bounds a file that is read; the program writes much less.
	maxBytes = 64 << 20
)

// readFile reads a file. A missing one is empty; what is no file, or too large to be one of
// this program, is an error.
func readFile(file string) (text []byte, err error) {
	info, err := os.Stat(file) // before it is opened: opening a pipe waits for a writer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxBytes:
		return nil, fmt.Errorf("%s was not written by this program: move it away", file)
	}
	err = whileOpenElsewhere(func() error {
		text, err = os.ReadFile(file)
		return err
	})
	return text, err
}

// whileOpenElsewhere does again what Windows refuses as long as another program reads or
// replaces the same file, which takes some milliseconds.
func whileOpenElsewhere(do func() error) (err error) {
	const sharingViolation = syscall.Errno(32)
	for range tries {
		err = do()
		if runtime.GOOS != "windows" || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, sharingViolation) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}

// updateFile replaces a file by what change makes of it, while no other program does. change
// returns nil to leave the file as it is.
func updateFile(file string, change func(text []byte) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	unlock, err := lockFile(file+".lock", tries)
	if err != nil {
		return store.WrapDiskFull(file, unchanged, err)
	}
	defer unlock()
	text, err := readFile(file)
	if err != nil {
		return err
	}
	changed, err := change(text)
	if err != nil || changed == nil {
		return err
	}
	return ReplaceFile(file, changed, false)
}

// lockFile takes a lock: a file that only one program can create. One that is there all the
// time has been left behind by a program that was killed, and is taken over.
func lockFile(file string, tries int) (unlock func(), err error) {
	var held os.FileInfo
	left := tries
	for range 2 * tries {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_ = f.Close()                              // nothing was written
			return func() { _ = os.Remove(file) }, nil // where that fails, it is taken over
		}
		// Windows refuses a file that is being removed.
		if !errors.Is(err, fs.ErrExist) && (!errors.Is(err, fs.ErrPermission) || runtime.GOOS != "windows") {
			return nil, err
		}
		info, err := os.Stat(file)
		if err == nil && (held == nil || !info.ModTime().Equal(held.ModTime())) {
			held, left = info, tries
		}
		if left--; left <= 0 && err == nil {
			_ = os.Remove(file)
		}
		time.Sleep(pause)
	}
	return nil, fmt.Errorf("another program keeps %s locked", file)
}
