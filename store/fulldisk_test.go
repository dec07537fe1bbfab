//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/store/sessiondb"
)

// The other half of TestFullDisk: a process whose files may not grow.
func TestFullDiskChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_FULL")
	if path == "" {
		t.Skip("runs inside TestFullDisk")
	}
	signal.Ignore(syscall.SIGXFSZ)                       // then a write that is too long fails with EFBIG
	limit := syscall.Rlimit{Cur: 40 << 10, Max: 1 << 30} // less than the -wal of either change
	if os.Getenv("STORE_TEST_FULL_DOES") == "undo, as far as there is room" {
		limit.Cur = limit.Max
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if how := os.Getenv("STORE_TEST_FULL_MIGRATE"); how != "" {
		opts := []Option{WithClock(clock)}
		if how == "without backup" {
			opts = append(opts, WithoutBackup())
		}
		_, err := Migrate(t.Context(), path, opts...)
		tellFull(t, err)
		return
	}
	s, err := Open(t.Context(), path, WithClock(clock), WithUndoFolder(os.Getenv("STORE_TEST_FULL_UNDO")), WithUndoLimits(week))
	if err != nil {
		t.Fatal(err)
	}
	id := texts(t, s, `SELECT min(id) FROM sessions WHERE end_reason IS NOT 'compression'`)[0]
	switch os.Getenv("STORE_TEST_FULL_DOES") {
	case "append":
		_, err = s.AppendMessage(t.Context(), id, sessiondb.NewMessage{Role: "user", Content: strings.Repeat("too much ", 200_000)})
	case "delete":
		_, err = s.Delete(t.Context(), []string{id}, model.DeleteOptions{})
	case "clear":
		err = s.ClearMessages(t.Context(), id)
	case "delete, kept":
		_, err = s.Delete(t.Context(), []string{"long"}, model.DeleteOptions{})
	case "delete, kept in a file":
		_, err = s.Delete(t.Context(), []string{"long"}, model.DeleteOptions{Backup: path + ".removed"})
	case "restore":
		var f *os.File
		if f, err = os.Open(path + ".backup"); err != nil {
			t.Fatal(err)
		}
		_, err = s.Import(t.Context(), f, model.ImportOptions{})
	case "undo":
		err = s.FinishUndo(t.Context(), saved(t, s)[0], model.RestoreOptions{})
	case "undo, as far as there is room":
		err = s.FinishUndo(t.Context(), saved(t, s)[0], model.RestoreOptions{Progress: func(done, _ int) {
			if limit.Cur = 1 << 10; done > 0 {
				if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
					t.Fatal(err)
				}
			}
		}})
		expect(t, err, model.KindIncompleteWrite)
		fmt.Println("full:", err)
		return
	case "vacuum":
		err = s.Vacuum(t.Context())
	case "salvage in a file":
		_, err = s.Salvage(t.Context(), path+".removed")
	case "import, a long line":
		_, err = s.Import(t.Context(), strings.NewReader(strings.Repeat("too much ", 600_000)), model.ImportOptions{})
	case "import":
		_, err = s.Import(t.Context(), strings.NewReader(`{"id": "new", "source": "cli", "started_at": 1.0, "messages": [{"role": "user", "timestamp": 1.0, "content": "`+
			strings.Repeat("too much ", 200_000)+`"}]}`), model.ImportOptions{})
	}
	tellFull(t, err)
}

// tellFull prints which disk is full.
func tellFull(t *testing.T, err error) {
	t.Helper()
	expect(t, err, model.KindDiskFull)
	if e, ok := errors.AsType[*model.Error](err); ok {
		fmt.Printf("full: %s\n", e.Path)
	}
}

// The other half of TestADiskThatFillsUp: everything was confirmed before the
// first file could not grow any more.
func TestFilledDiskChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_FILLED")
	if path == "" {
		t.Skip("runs inside TestADiskThatFillsUp")
	}
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wishes := confirmed(t, s)
	signal.Ignore(syscall.SIGXFSZ)
	room := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 10, Max: room.Max}); err != nil {
		t.Fatal(err)
	}
	refusedAll(t, s, wishes, model.KindDiskFull)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		t.Fatal(err)
	}
	obeyedAll(t, wishes, soon()...) // some room helps at once
	fmt.Println("to the end")
}

