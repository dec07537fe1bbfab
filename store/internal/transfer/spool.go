package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// spoolMemoryLimit is how many bytes a spool holds in memory before it uses a file.
// The browser keeps a hundred spools, one for each step that it can undo.
const spoolMemoryLimit = 512 << 10

// Spool is a buffer of any size that can be read again and again from its start. A
// small one is in memory, a larger one in a temporary file that only this user can
// read; NewSpoolFile makes one whose bytes all go into a named file.
type Spool struct {
	Mem         []byte   // the bytes, until there is a file
	File        *os.File // nil while the bytes are in memory
	Size        int64    // bytes, in memory or in the file
	keepFile    bool     // the file was named by a person and stays after Close
	tempPath    string   // of a temporary file to remove at Close, "" for none
	survives    bool     // the temporary file has a name, by which it is found after a crash
	folder      string   // of the temporary file, "" for the system's
	prefix      string   // of its name
	maxInMemory int      // bytes; 0 for spoolMemoryLimit
	Discard     bool     // count the bytes but drop them
}

// NewSpoolFile makes a spool of a new file, which stays after Close. The error wraps
// [os.ErrExist] where there is a file already.
func NewSpoolFile(path string) (*Spool, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("back up what is deleted: %w", err)
	}
	return &Spool{File: f, keepFile: true}, nil
}

// NewSurvivingSpool makes a spool whose temporary file is synced by Flush and outlives
// the process if that ends before Close. The file is in a folder, "" for that of the
// system, under a name with a prefix, and locked as long as it is open.
func NewSurvivingSpool(folder, prefix string) *Spool {
	return &Spool{survives: true, folder: folder, prefix: prefix}
}

// OpenSpool opens the file that a surviving spool has left, and locks it for this process.
// ok is false where another process has it locked. A last line that breaks off is not read:
// the change that it would undo was not made.
func OpenSpool(path string) (p *Spool, ok bool, err error) {
	f, err := openRenamable(path)
	if err != nil {
		return nil, false, fmt.Errorf("open the undo file: %w", err)
	}
	info, err := f.Stat()
	if err != nil || !lockFile(f) {
		return nil, false, errors.Join(err, f.Close())
	}
	if named, err := os.Stat(path); err != nil || !os.SameFile(named, info) { // its process has just removed it
		return nil, false, errors.Join(os.ErrNotExist, f.Close())
	}
	p = &Spool{File: f, Size: info.Size(), tempPath: path, survives: true}
	b := make([]byte, 64<<10)
	for p.Size > 0 {
		n := min(p.Size, int64(len(b)))
		if _, err := f.ReadAt(b[:n], p.Size-n); err != nil {
			return nil, false, errors.Join(err, f.Close())
		}
		if i := int64(bytes.LastIndexByte(b[:n], '\n')); i >= 0 {
			p.Size -= n - i - 1
			break
		}
		p.Size -= n
	}
	return p, true, nil
}

// Release closes the file and leaves it for another process.
func (s *Spool) Release() error {
	s.tempPath = ""
	return s.Close()
}

// Path returns the path of the file, "" where the spool has none.
func (s *Spool) Path() string { return s.tempPath }

// Rename gives the file another name in its folder, if it can. The name only says what is
// done with it.
func (s *Spool) Rename(name string) {
	if s.tempPath == "" {
		return
	}
	to := filepath.Join(filepath.Dir(s.tempPath), name)
	if os.Rename(s.tempPath, to) == nil {
		s.tempPath = to
	}
}

// Date gives the file a time, by which its age is known. Where it cannot, that is the time
// of its last line.
func (s *Spool) Date(at time.Time) { _ = os.Chtimes(s.tempPath, at, at) }

// Save moves the bytes into a file if they are not in one yet.
func (s *Spool) Save() error {
	if s.File != nil {
		return nil
	}
	return s.toFile()
}

// Keep makes a temporary file stay after Close, and returns its path; "" where there is
// none.
func (s *Spool) Keep() string {
	path := s.tempPath
	s.tempPath = ""
	return path
}

// Write appends b. Its error is an [*model.Error] that says where there is no room.
func (s *Spool) Write(b []byte) (int, error) {
	if s.Discard {
		s.Size += int64(len(b))
		return len(b), nil
	}
	limit := cmp.Or(s.maxInMemory, spoolMemoryLimit)
	if s.File == nil && len(s.Mem)+len(b) <= limit {
		s.Mem = append(s.Mem, b...)
		s.Size += int64(len(b))
		return len(b), nil
	}
	if s.File == nil {
		if err := s.toFile(); err != nil {
			return 0, err
		}
	}
	n, err := s.File.WriteAt(b, s.Size)
	s.Size += int64(n)
	return n, s.wrapFault(err)
}

