package upkeep

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"hermes-sessions/model"
)

// connectedByte is the byte of a -shm file on which every connection holds a lock
// (UNIX_SHM_DMS).
const connectedByte = "128"

// heldByOthers looks in the kernel's list of locks for another process that has the
// database with this -shm file open. To open the file itself would end the locks that this
// process has on it as soon as it is closed.
func heldByOthers(shm string) model.InUse {
	info, err := os.Stat(shm)
	if os.IsNotExist(err) {
		return model.NotInUse
	}
	locks, lockErr := os.ReadFile("/proc/locks")
	if err != nil || lockErr != nil {
		return model.InUseUnknown
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return model.InUseUnknown
	}
	inode, self := ":"+strconv.FormatUint(st.Ino, 10), strconv.Itoa(os.Getpid())
	for line := range strings.Lines(string(locks)) {
		// 1: POSIX  ADVISORY  READ 1234 fd:01:56789 128 128
		f := strings.Fields(line)
		if len(f) == 8 && f[1] == "POSIX" && f[4] != self && strings.HasSuffix(f[5], inode) && f[6] == connectedByte {
			return model.InUseByOther
		}
	}
	return model.NotInUse
}
