package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/cputime"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// state is what a file and its companions look like from outside.
func state(t testing.TB, path string) string {
	t.Helper()
	var b strings.Builder
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "%q %v %v", suffix, info.Mode(), info.ModTime().UnixNano())
		if suffix != "-shm" {
			content, err := os.ReadFile(path + suffix)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(content))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// browse does what the browser does with a database.
func browse(t testing.TB, s *Store) model.ConversationPage {
	t.Helper()
	page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Conversations {
		o, err := s.Outline(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.MessagesByID(t.Context(), o.MessageIDs); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Tail(t.Context(), c.ID, 5); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.DataVersion(t.Context()); err != nil {
		t.Fatal(err)
	}
	return page
}

// Browsing an idle database of any version leaves its bytes, its times and
// its folder as they were.
func TestBrowsingChangesNothing(t *testing.T) {
	for _, name := range versionsToTest(t) {
		t.Run(name, func(t *testing.T) {
			path := fixture(t, name)
			before := state(t, path)
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Notes()) > 0 {
				t.Errorf("notes about a healthy file: %v", s.Notes())
			}
			browse(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if after := state(t, path); after != before {
				t.Errorf("before:\n%safter:\n%s", before, after)
			}
		})
	}
}

// Every damaged or unusual file gives its own error or note within two
// seconds, shows what can be read, and stays as it was.
func TestBadFiles(t *testing.T) {
	for _, want := range []struct {
		file          string
		kind          string   // of the error
		notes         []string // kinds
		conversations int
	}{
		{file: "bad-json", conversations: 12},
		{file: "cycle", conversations: 15},
		{file: "damaged-pages", kind: model.KindDamaged},
		{file: "duplicate-titles", conversations: 52},
		{file: "empty", kind: model.KindEmpty},
		{file: "fts-corrupt", notes: []string{model.NoteFTSDamaged}, conversations: 11},
		{file: "fts-missing", notes: []string{model.NoteFTSMissing}, conversations: 11},
		{file: "fts-out-of-step", notes: []string{model.NoteFTSOutOfStep}, conversations: 11},
		{file: "future", notes: []string{model.NoteNewerSchema}, conversations: 11},
		{file: "hot-wal", conversations: 12},
		{file: "invalid-utf8", conversations: 12},
		{file: "invalid-utf8-title", conversations: 12},
		{file: "no-version-row", notes: []string{model.NoteNoVersion}, conversations: 11},
		{file: "not-a-database", kind: model.KindNotADatabase},
		{file: "nulls-everywhere", conversations: 12},
		{file: "orphan-parent", conversations: 13},
		{file: "other-application", kind: model.KindForeign},
		{file: "timestamps", conversations: 21},
		{file: "truncated-header", kind: model.KindTruncated},
		{file: "truncated", notes: []string{model.NoteDamaged}, conversations: 11},
		{file: "two-version-rows", notes: []string{model.NoteTwoVersions}, conversations: 11},
	} {
		t.Run(want.file, func(t *testing.T) {
			path := fixture(t, "bad/"+want.file+".db")
			before := state(t, path)
			var s *Store
			var err error
			took := cputime.Of(func() { s, err = Open(t.Context(), path, WithClock(clock)) })
			if took > 2*time.Second {
				t.Errorf("open took %v", took)
			}
			if want.kind != "" {
				expect(t, err, want.kind)
			} else if err != nil {
				t.Fatal(err)
			} else {
				var kinds []string
				for _, n := range s.Notes() {
					kinds = append(kinds, n.Kind)
					if n.Message == "" || n.Remedy.Text == "" || strings.ContainsAny(n.Message+n.Remedy.Text, "\n\r") {
						t.Errorf("note %+v", n)
					}
				}
				if !slices.Equal(kinds, want.notes) {
					t.Errorf("notes %v, want %v", kinds, want.notes)
				}
				if page := browse(t, s); page.Total != want.conversations {
					t.Errorf("%d conversations, want %d", page.Total, want.conversations)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			after := state(t, path)
			if want.file == "hot-wal" {
				// The rebuilt index of the -wal holds no data and stays.
				after = slices.Collect(func(yield func(string) bool) {
					var b strings.Builder
					for line := range strings.Lines(after) {
						if !strings.HasPrefix(line, `"-shm"`) {
							b.WriteString(line)
						}
					}
					yield(b.String())
				})[0]
			}
			if after != before {
				t.Errorf("before:\n%safter:\n%s", before, after)
			}
		})
	}
}

// expect checks a typed error: its kind, and one line each for why and what
// to do.
func expect(t testing.TB, err error, kind string) {
	t.Helper()
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		t.Fatalf("error %v is not typed", err)
	}
	if e.Kind != kind || e.Message == "" || e.Remedy.Text == "" || strings.ContainsAny(e.Error()+e.Remedy.Text, "\n\r") {
		t.Errorf("kind %q, want %q: %+v", e.Kind, kind, e)
	}
}

// What stands where a database should be and is none is named at once; a FIFO
// is never opened, which would wait for ever.
func TestPathsThatAreNoDatabase(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(at("directory"), 0o700))
	must(os.WriteFile(at("file"), []byte("x"), 0o600))
	kinds := map[string]string{
		"directory": model.KindDirectory, "absent": model.KindAbsent, "file/state.db": model.KindAbsent, "file": model.KindNotADatabase,
	}
	if err := os.Symlink("loop", at("loop")); err == nil {
		kinds["loop"] = model.KindSymlinkLoop
		must(os.Symlink("nowhere", at("dangling")))
		kinds["dangling"] = model.KindAbsent
	}
	if fifo(at("fifo")) == nil {
		kinds["fifo"] = model.KindNotAFile
	}
	for name, kind := range kinds {
		var err error
		took := cputime.Of(func() { _, err = Open(t.Context(), at(name)) }) // a fifo holds up forever what opens it as a file
		expect(t, err, kind)
		if took > 2*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestFileWithoutPermission(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mode closes no file there")
	}
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

// inClosedFolder returns the path of a WAL database in a folder that cannot be written.
func inClosedFolder(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a mode closes no folder there")
	}
	path := fixture(t, "v11.db")
	dir := filepath.Dir(path)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) }) // so that the test's folder can be removed
	return path
}

