package db

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// locksOf returns the locks that this process has on a file, as the kernel lists them.
func locksOf(t *testing.T, path string) (locks []string) {
	t.Helper()
	all, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip("the kernel does not list its locks: " + err.Error())
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	process, file := fmt.Sprintf(" %d ", os.Getpid()), fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino)
	for line := range strings.Lines(string(all)) {
		if _, lock, ok := strings.Cut(line, ": POSIX"); ok && strings.Contains(lock, process) && strings.Contains(lock, file) {
			locks = append(locks, strings.TrimSpace(lock))
		}
	}
	return locks
}

// A program may open a file twice. To look at the file without SQLite at the second opening
// would drop the locks of the first.
func TestOpeningAFileTwiceKeepsItsLocks(t *testing.T) {
	t.Parallel()
	for _, journal := range []string{"WAL", "DELETE"} {
		t.Run(journal, func(t *testing.T) {
			t.Parallel()
			path := fixtures.Database(t, "v11.db")
			fixtures.Exec(t, path, `PRAGMA journal_mode = `+journal)
			first := New(path)
			if err := first.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer first.Close()
			change := func(tx *Tx) error {
				_, err := tx.Exec(t.Context(), `UPDATE sessions SET title = hex(randomblob(9))`)
				return err
			}
			if err := first.Write(t.Context(), "test", change); err != nil { // so that there is a log
				t.Fatal(err)
			}
			err := first.Write(t.Context(), "test", func(tx *Tx) error {
				if err := change(tx); err != nil {
					return err
				}
				before := locksOf(t, path)
				if len(before) == 0 {
					t.Error("no lock during a change")
				}
				second := New(path)
				openErr := second.Open(t.Context())
				if after := locksOf(t, path); len(after) < len(before) {
					t.Errorf("locks %q before a second opening, %q after it (%v)", before, after, openErr)
				}
				if openErr == nil {
					return second.Close()
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
