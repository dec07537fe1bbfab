//go:build unix

package faultvfs

import (
	"path/filepath"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite keeps addresses of these structures, so they are in memory of C, and the
// functions in them are top-level ones, which never move.

var (
	registering sync.Once
	inner       uintptr // the VFS that is wrapped

	mu      sync.Mutex
	disks   = map[string]*Disk{}     // by folder
	files   = map[uintptr]openFile{} // watched ones, by the address of their sqlite3_file
	methods = map[uintptr]uintptr{}  // tables of methods: the wrapped one → ours
)

type openFile struct {
	disk    *Disk
	name    string  // in the folder
	methods uintptr // the wrapped ones
}

// at returns the structure at an address of C.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// function returns the function that a value of C stands for.
func function[F any](value uintptr) F { return *(*F)(unsafe.Pointer(&value)) }

// Register makes the wrapper the VFS of every connection that is opened from now on.
func Register() {
	registering.Do(func() {
		tls := libc.NewTLS()
		inner = sqlite3.Xsqlite3_vfs_find(tls, 0)
		ours := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{})))
		name, err := libc.CString("fault")
		if ours == 0 || err != nil {
			panic("faultvfs: out of memory")
		}
		v := at[sqlite3.Tsqlite3_vfs](ours)
		*v = *at[sqlite3.Tsqlite3_vfs](inner)
		v.FzName, v.FpNext = name, 0
		v.FxOpen = pointer(open)
		v.FxDelete = pointer(remove)
		v.FxAccess = pointer(access)
		if rc := sqlite3.Xsqlite3_vfs_register(tls, ours, 1); rc != sqlite3.SQLITE_OK {
			panic("faultvfs: cannot be registered")
		}
	})
}

// pointer returns the value that C keeps of a function.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// diskOf returns the watched disk of a file, nil for none, and the file's name on it.
func diskOf(zName uintptr) (*Disk, string) {
	if zName == 0 {
		return nil, ""
	}
	path := libc.GoString(zName)
	mu.Lock()
	defer mu.Unlock()
	return disks[filepath.Dir(path)], filepath.Base(path)
}

func fileAt(pFile uintptr) openFile {
	mu.Lock()
	defer mu.Unlock()
	return files[pFile]
}

func open(tls *libc.TLS, _, zName, pFile uintptr, flags int32, pOutFlags uintptr) int32 {
	disk, name := diskOf(zName)
	if disk != nil {
		if rc := disk.step(opOpen); rc != sqlite3.SQLITE_OK {
			at[sqlite3.Tsqlite3_file](pFile).FpMethods = 0
			return rc
		}
	}
	rc := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](at[sqlite3.Tsqlite3_vfs](inner).FxOpen)(tls, inner, zName, pFile, flags, pOutFlags)
	if rc != sqlite3.SQLITE_OK || disk == nil || at[sqlite3.Tsqlite3_file](pFile).FpMethods == 0 {
		return rc
	}
	f := at[sqlite3.Tsqlite3_file](pFile)
	mu.Lock()
	defer mu.Unlock()
	files[pFile] = openFile{disk, name, f.FpMethods}
	if methods[f.FpMethods] == 0 {
		methods[f.FpMethods] = wrap(tls, f.FpMethods)
	}
	f.FpMethods = methods[f.FpMethods]
	return rc
}

// wrap makes a table of methods from another one.
func wrap(tls *libc.TLS, table uintptr) uintptr {
	ours := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
	if ours == 0 {
		panic("faultvfs: out of memory")
	}
	m := at[sqlite3.Tsqlite3_io_methods](ours)
	*m = *at[sqlite3.Tsqlite3_io_methods](table)
	m.FxClose = pointer(closeFile)
	m.FxRead = pointer(read)
	m.FxWrite = pointer(write)
	m.FxTruncate = pointer(truncate)
	m.FxSync = pointer(syncFile)
	m.FxFileSize = pointer(fileSize)
	m.FxLock = pointer(lock)
	m.FxShmMap, m.FxShmLock = pointer(shmMap), pointer(shmLock)
	return ours
}

func remove(tls *libc.TLS, _, zName uintptr, syncDir int32) int32 {
	disk, name := diskOf(zName)
	if disk != nil {
		if rc := disk.step(opDelete); rc != sqlite3.SQLITE_OK {
			return rc
		}
	}
	rc := function[func(*libc.TLS, uintptr, uintptr, int32) int32](at[sqlite3.Tsqlite3_vfs](inner).FxDelete)(tls, inner, zName, syncDir)
	if rc == sqlite3.SQLITE_OK && disk != nil {
		disk.deleted(name, syncDir != 0)
	}
	return rc
}