// A WAL database in a folder that cannot be written is still read.
func TestFolderThatCanNotBeWritten(t *testing.T) {
	if fixtures.AsUser(t) {
		return
	}
	path := inClosedFolder(t)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(s.Notes()) != 1 || s.Notes()[0].Kind != model.NoteFrozen {
		t.Errorf("notes %v", s.Notes())
	}
	browse(t, s)
}

// Read-only reads everything too and leaves the database file alone.
func TestReadOnly(t *testing.T) {
	for _, name := range []string{"v11.db", "v25.db", "bad/hot-wal.db"} {
		path := fixture(t, name)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, ReadOnly())
		if err != nil {
			t.Fatal(err)
		}
		page := browse(t, s)
		if page.Total == 0 {
			t.Errorf("%s: nothing shown", name)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s changed (%v)", name, err)
		}
	}
}

// The newest session of hot-wal.db is only in its -wal.
func TestHotWALIsReadInFull(t *testing.T) {
	s := openFixture(t, "bad/hot-wal.db")
	o, err := s.Outline(t.Context(), "20260302_100000_wal001")
	if err != nil {
		t.Fatal(err)
	}
	if len(o.MessageIDs) != 1 {
		t.Errorf("%d messages in the session of the -wal", len(o.MessageIDs))
	}
}

// A config.yaml beside the file that names PostgreSQL is the reason why the
// file is absent, or a warning that it may be stale.
func TestPostgresConfigured(t *testing.T) {
	path := fixture(t, "v25.db")
	config := filepath.Join(filepath.Dir(path), "config.yaml")
	if err := os.WriteFile(config, []byte("model: x\ndatabase:\n  backend: postgres\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(s.Notes()) != 1 || s.Notes()[0].Kind != model.NotePostgres {
		t.Errorf("notes %v", s.Notes())
	}
	_, err = Open(t.Context(), path+".gone")
	expect(t, err, model.KindPostgres)
}

// A session that is not there is an error by name, not an empty answer.
func TestUnknownSession(t *testing.T) {
	s := openFixture(t, "v11.db")
	_, err := s.Outline(t.Context(), "nope")
	expect(t, err, model.KindNotFound)
	_, err = s.Tail(t.Context(), "nope", 3)
	expect(t, err, model.KindNotFound)
}
