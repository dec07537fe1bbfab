//go:build unix

package faultvfs

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	sqlite3 "modernc.org/sqlite/lib"
)

// Kind is what goes wrong.
type Kind int

// The kinds of faults. An operation that a kind does not concern succeeds.
const (
	IOError   Kind = iota // once
	DeadDisk              // an I/O error from then on
	ShortRead             // one read stops halfway, and fails
	DiskFull              // no room from then on
	Locked                // two attempts to lock fail
	LostSyncs             // syncs from then on are said to be done, and are not
	PowerCut              // nothing works from then on; see [Disk.CutPower]
)

// Kinds are all kinds.
var Kinds = []Kind{IOError, DeadDisk, ShortRead, DiskFull, Locked, LostSyncs, PowerCut}

// String names the kind.
func (k Kind) String() string {
	return [...]string{"I/O error", "dead disk", "short read", "disk full", "lock", "lost sync", "power cut"}[k]
}

// operation is what SQLite asks of a file system.
type operation int

const (
	opOpen operation = iota
	opDelete
	opAccess
	opRead
	opWrite
	opTruncate
	opSync
	opSize
	opLock
	opShmMap
	opShmLock
)

// concerns lists the operations that a kind of fault can begin at.
var concerns = map[Kind][]operation{
	IOError:   {opOpen, opDelete, opRead, opWrite, opTruncate, opSync, opSize, opShmMap},
	DeadDisk:  {opRead, opWrite, opSync},
	ShortRead: {opRead},
	DiskFull:  {opWrite, opShmMap},
	Locked:    {opLock, opShmLock},
	LostSyncs: {opSync},
	PowerCut:  {opDelete, opWrite, opTruncate, opSync},
}

// Disk is a folder whose files are watched.
type Disk struct {
	folder string

	mu      sync.Mutex
	steps   []operation // since the last Arm
	kind    Kind
	from    int // the step of the fault, from 1; 0 for none
	struck  int // how often the fault struck
	stopAt  int // the step at which stop is called, 0 for none
	stop    func()
	files   map[string][]byte
	pending []change // in order
}

// change is one that is not synced yet.
type change struct {
	name    string
	at      int64
	content []byte
	size    int64 // truncated to, where content is nil
	deleted bool
}

// Watch watches a folder and takes what is in it for synced. End ends it.
func Watch(folder string) (*Disk, error) {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	d := &Disk{folder: folder, files: map[string][]byte{}}
	all, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	for _, e := range all {
		if d.files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			return nil, fmt.Errorf("watch: %w", err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	disks[folder] = d
	return d, nil
}

// End lets files that are opened from now on pass through.
func (d *Disk) End() {
	d.Disarm()
	mu.Lock()
	defer mu.Unlock()
	delete(disks, d.folder)
}

// Arm makes the step with this number fail, counted from 1, and restarts the count. All that was
// written before is taken for synced, as it is after a while.
func (d *Disk) Arm(kind Kind, step int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.pending {
		apply(d.files, c)
	}
	d.pending = nil
	d.steps = nil
	d.kind = kind
	d.from = step
	d.struck = 0
}

// StopAt restarts the count of steps, and calls a function before the step with this number is made,
// 0 for none. The function must not use the Disk.
func (d *Disk) StopAt(step int, stop func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.steps = nil
	d.stopAt = step
	d.stop = stop
}

// StepCount returns how many steps were made since the last [Disk.Arm] or [Disk.StopAt].
func (d *Disk) StepCount() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.steps)
}

// Disarm ends the fault and returns how often it struck.
func (d *Disk) Disarm() (struck int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.from = 0
	return d.struck
}

// Steps returns the numbers of the steps since the last Arm at which a kind of fault can
// begin.
func (d *Disk) Steps(kind Kind) (numbers []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, op := range d.steps {
		if slices.Contains(concerns[kind], op) {
			numbers = append(numbers, i+1)
		}
	}
	if kind == PowerCut {
		numbers = append(numbers, len(d.steps)+1) // when all is done
	}
	return numbers
}

// step counts an operation and returns the result code of the fault, if it strikes.
func (d *Disk) step(op operation) int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.steps = append(d.steps, op)
	n := len(d.steps)
	if n == d.stopAt {
		d.stop()
	}
	if d.from == 0 || n < d.from {
		return sqlite3.SQLITE_OK
	}
	rc := int32(sqlite3.SQLITE_OK)
	switch d.kind {
	case IOError:
		if n == d.from {
			rc = failure(op)
		}
	case ShortRead:
		if n == d.from && op == opRead {
			rc = sqlite3.SQLITE_IOERR_SHORT_READ
		}
	case DeadDisk, PowerCut:
		rc = failure(op)
	case DiskFull:
		if op == opWrite || op == opShmMap {
			rc = full(op)
		}
	case Locked:
		if d.struck < 2 && (op == opLock || op == opShmLock) {
			rc = sqlite3.SQLITE_BUSY
		}
	case LostSyncs:
		if op == opSync {
			d.struck++
		}
	}
	if rc != sqlite3.SQLITE_OK {
		d.struck++
	}
	return rc
}