// wrapFault says why a file takes no more bytes, and what helps. It is called before
// anything that waits in the spool has been done.
func (s *Spool) wrapFault(err error) error {
	if err == nil {
		return nil
	}
	e := &model.Error{Kind: model.KindReadOnly, Path: cmp.Or(s.folder, os.TempDir()), Err: err}
	e.Message = "the changes to be written cannot be stored here first: " + db.CauseOf(err)
	advice := ""
	switch {
	case s.keepFile:
		e.Path, advice = s.File.Name(), "keep the backup elsewhere"
	case s.folder != "":
		advice = "delete without an undo"
	case runtime.GOOS == "windows":
		advice = "name another folder for temporary files in TMP"
	default:
		advice = "name another folder for temporary files in TMPDIR"
	}
	if db.IsDiskFull(err) {
		e.Kind, advice = model.KindDiskFull, "free some space, or "+advice
		e.Message = "the disk is full or over its quota, and the changes to be written must be stored here first"
	}
	e.Remedy = model.Advise(advice)
	return e
}

// toFile moves the bytes in memory into a temporary file.
func (s *Spool) toFile() error {
	if s.folder != "" {
		if err := os.MkdirAll(s.folder, 0o700); err != nil {
			return s.wrapFault(err)
		}
	}
	// Another program that finds an empty file with the name of an undo would remove it, so it
	// gets that when it is locked.
	const unlocked = ".new"
	f, err := os.CreateTemp(s.folder, cmp.Or(s.prefix, "hermes-sessions-")+"*.jsonl"+unlocked) // of mode 0600
	if err != nil {
		return s.wrapFault(err)
	}
	name := f.Name()
	if s.survives {
		created := f.Close()
		if f, err = openRenamable(name); err != nil || created != nil {
			return s.wrapFault(cmp.Or(created, err))
		}
		lockFile(f)
		name = strings.TrimSuffix(name, unlocked)
		if err := os.Rename(f.Name(), name); err != nil {
			return errors.Join(s.wrapFault(err), f.Close(), os.Remove(f.Name()))
		}
	}
	// A file without a name disappears with the process, however that ends.
	// Where an open file cannot lose its name, Close removes it.
	if s.survives || os.Remove(name) != nil {
		s.tempPath = name
	}
	if _, err := f.WriteAt(s.Mem, 0); err != nil {
		return errors.Join(s.wrapFault(err), f.Close(), s.unlink())
	}
	s.File, s.Mem = f, nil
	return nil
}

// Rewind drops everything after the first n bytes.
func (s *Spool) Rewind(n int64) error {
	if s.Size == n {
		return nil
	}
	s.Size = n
	if s.File == nil {
		if !s.Discard {
			s.Mem = s.Mem[:n]
		}
		return nil
	}
	return s.File.Truncate(n)
}

// Flush syncs a file that has a name to disk, so that a crash of the machine does not lose
// its lines.
func (s *Spool) Flush() error {
	if s.File == nil || s.tempPath != "" && !s.survives {
		return nil
	}
	return s.File.Sync()
}

// reader returns a reader from the start. Do not write to the spool while reading.
func (s *Spool) reader() io.Reader {
	if s.File == nil {
		return bytes.NewReader(s.Mem)
	}
	return io.NewSectionReader(s.File, 0, s.Size)
}

// Header returns the first line of a backup, nil where it has none.
func (s *Spool) Header() (pyjson.Object, error) {
	line, err := bufio.NewReader(s.reader()).ReadString('\n')
	if err != nil && err != io.EOF { //nolint:errorlint // bufio returns it bare
		return nil, err
	}
	v, err := pyjson.Parse(line)
	header, _ := v.(pyjson.Object)
	return header, err
}

// Close drops the bytes. A named file stays.
func (s *Spool) Close() error {
	s.Mem = nil
	if s.File == nil {
		return nil
	}
	if s.survives {
		if os.Remove(s.tempPath) == nil { // before another program can lock it
			s.tempPath = ""
		}
		unlockFile(s.File)
	}
	err := s.File.Close()
	s.File = nil
	return errors.Join(err, s.unlink())
}

// unlink removes the temporary file, if it still has a name.
func (s *Spool) unlink() error {
	if s.tempPath == "" {
		return nil
	}
	err := os.Remove(s.tempPath)
	s.tempPath = ""
	return err
}
