//go:build unix

package store

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
)

// A database that turns read-only between the question and the answer is left
// as it is, whatever was asked for; why and what helps is said, and that it
// cannot be written is known before anything is asked.
func TestADatabaseThatTurnsReadOnly(t *testing.T) {
	t.Parallel()
	if fixtures.AsUser(t) {
		return
	}
	for _, what := range []string{"file", "folder"} {
		t.Run(what, func(t *testing.T) {
			path := fixture(t, "v25.db")
			Must(t, otherConnection(t, path), `PRAGMA journal_mode = delete`) // with a log that is open the folder would not matter
			target := path
			if what == "folder" {
				target = filepath.Dir(path)
			}
			turnsReadOnly(t, path, target)
		})
	}
}

// turnsReadOnly is TestADatabaseThatTurnsReadOnly with the file or its folder as the target.
func turnsReadOnly(t *testing.T, path, target string) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(path, 0o400))
	s, err := Open(ctx, path, WithClock(clock))
	must(err)
	if kind(s.Editable().ReadOnly) != model.KindReadOnly {
		t.Error("it is not known beforehand:", s.Editable().ReadOnly)
	}
	ids := conversations(t, s)
	if p, err := s.PlanDelete(ctx, ids[:2], model.DeleteOptions{}); kind(err) != model.KindReadOnly || p.Messages == 0 {
		t.Errorf("the plan says %+v %v", p, err)
	}
	must(s.Close())
	must(os.Chmod(path, 0o600))
	s, err = Open(ctx, path, WithClock(clock))
	must(err)
	defer s.Close()
	wishes := confirmed(t, s)
	if err := s.Editable().ReadOnly; err != nil {
		t.Error("it can be written:", err)
	}
	must(os.Chmod(target, 0o500))
	refusedAll(t, s, wishes, model.KindReadOnly)
	if _, err := s.DataVersion(ctx); err != nil || kind(s.Editable().ReadOnly) != model.KindReadOnly {
		t.Errorf("that has not been noticed: %v %v", err, s.Editable().ReadOnly)
	}
	if e, ok := errors.AsType[*model.Error](s.Editable().ReadOnly); !ok || !strings.HasSuffix(e.Remedy.Command, "chmod u+w "+target) {
		t.Errorf("the remedy is not about %s: %#v", target, e)
	}
	must(os.Chmod(target, 0o700))
	if _, err := s.DataVersion(ctx); err != nil || s.Editable().ReadOnly != nil {
		t.Error(err, s.Editable().ReadOnly)
	}
	obeyedAll(t, wishes, soon()...) // the remedy helps at once
}

// A change that was not finished is not read as if it were, where its journal cannot be rolled
// back because the folder cannot be written; the error of that, and of a write-ahead log that
// cannot be read there, is about the folder.
func TestWhatCannotBeReadWithoutWriting(t *testing.T) {
	t.Parallel()
	if fixtures.AsUser(t) {
		return
	}
	for beside, name := range map[string]string{"journal": "v11-first.db", "log": "bad/hot-wal.db"} {
		path := fixture(t, name)
		if beside == "journal" {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			journal := append([]byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x10\x00"), make([]byte, 600)...)
			binary.BigEndian.PutUint32(journal[16:], uint32(info.Size()/4096))
			if err := os.WriteFile(path+"-journal", journal, 0o444); err != nil {
				t.Fatal(err)
			}
		}
		dir := filepath.Dir(path)
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o700) }) // so that it can be removed
		_, err := Open(t.Context(), path)
		expect(t, err, model.KindUnreadable)
		if e, ok := errors.AsType[*model.Error](err); !ok || !strings.Contains(e.Message, beside) || !strings.Contains(e.Remedy.Command, dir+" ") {
			t.Errorf("%s: %v, remedy %q", beside, err, e.Remedy.Command)
		}
	}
}

// What may not be read is an error that says so, never an empty list.
func TestTrapEmptyListWithoutPermission(t *testing.T) {
	t.Parallel()
	if fixtures.AsUser(t) {
		return
	}
	path := fixture(t, "v25.db")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path)
	expect(t, err, model.KindUnreadable)
}

// A database in WAL mode that cannot be written leaves no files beside it that would forbid
// writing when the database can be written again.
func TestSidecarsOfAReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	if fixtures.AsUser(t) {
		return
	}
	path := fixture(t, "v11.db")
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s, err := Open(t.Context(), path, WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		conversations(t, s)
		expect(t, s.Vacuum(t.Context()), model.KindReadOnly)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, end := range []string{"-wal", "-shm"} {
			if info, err := os.Stat(path + end); err == nil && info.Mode().Perm()&0o200 == 0 {
				t.Errorf("%s cannot be written: %v", end, info.Mode())
			}
		}
	}
}

// A database in WAL mode that is read without its log, because its folder cannot be written,
// is still reported as one.
func TestJournalModeInAReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if fixtures.AsUser(t) {
		return
	}
	path := inClosedFolder(t)
	s := reopen(t, path)
	c, err := s.Check(t.Context(), false)
	if err != nil || c.Journal != "wal" {
		t.Errorf("doctor says %q, %v", c.Journal, err)
	}
	if sizes, err := s.FileSizes(t.Context()); err != nil || sizes.Journal != "wal" {
		t.Errorf("the sizes say %q, %v", sizes.Journal, err)
	}
}
