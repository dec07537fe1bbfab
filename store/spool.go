package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"syscall"
)

// spoolInMemory is how many bytes a spool keeps before it takes a file. The
// browser keeps a hundred of them, one for each step that it can take back.
const spoolInMemory = 512 << 10

// spool takes bytes of any amount and gives them back from the start as often
// as asked. Few stay in memory, more go into a temporary file that only this
// user can read, or all into a file that was named.
type spool struct {
	mem    []byte
	file   *os.File
	size   int64
	named  bool   // by a person, and stays
	remove string // path to remove at close, "" for none
	limit  int    // 0: spoolInMemory
	forget bool   // keep nothing
}

// spoolInto makes a spool of a new file, which stays. It is an error if there
// is a file already.
func spoolInto(path string) (*spool, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep what is removed: %w", err)
	}
	return &spool{file: f, named: true}, nil
}

// Write adds b.
func (p *spool) Write(b []byte) (int, error) {
	if p.forget {
		p.size += int64(len(b))
		return len(b), nil
	}
	limit := p.limit
	if limit == 0 {
		limit = spoolInMemory
	}
	if p.file == nil && len(p.mem)+len(b) <= limit {
		p.mem = append(p.mem, b...)
		p.size += int64(len(b))
		return len(b), nil
	}
	if p.file == nil {
		if err := p.toFile(); err != nil {
			return 0, err
		}
	}
	n, err := p.file.WriteAt(b, p.size)
	p.size += int64(n)
	return n, p.fault(err)
}

// fault says why a file takes no more, and what helps. Nothing of what waited
// there has been done.
func (p *spool) fault(err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Kind: KindReadOnly, Path: os.TempDir(), Err: err}
	e.Message = "what waits to be written can not be kept here: " + why(err)
	switch {
	case p.named:
		e.Path, e.Remedy = p.file.Name(), "keep the backup elsewhere"
	case runtime.GOOS == "windows":
		e.Remedy = "TMP names another folder for temporary files"
	default:
		e.Remedy = "TMPDIR names another folder for temporary files"
	}
	if NoRoom(err) {
		e.Kind, e.Remedy = KindDiskFull, "free some space; or "+e.Remedy
		e.Message = "the disk is full or over its quota, and what waits to be written must be kept here"
	}
	return e
}

// NoRoom reports whether an error of the system says that a disk is full, over
// its quota, or takes no file as large as that.
func NoRoom(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, diskFullOnWindows}, func(known error) bool {
		return errors.Is(err, known)
	})
}

// diskFullOnWindows is ERROR_DISK_FULL, which the syscall package does not
// name. No other system gives this number for a file.
const diskFullOnWindows = syscall.Errno(112)

// toFile moves what is in memory into a temporary file.
func (p *spool) toFile() error {
	f, err := os.CreateTemp("", "hermes-sessions-*.jsonl")
	if err != nil {
		return p.fault(err)
	}
	// Without a name it goes away with the process, however that ends; where
	// an open file keeps its name it is removed at close.
	if os.Remove(f.Name()) != nil {
		p.remove = f.Name()
	}
	if _, err := f.WriteAt(p.mem, 0); err != nil {
		return errors.Join(p.fault(err), f.Close(), p.unlink())
	}
	p.file, p.mem = f, nil
	return nil
}

// rewind forgets everything after the first n bytes.
func (p *spool) rewind(n int64) error {
	if p.size == n {
		return nil
	}
	p.size = n
	if p.file == nil {
		if !p.forget {
			p.mem = p.mem[:n]
		}
		return nil
	}
	return p.file.Truncate(n)
}

// flush makes sure that a crash of the machine does not lose what was written.
func (p *spool) flush() error {
	if p.file == nil || p.remove != "" {
		return nil
	}
	return p.file.Sync()
}

// reader reads from the start. It must not be used while more is written.
func (p *spool) reader() io.Reader {
	if p.file == nil {
		return bytes.NewReader(p.mem)
	}
	return io.NewSectionReader(p.file, 0, p.size)
}

func (p *spool) close() error {
	p.mem = nil
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	p.file = nil
	return errors.Join(err, p.unlink())
}

func (p *spool) unlink() error {
	if p.remove == "" {
		return nil
	}
	err := os.Remove(p.remove)
	p.remove = ""
	return err
}