// A disk that fills up between the question and the answer: no row is another,
// whatever was asked for.
func TestADiskThatFillsUp(t *testing.T) {
	t.Parallel()
	for _, journal := range []string{"wal", "delete"} {
		path := fixture(t, "v25.db")
		db := otherConnection(t, path)
		Must(t, db, `PRAGMA journal_mode = `+journal)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		out, err := child(t.Context(), "TestFilledDiskChild", "STORE_TEST_FILLED="+path).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "to the end") {
			t.Errorf("%s: %v\n%s", journal, err, out)
		}
		indexed(t, reopen(t, path).db.Pool, false)
	}
}

// A disk that is full is named, and the file is as it was.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	type diskTry struct{ name, does, migrate string }
	tries := someOf([]diskTry{
		{"v11.db", "append", ""},
		{"v11.db", "delete", ""},
		{"v11.db", "clear", ""},
		{"v11.db", "import", ""},
		{"v11.db", "delete, kept", ""},
		{"v11.db", "delete, kept in a file", ""},
		{"v11.db", "import, a long line", ""},
		{"v11.db", "restore", ""},
		{"v11.db", "vacuum", ""},
		{"v25.db", "salvage in a file", ""},
		{"v10.db", "", "with backup"},
		{"v07.db", "", "without backup"},
	}, 2)
	if campaign.On() {
		for _, does := range []string{"vacuum", "append", "delete", "clear", "import"} {
			tries = append(tries, diskTry{"v25.db", does, ""})
		}
	}
	for _, try := range tries {
		name := try.name
		path := fixture(t, name)
		if strings.HasPrefix(try.does, "delete, kept") { // more than what is kept in memory
			Must(t, otherConnection(t, path), session("long"), message("long", 1), `UPDATE messages SET content = replace(hex(zeroblob(200000)), '0', 'ab ') WHERE session_id = 'long'`)
		}
		if try.does == "restore" {
			s := reopen(t, path)
			if err := deleted(t, s, model.DeleteOptions{Backup: path + ".backup"}, conversations(t, s)...).Close(); err != nil {
				t.Fatal(err)
			}
		}
		before, err := Open(t.Context(), path, WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		const dump = `SELECT id || session_id || role || coalesce(quote(content), '') FROM messages ORDER BY id`
		want, version := texts(t, before, dump), before.db.Schema.Version
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		out, err := child(t.Context(), "TestFullDiskChild", "STORE_TEST_FULL="+path, "STORE_TEST_FULL_DOES="+try.does, "STORE_TEST_FULL_MIGRATE="+try.migrate).CombinedOutput()
		where := path
		switch {
		case strings.HasSuffix(try.does, "in a file"):
			where += ".removed"
		case strings.Contains(try.does, ","):
			where = os.TempDir()
		}
		if err != nil || !strings.Contains(string(out), "full: "+where+"\n") {
			t.Errorf("%s: %s: %v %s", name, try.does, err, out)
		}
		after := reopen(t, path)
		if got := texts(t, after, dump); strings.Join(got, "\n") != strings.Join(want, "\n") || after.db.Schema.Version != version {
			t.Errorf("%s has changed", name)
		}
		for _, half := range []string{".bak*", ".removed*"} {
			if copies, _ := filepath.Glob(path + half); len(copies) > 0 {
				t.Errorf("%s: half a copy stays: %v", name, copies)
			}
		}
		if got := texts(t, after, `PRAGMA integrity_check`)[0]; got != "ok" && !strings.Contains(got, "messages_fts_trigram") {
			t.Error(name, got)
		}
	}
}

