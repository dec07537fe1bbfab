package transfer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"hermes-sessions/model"
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
		return nil, fmt.Errorf("back up what is removed: %w", err)
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
func (p *Spool) Release() error {
	p.tempPath = ""
	return p.Close()
}

// Path is that of the file, "" where it has none.
func (p *Spool) Path() string { return p.tempPath }

// Rename gives the file another name in its folder, if it can. The name only says what is
// done with it.
func (p *Spool) Rename(name string) {
	if p.tempPath == "" {
		return
	}
	to := filepath.Join(filepath.Dir(p.tempPath), name)
	if os.Rename(p.tempPath, to) == nil {
		p.tempPath = to
	}
}

// Save moves the bytes into a file if they are not in one yet.
func (p *Spool) Save() error {
	if p.File != nil {
		return nil
	}
	return p.toFile()
}

// Keep makes a temporary file stay after Close, and returns its path; "" where there is
// none.
func (p *Spool) Keep() string {
	path := p.tempPath
	p.tempPath = ""
	return path
}

// Write appends b. Its error is an [*db.Error] that says where there is no room.
func (p *Spool) Write(b []byte) (int, error) {
	if p.Discard {
		p.Size += int64(len(b))
		return len(b), nil
	}
	limit := cmp.Or(p.maxInMemory, spoolMemoryLimit)
	if p.File == nil && len(p.Mem)+len(b) <= limit {
		p.Mem = append(p.Mem, b...)
		p.Size += int64(len(b))
		return len(b), nil
	}
	if p.File == nil {
		if err := p.toFile(); err != nil {
			return 0, err
		}
	}
	n, err := p.File.WriteAt(b, p.Size)
	p.Size += int64(n)
	return n, p.wrapFault(err)
}

// wrapFault says why a file takes no more bytes, and what helps. It is called before
// anything that waits in the spool has been done.
func (p *Spool) wrapFault(err error) error {
	if err == nil {
		return nil
	}
	e := &db.Error{Kind: db.KindReadOnly, Path: cmp.Or(p.folder, os.TempDir()), Err: err}
	e.Message = "the changes to be written cannot be stored here first: " + db.CauseOf(err)
	advice := ""
	switch {
	case p.keepFile:
		e.Path, advice = p.File.Name(), "keep the backup elsewhere"
	case runtime.GOOS == "windows":
		advice = "name another folder for temporary files in TMP"
	default:
		advice = "name another folder for temporary files in TMPDIR"
	}
	if IsDiskFull(err) {
		e.Kind, advice = db.KindDiskFull, "free some space, or "+advice
		e.Message = "the disk is full or over its quota, and the changes to be written must be stored here first"
	}
	e.Remedy = model.Advise(advice)
	return e
}

// IsDiskFull reports whether an error of the system says that a disk is full, over
// its quota, or takes no file as large as that.
func IsDiskFull(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, diskFullOnWindows}, func(known error) bool {
		return errors.Is(err, known)
	})
}

// diskFullOnWindows is ERROR_DISK_FULL, which the syscall package does not
// name. No other system gives this number for a file.
const diskFullOnWindows = syscall.Errno(112)

// toFile moves the bytes in memory into a temporary file.
func (p *Spool) toFile() error {
	if p.folder != "" {
		if err := os.MkdirAll(p.folder, 0o700); err != nil {
			return p.wrapFault(err)
		}
	}
	f, err := os.CreateTemp(p.folder, cmp.Or(p.prefix, "hermes-sessions-")+"*.jsonl") // of mode 0600
	if err != nil {
		return p.wrapFault(err)
	}
	if p.survives {
		created := f.Close()
		if f, err = openRenamable(f.Name()); err != nil || created != nil {
			return p.wrapFault(cmp.Or(created, err))
		}
		lockFile(f) // it is new
	}
	// A file without a name disappears with the process, however that ends.
	// Where an open file cannot lose its name, Close removes it.
	if p.survives || os.Remove(f.Name()) != nil {
		p.tempPath = f.Name()
	}
	if _, err := f.WriteAt(p.Mem, 0); err != nil {
		return errors.Join(p.wrapFault(err), f.Close(), p.unlink())
	}
	p.File, p.Mem = f, nil
	return nil
}

// Rewind drops everything after the first n bytes.
func (p *Spool) Rewind(n int64) error {
	if p.Size == n {
		return nil
	}
	p.Size = n
	if p.File == nil {
		if !p.Discard {
			p.Mem = p.Mem[:n]
		}
		return nil
	}
	return p.File.Truncate(n)
}

// Flush syncs a file that has a name to disk, so that a crash of the machine does not lose
// its lines.
func (p *Spool) Flush() error {
	if p.File == nil || p.tempPath != "" && !p.survives {
		return nil
	}
	return p.File.Sync()
}

// reader returns a reader from the start. Do not write to the spool while reading.
func (p *Spool) reader() io.Reader {
	if p.File == nil {
		return bytes.NewReader(p.Mem)
	}
	return io.NewSectionReader(p.File, 0, p.Size)
}

// Close drops the bytes. A named file stays.
func (p *Spool) Close() error {
	p.Mem = nil
	if p.File == nil {
		return nil
	}
	if p.survives {
		unlockFile(p.File)
	}
	err := p.File.Close()
	p.File = nil
	return errors.Join(err, p.unlink())
}

// unlink removes the temporary file, if it still has a name.
func (p *Spool) unlink() error {
	if p.tempPath == "" {
		return nil
	}
	err := os.Remove(p.tempPath)
	p.tempPath = ""
	return err
}
