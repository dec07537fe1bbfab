package db

import (
	"errors"
	"slices"
	"syscall"

	"modernc.org/sqlite"
)

// SQLite's primary result codes that mean something here.
const (
	SQLiteError      = 1
	sqlitePerm       = 3
	SQLiteBusy       = 5
	SQLiteLocked     = 6
	sqliteReadOnly   = 8
	SQLiteInterrupt  = 9
	sqliteIO         = 10
	sqliteCorrupt    = 11
	sqliteFull       = 13
	sqliteCantOpen   = 14
	sqliteProtocol   = 15
	sqliteTooBig     = 18
	SQLiteConstraint = 19 // a row breaks a rule of its table
	SQLiteMismatch   = 20 // a value of another type where only a rowid can be
	sqliteNotADB     = 26
)

// Its extended result codes.
const (
	sqliteIOShortRead       = sqliteIO | 2<<8
	sqliteIOWrite           = sqliteIO | 3<<8
	sqliteIOShmSize         = sqliteIO | 19<<8
	sqliteCorruptIndex      = sqliteCorrupt | 1<<8 // what a full-text table says of itself
	sqliteConstraintTrigger = SQLiteConstraint | 7<<8

	// SQLiteConstraintForeignKey is the extended code of a row that a reference forbids.
	SQLiteConstraintForeignKey = SQLiteConstraint | 3<<8
)

// ErrRowsLost is damage that SQLite does not notice: where keys of inner pages are wrong, a
// lookup finds no row, without an error, that a scan of the table or of an index finds.
var ErrRowsLost = errors.New("rows that an index has are not found in the table")

// ResultCode returns SQLite's primary result code, 0 when err is of another kind.
func ResultCode(err error) int { return ExtendedCode(err) & 0xff }

// ExtendedCode returns SQLite's extended result code, 0 when err is of another kind.
func ExtendedCode(err error) int {
	if errors.Is(err, ErrRowsLost) {
		return sqliteCorrupt
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code() == sqliteIOShortRead {
		return sqliteCorrupt // the file is cut inside a page; the disk is well
	} else if ok {
		return e.Code()
	}
	return 0
}

// IsDiskFull reports whether SQLite or the system found no room: on the disk, in a quota, or
// for a file as large as that. A -shm file that could be made but not enlarged has no room.
func IsDiskFull(err error) bool {
	extended := ExtendedCode(err)
	return ResultCode(err) == sqliteFull || extended == sqliteIOWrite || extended == sqliteIOShmSize ||
		slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, diskFullOnWindows}, func(known error) bool {
			return errors.Is(err, known)
		})
}

// diskFullOnWindows is ERROR_DISK_FULL, which the syscall package does not
// name. No other system gives this number for a file.
const diskFullOnWindows = syscall.Errno(112)

// IsCorrupt reports whether an error comes from a damaged page.
func IsCorrupt(err error) bool { return ResultCode(err) == sqliteCorrupt }