func access(tls *libc.TLS, _, zName uintptr, flags int32, pOut uintptr) int32 {
	if disk, _ := diskOf(zName); disk != nil {
		if rc := disk.step(opAccess); rc != sqlite3.SQLITE_OK {
			return rc
		}
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32, uintptr) int32](at[sqlite3.Tsqlite3_vfs](inner).FxAccess)(tls, inner, zName, flags, pOut)
}

func closeFile(tls *libc.TLS, pFile uintptr) int32 {
	f := fileAt(pFile)
	mu.Lock()
	delete(files, pFile)
	mu.Unlock()
	return function[func(*libc.TLS, uintptr) int32](at[sqlite3.Tsqlite3_io_methods](f.methods).FxClose)(tls, pFile)
}

func read(tls *libc.TLS, pFile, zBuf uintptr, n int32, from sqlite3.Tsqlite3_int64) int32 {
	f := fileAt(pFile)
	switch rc := f.disk.step(opRead); rc {
	case sqlite3.SQLITE_OK:
	case sqlite3.SQLITE_IOERR_SHORT_READ:
		// As the wrapped VFS does it when a read stops halfway. The result code of this
		// name is for the end of the file only, behind which SQLite expects zeros.
		rc := function[func(*libc.TLS, uintptr, uintptr, int32, sqlite3.Tsqlite3_int64) int32](at[sqlite3.Tsqlite3_io_methods](f.methods).FxRead)(tls, pFile, zBuf, n/2, from)
		if rc != sqlite3.SQLITE_OK {
			return rc
		}
		return sqlite3.SQLITE_IOERR_READ
	default:
		return rc
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32, sqlite3.Tsqlite3_int64) int32](at[sqlite3.Tsqlite3_io_methods](f.methods).FxRead)(tls, pFile, zBuf, n, from)
}

func write(tls *libc.TLS, pFile, zBuf uintptr, n int32, from sqlite3.Tsqlite3_int64) int32 {
	f := fileAt(pFile)
	if rc := f.disk.step(opWrite); rc != sqlite3.SQLITE_OK {
		return rc
	}
	rc := function[func(*libc.TLS, uintptr, uintptr, int32, sqlite3.Tsqlite3_int64) int32](at[sqlite3.Tsqlite3_io_methods](f.methods).FxWrite)(tls, pFile, zBuf, n, from)
	if rc == sqlite3.SQLITE_OK {
		f.disk.wrote(f.name, from, unsafe.Slice(at[byte](zBuf), n))
	}
	return rc
}

func truncate(tls *libc.TLS, pFile uintptr, size sqlite3.Tsqlite3_int64) int32 {
	f := fileAt(pFile)
	if rc := f.disk.step(opTruncate); rc != sqlite3.SQLITE_OK {
		return rc
	}
	rc := function[func(*libc.TLS, uintptr, sqlite3.Tsqlite3_int64) int32](at[sqlite3.Tsqlite3_io_methods](f.methods).FxTruncate)(tls, pFile, size)
	if rc == sqlite3.SQLITE_OK {
		f.disk.truncated(f.name, size)
	}
	return rc
}

// syncFile syncs nothing: what counts as synced is what the Disk has recorded.
func syncFile(_ *libc.TLS, pFile uintptr, _ int32) int32 {
	f := fileAt(pFile)
	if rc := f.disk.step(opSync); rc != sqlite3.SQLITE_OK {
		return rc
	}
	f.disk.synced(f.name)
	return sqlite3.SQLITE_OK
}

func fileSize(tls *libc.TLS, pFile, pSize uintptr) int32 {
	f := fileAt(pFile)
	if rc := f.disk.step(opSize); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, uintptr) int32](at[sqlite3.Tsqlite3_io_methods](f.methods).FxFileSize)(tls, pFile, pSize)
}

func lock(tls *libc.TLS, pFile uintptr, level int32) int32 {
	f := fileAt(pFile)
	if rc := f.disk.step(opLock); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, int32) int32](at[sqlite3.Tsqlite3_io_methods](f.methods).FxLock)(tls, pFile, level)
}

func shmMap(tls *libc.TLS, pFile uintptr, page, size, extend int32, pp uintptr) int32 {
	f := fileAt(pFile)
	if rc := f.disk.step(opShmMap); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, int32, int32, int32, uintptr) int32](at[sqlite3.Tsqlite3_io_methods](f.methods).FxShmMap)(tls, pFile, page, size, extend, pp)
}

func shmLock(tls *libc.TLS, pFile uintptr, offset, n, flags int32) int32 {
	f := fileAt(pFile)
	if flags&sqlite3.SQLITE_SHM_LOCK != 0 {
		if rc := f.disk.step(opShmLock); rc != sqlite3.SQLITE_OK {
			return rc
		}
	}
	return function[func(*libc.TLS, uintptr, int32, int32, int32) int32](at[sqlite3.Tsqlite3_io_methods](f.methods).FxShmLock)(tls, pFile, offset, n, flags)
}