// A new database that finds no room can be made later.
func TestFullDiskForANewFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	out, err := child(t.Context(), "TestFullDiskChild", "STORE_TEST_FULL="+path, "STORE_TEST_FULL_MIGRATE=with backup").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "full: "+path+"\n") {
		t.Fatalf("%v %s", err, out)
	}
	_, err = Open(t.Context(), path)
	expect(t, err, model.KindEmpty)
	if done, err := Migrate(t.Context(), path); err != nil || done.From != 0 || done.Backup != "" {
		t.Error(done, err)
	}
	sound(t, reopen(t, path))
}

// The other half of TestFullDiskBesideAWriteAheadLog: no file can grow to the size of a
// -shm.
func TestNoRoomForTheIndexChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_NO_SHM")
	if path == "" {
		t.Skip("runs inside TestFullDiskBesideAWriteAheadLog")
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 10, Max: 1 << 10}); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(t.Context(), path, ReadOnly()); err == nil {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path + "-shm"); err == nil {
			t.Error("a -shm is left by one that only reads")
		}
	}
	s, err := Open(t.Context(), path)
	if os.Getenv("STORE_TEST_NO_SHM_READ") == "" {
		expect(t, err, model.KindDiskFull)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := Count(t, s, `SELECT count(*) FROM sessions`); n < 50 || !slices.Equal(kinds(s.Notes()), []string{model.NoteDiskFull}) {
		t.Errorf("%d sessions, with %v", n, s.Notes())
	}
	for range 2 {
		err := s.EndSession(t.Context(), "x", "user_exit")
		expect(t, err, model.KindDiskFull)
		if text := fmt.Sprintf("%+v", *err.(*model.Error)); strings.Contains(text, "memory") || strings.Contains(text, "journal") {
			t.Errorf("a full disk is blamed on another: %s", text)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A database with a write-ahead log on a full disk can be read, with a note. Nothing
// else is blamed, nothing is left beside it, and a log with content stays as it is.
func TestFullDiskBesideAWriteAheadLog(t *testing.T) {
	t.Parallel()
	for _, log := range []bool{false, true} {
		path, read := fixture(t, "v25.db"), "yes"
		if log {
			path, read = fixture(t, "bad/hot-wal.db"), ""
		} else {
			db := otherConnection(t, path)
			if Must(t, db, `PRAGMA journal_mode = wal`); db.Close() != nil {
				t.Fatal("the other connection stays open")
			}
		}
		before := filesBeside(t, path)
		out, err := child(t.Context(), "TestNoRoomForTheIndexChild", "STORE_TEST_NO_SHM="+path, "STORE_TEST_NO_SHM_READ="+read).CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if after := filesBeside(t, path); !slices.Equal(after, before) {
			t.Errorf("left beside it: %v, before %v", after, before)
		}
	}
}

// The other half of TestFullDiskInTheMiddleOfADelete.
func TestFullDiskInTheMiddleChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_FULL_MIDDLE")
	if path == "" {
		t.Skip("runs inside TestFullDiskInTheMiddleOfADelete")
	}
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.Delete(t.Context(), []string{"long"}, model.DeleteOptions{Progress: func(int, int) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 10, Max: 1 << 30}); err != nil {
			t.Fatal(err)
		}
	}})
	expect(t, err, model.KindIncompleteWrite)
	n, text := u.Deleted().Messages, err.Error()
	if n == 0 || strings.Count(text, path) != 1 || strings.Contains(text, "nothing was changed") || !strings.Contains(text, "disk is full") ||
		!strings.Contains(text, fmt.Sprintf(" %d of 2100 messages", n)) {
		t.Errorf("%d messages are gone, and it says: %s", n, text)
	}
	if left := Count(t, s, `SELECT count(*) FROM messages WHERE session_id = 'long'`); left+n != 2100 {
		t.Errorf("%d are gone and %d are left", n, left)
	}
}

// A delete for which the disk becomes too small in the middle says what is gone, and
// not that nothing is.
func TestFullDiskInTheMiddleOfADelete(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	Must(t, otherConnection(t, path), session("long"), message("long", 2100))
	out, err := child(t.Context(), "TestFullDiskInTheMiddleChild", "STORE_TEST_FULL_MIDDLE="+path).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