// full is what SQLite gets where there is no room.
func full(op operation) int32 {
	if op == opShmMap {
		return sqlite3.SQLITE_IOERR_SHMSIZE
	}
	return sqlite3.SQLITE_FULL
}

// failure is what SQLite gets where an operation fails.
func failure(op operation) int32 {
	switch op {
	case opOpen:
		return sqlite3.SQLITE_CANTOPEN
	case opDelete:
		return sqlite3.SQLITE_IOERR_DELETE
	case opAccess:
		return sqlite3.SQLITE_IOERR_ACCESS
	case opRead:
		return sqlite3.SQLITE_IOERR_READ
	case opWrite:
		return sqlite3.SQLITE_IOERR_WRITE
	case opTruncate:
		return sqlite3.SQLITE_IOERR_TRUNCATE
	case opSync:
		return sqlite3.SQLITE_IOERR_FSYNC
	case opSize:
		return sqlite3.SQLITE_IOERR_FSTAT
	case opLock:
		return sqlite3.SQLITE_IOERR_LOCK
	case opShmMap:
		return sqlite3.SQLITE_IOERR_SHMMAP
	}
	return sqlite3.SQLITE_IOERR_SHMLOCK
}

// wrote records a write.
func (d *Disk) wrote(name string, from int64, content []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = append(d.pending, change{name: name, at: from, content: slices.Clone(content)})
}

// truncated records that a file was cut.
func (d *Disk) truncated(name string, size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = append(d.pending, change{name: name, size: size})
}

// deleted records that a file was removed; synced is true where the folder was, too.
func (d *Disk) deleted(name string, synced bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = append(d.pending, change{name: name, deleted: true})
	if synced && !d.syncsAreLost() {
		d.settle(name)
	}
}

// synced records that all writes to a file have reached the disk.
func (d *Disk) synced(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.syncsAreLost() {
		d.settle(name)
	}
}

// syncsAreLost reports whether syncs are only said to be done.
func (d *Disk) syncsAreLost() bool {
	return d.kind == LostSyncs && d.from > 0 && len(d.steps) >= d.from
}

// settle applies what is pending for a file.
func (d *Disk) settle(name string) {
	d.pending = slices.DeleteFunc(d.pending, func(c change) bool {
		if c.name == name {
			apply(d.files, c)
		}
		return c.name == name
	})
}

// apply makes a change in a set of files.
func apply(files map[string][]byte, c change) {
	content := files[c.name]
	switch {
	case c.deleted:
		delete(files, c.name)
		return
	case c.content == nil:
		if int64(len(content)) > c.size {
			content = content[:c.size]
		}
	default:
		if end := c.at + int64(len(c.content)); int64(len(content)) < end {
			content = append(slices.Clip(content), make([]byte, end-int64(len(content)))...)
		}
		copy(content[c.at:], c.content)
	}
	files[c.name] = content
}

// Loss says which of the writes that were not synced a power cut takes.
type Loss int

// The losses.
const (
	LoseAll    Loss = iota // everything
	LoseNone               // nothing
	LoseLatest             // everything from some moment on
	LoseSome               // any part of any write
)

// Losses are all of them.
var Losses = []Loss{LoseAll, LoseNone, LoseLatest, LoseSome}

// sector is what a disk writes at once, in bytes.
const sector = 512

// CutPower writes to a folder what a power cut now would leave on the disk.
func (d *Disk) CutPower(into string, loss Loss, random *rand.Rand) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := map[string][]byte{}
	for name, content := range d.files {
		left[name] = slices.Clone(content)
	}
	kept := d.pending
	switch loss {
	case LoseAll:
		kept = nil
	case LoseLatest:
		kept = kept[:random.IntN(len(kept)+1)]
	}
	old := map[string]bool{} // files that a lost delete keeps: what came after was in another one
	for _, c := range kept {
		if old[c.name] {
			continue
		}
		if loss == LoseSome && c.content != nil {
			for at := 0; at < len(c.content); at += sector {
				if random.IntN(2) == 0 {
					apply(left, change{name: c.name, at: c.at + int64(at), content: c.content[at:min(at+sector, len(c.content))]})
				}
			}
			continue
		}
		if loss != LoseSome || random.IntN(2) == 0 {
			apply(left, c)
		} else if c.deleted {
			old[c.name] = true
		}
	}
	for name, content := range left {
		if filepath.Ext(name) == ".db-shm" {
			continue // it is memory
		}
		if err := os.WriteFile(filepath.Join(into, name), content, 0o600); err != nil {
			return fmt.Errorf("write what a power cut leaves: %w", err)
		}
	}
	return nil
}
