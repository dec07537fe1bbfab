//go:build unix

package store

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The other half of TestFullDisk: a process whose files may not grow.
func TestFullDiskChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_FULL")
	if path == "" {
		t.Skip("runs inside TestFullDisk")
	}
	signal.Ignore(syscall.SIGXFSZ)                        // then a write that is too long fails with EFBIG
	limit := syscall.Rlimit{Cur: 40 << 10, Max: 40 << 10} // less than the -wal of either change
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if how := os.Getenv("STORE_TEST_FULL_MIGRATE"); how != "" {
		opts := []Option{WithClock(clock)}
		if how == "without backup" {
			opts = append(opts, WithoutBackup())
		}
		_, err := Migrate(t.Context(), path, opts...)
		fmt.Printf("kind %s\n", kind(err))
		return
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	id := texts(t, s, `SELECT min(id) FROM sessions WHERE end_reason IS NOT 'compression'`)[0]
	_, err = s.AppendMessage(t.Context(), id, NewMessage{Role: "user", Content: strings.Repeat("too much ", 200_000)})
	fmt.Printf("kind %s\n", kind(err))
}

// A disk that is full is named, and the file is as it was.
func TestFullDisk(t *testing.T) {
	for name, migrate := range map[string]string{"v11.db": "", "v25.db": "", "v10.db": "with backup", "v07.db": "without backup"} {
		path := fixture(t, name)
		before := reopen(t, path)
		const dump = `SELECT id || session_id || role || coalesce(quote(content), '') FROM messages ORDER BY id`
		want, version := texts(t, before, dump), before.schema.version
		out, err := child(t.Context(), "TestFullDiskChild", "STORE_TEST_FULL="+path, "STORE_TEST_FULL_MIGRATE="+migrate).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "kind "+KindDiskFull+"\n") {
			t.Errorf("%s: %v %s", name, err, out)
		}
		after := reopen(t, path)
		if got := texts(t, after, dump); strings.Join(got, "\n") != strings.Join(want, "\n") || after.schema.version != version {
			t.Errorf("%s has changed", name)
		}
		if copies, _ := filepath.Glob(path + ".bak*"); len(copies) > 0 {
			t.Errorf("%s: half a copy stays: %v", name, copies)
		}
		if got := texts(t, after, `PRAGMA integrity_check`)[0]; got != "ok" && !strings.Contains(got, "messages_fts_trigram") {
			t.Error(name, got)
		}
	}
}
