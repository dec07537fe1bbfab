package live

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// watched is a database that is open, and a copy of it and another beside it.
type watched struct {
	*Store
	t                 *testing.T
	path, copy, other string
}

func watch(t *testing.T, journal string) *watched {
	t.Helper()
	dir := t.TempDir()
	w := &watched{t: t, path: filepath.Join(dir, "state.db"), copy: filepath.Join(dir, "copy"), other: filepath.Join(dir, "other")}
	fixtures.Unpack(t, "v25.db", w.path)
	fixtures.Unpack(t, "v11.db", w.other)
	for _, file := range []string{w.path, w.other} {
		write(t, file, `PRAGMA journal_mode = `+journal)
	}
	w.write(w.copy, w.read(w.path))
	open := func(ctx context.Context) (*store.Store, error) {
		return store.Open(ctx, w.path, store.WithUndoFolder(filepath.Join(dir, "undo")))
	}
	s, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.Store = New(t.Context(), s, open)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// The reads below are those that the tests make, as a browser does.

func (w *watched) Conversations(ctx context.Context, q query.ListOptions) (model.ConversationPage, error) {
	return Ask(ctx, w.Store, func(ctx context.Context, s *store.Store) (model.ConversationPage, error) {
		return s.Conversations(ctx, q)
	})
}

func (w *watched) Conversation(ctx context.Context, id string) (model.Conversation, error) {
	return Ask(ctx, w.Store, func(ctx context.Context, s *store.Store) (model.Conversation, error) { return s.Conversation(ctx, id) })
}

func (w *watched) Search(ctx context.Context, q query.Query, o query.ListOptions) (model.SearchResults, error) {
	return Ask(ctx, w.Store, func(ctx context.Context, s *store.Store) (model.SearchResults, error) { return s.Search(ctx, q, o) })
}

func (w *watched) Outline(ctx context.Context, id string) (model.Outline, error) {
	return Ask(ctx, w.Store, func(ctx context.Context, s *store.Store) (model.Outline, error) { return s.Outline(ctx, id) })
}

// write runs statements on a file as another program.
func write(t *testing.T, file string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func (w *watched) read(file string) []byte {
	w.t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// write puts bytes into a file as cp does: the file stays the same one.
func (w *watched) write(file string, b []byte) {
	w.t.Helper()
	if err := os.WriteFile(file, b, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watched) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// poll looks at the file, and returns the version and what is said.
func (w *watched) poll() (int64, string) {
	w.t.Helper()
	v, err := w.DataVersion(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return v, w.FileNotice()
}

// says polls and checks what is said, which is said once, and whether the rows are to be
// read again.
func (w *watched) says(text string, again bool) {
	w.t.Helper()
	before := w.lastVersion()
	v, notice := w.poll()
	if text == "" != (notice == "") || !strings.Contains(notice, text) {
		w.t.Errorf("it says %q, want %q", notice, text)
	}
	if (v != before) != again {
		w.t.Errorf("the version was %d and is %d", before, v)
	}
	if now, notice := w.poll(); notice != "" || now != v {
		w.t.Errorf("then it says %q at version %d", notice, now)
	}
}

// ids returns the ids of all conversations.
func (w *watched) ids() []string {
	w.t.Helper()
	page, err := w.Conversations(w.t.Context(), query.ListOptions{Scope: model.ScopeAll})
	if err != nil {
		w.t.Fatal(err)
	}
	var ids []string
	for _, c := range page.Conversations {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	return ids
}

// of returns the ids of the conversations in another file.
func (w *watched) of(file string) []string {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "state.db")
	w.write(path, w.read(file))
	s, err := store.Open(w.t.Context(), path)
	if err != nil {
		w.t.Fatal(err)
	}
	o := &watched{Store: New(w.t.Context(), s, nil), t: w.t}
	defer o.Close()
	return o.ids()
}

// refused checks that nothing can be changed.
func (w *watched) refused() {
	w.t.Helper()
	if w.Editable().ReadOnly == nil {
		w.t.Error("it says that the database can be changed")
	}
	ctx := w.t.Context()
	for _, f := range []func() error{
		func() error { _, err := w.SetPinned(ctx, []string{"x"}, true); return err },
		func() error { _, err := w.Rename(ctx, model.Renaming{ID: "x", Title: "y"}); return err },
		func() error { _, err := w.Delete(ctx, []string{"x"}, model.DeleteOptions{}); return err },
	} {
		if e, ok := errors.AsType[*model.Error](f()); !ok || e.Kind != model.KindReplaced && e.Kind != model.KindNotADatabase {
			w.t.Errorf("a change gives %v", e)
		}
	}
}

func (w *watched) shows(want []string) {
	w.t.Helper()
	if got := w.ids(); !slices.Equal(got, want) {
		w.t.Errorf("it has %q, want %q", got, want)
	}
}

// journals runs a test in both modes.
func journals(t *testing.T, f func(t *testing.T, w *watched)) {
	for _, journal := range []string{"wal", "delete"} {
		t.Run(journal, func(t *testing.T) {
			t.Parallel()
			w := watch(t, journal)
			if _, notice := w.poll(); notice != "" {
				t.Error(notice)
			}
			f(t, w)
		})
	}
}

func TestFileIsReplaced(t *testing.T) {
	t.Parallel()
	journals(t, func(t *testing.T, w *watched) {
		want, before := w.of(w.other), w.ids()
		u, err := w.Delete(t.Context(), before[:1], model.DeleteOptions{})
		w.do(err)
		e, err := w.SetPinned(t.Context(), before[1:2], true)
		w.do(err)
		w.poll()
		w.do(os.Rename(w.other, w.path))
		w.says("state.db was replaced", true)
		w.shows(want)
		// What was done in the one is not undone in the other.
		content := w.read(w.path)
		for _, err := range []error{w.Restore(t.Context(), u, model.RestoreOptions{}), w.UndoEdit(t.Context(), e)} {
			if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.KindReplaced {
				t.Error(err)
			}
		}
		if string(w.read(w.path)) != string(content) {
			t.Error("the other file was changed")
		}
		w.do(u.Close())
		// Their deleted rows are wanted, and left for when the one is back.
		if left, err := w.Current().InterruptedUndos(t.Context()); err != nil || len(left) != 1 {
			t.Error(left, err)
		}
		if e, err := w.SetPinned(t.Context(), want[:1], true); err == nil && w.UndoEdit(t.Context(), e) != nil {
			t.Error("the new one cannot be changed")
		}
	})
}

// The log of the one must not come into the other.
func TestFileIsReplacedBesideALog(t *testing.T) {
	t.Parallel()
	for _, checkpoint := range []string{"PRAGMA wal_checkpoint(PASSIVE)", "SELECT 1"} {
		w := watch(t, "wal")
		w.poll()
		want := w.of(w.other)
		write(t, w.path, `UPDATE sessions SET title = id || ' by another'`, checkpoint)
		w.says("", true)
		moved := w.path + ".moved"
		w.do(os.Rename(w.path, moved))
		w.says("state.db was removed", false)
		w.do(os.Rename(w.other, w.path))
		w.says("state.db was replaced", true)
		w.shows(want)
		for _, id := range w.ids() {
			if c, err := w.Conversation(t.Context(), id); err != nil || strings.Contains(c.Title, "by another") {
				t.Error(c.Title, err)
			}
		}
		check(t, w.path)
		check(t, moved)
		db, err := sql.Open("sqlite", "file:"+moved)
		w.do(err)
		var n int
		w.do(db.QueryRow(`SELECT count(*) FROM sessions WHERE title NOT LIKE '% by another'`).Scan(&n))
		w.do(db.Close())
		if n > 0 {
			t.Errorf("%d rows of the log are not in their file", n)
		}
	}
}

// check has SQLite check a file.
func check(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var line string
	if err := db.QueryRow(`PRAGMA quick_check(messages)`).Scan(&line); err != nil || line != "ok" {
		t.Errorf("%s: %q %v", file, line, err)
	}
}

func TestFileIsOverwritten(t *testing.T) {
	t.Parallel()
	journals(t, func(t *testing.T, w *watched) {
		want := w.of(w.other)
		before := w.ids()
		w.write(w.path, w.read(w.other))
		if _, err := w.Current().SetPinned(t.Context(), before[:1], true); err == nil {
			t.Error("the other file was changed")
		}
		w.says("state.db was overwritten", true)
		w.shows(want)
		check(t, w.path)
	})
}

// A backup of the same database differs in one title only.
func TestFileIsOverwrittenWithItsBackup(t *testing.T) {
	t.Parallel()
	journals(t, func(t *testing.T, w *watched) {
		id := w.ids()[0]
		was, err := w.Conversation(t.Context(), id)
		w.do(err)
		_, err = w.Rename(t.Context(), model.Renaming{ID: was.ID, Was: was.Title, Title: "renamed"})
		w.do(err)
		if v, _ := w.poll(); v == 0 {
			t.Error(v)
		}
		if now, err := w.Conversation(t.Context(), id); err != nil || now.Title != "renamed" {
			t.Fatal(now.Title, err)
		}
		db, err := sql.Open("sqlite", "file:"+w.path) // so that the backup can be copied over the file
		w.do(err)
		_, err = db.Exec(`PRAGMA wal_checkpoint(PASSIVE)`)
		w.do(errors.Join(err, db.Close()))
		w.poll()
		w.write(w.path, w.read(w.copy))
		w.says("state.db was overwritten", true)
		if now, err := w.Conversation(t.Context(), id); err != nil || now.Title != was.Title {
			t.Errorf("%q %v", now.Title, err)
		}
		check(t, w.path)
	})
}

// Changes that are still in the log belong to the content that is gone. SQLite would mix
// them in; nothing is read, changed or closed.
func TestFileIsOverwrittenUnderItsLog(t *testing.T) {
	t.Parallel()
	w := watch(t, "wal")
	w.poll()
	write(t, w.path, `UPDATE sessions SET title = id || ' by another'`)
	w.says("", true)
	w.write(w.path, w.read(w.copy))
	w.says("would mix the two", false)
	w.refused()
	w.do(w.Close())
	if string(w.read(w.path)) != string(w.read(w.copy)) {
		t.Error("the log was moved into the new content")
	}
}

func TestFileIsRemovedAndComesBack(t *testing.T) {
	t.Parallel()
	journals(t, func(t *testing.T, w *watched) {
		before := w.ids()
		hidden := w.path + ".hidden"
		w.do(os.Rename(w.path, hidden))
		w.says("state.db was removed", false)
		w.shows(before)
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		for range 10 { // a canceled query would cost its connection
			_, _ = w.Search(canceled, query.Parse("the", false), query.ListOptions{})
		}
		if _, err := w.Outline(t.Context(), before[0]); err != nil {
			t.Error(err)
		}
		w.refused()
		if n := w.Notes(); len(n) == 0 || n[0].Kind != model.KindReplaced {
			t.Error(n)
		}
		w.do(os.Rename(hidden, w.path))
		w.says("state.db is back", true)
		w.shows(before)
		if _, err := w.SetPinned(t.Context(), before[:1], true); err != nil {
			t.Error(err)
		}
		// Another one comes back.
		want := w.of(w.other)
		w.do(os.Remove(w.path))
		w.says("state.db was removed", false)
		w.do(os.Rename(w.other, w.path))
		w.says("state.db was replaced", true)
		w.shows(want)
	})
}

func TestFileIsEmptied(t *testing.T) {
	t.Parallel()
	journals(t, func(t *testing.T, w *watched) {
		want := w.of(w.other)
		w.do(os.Truncate(w.path, 0))
		w.says("state.db was emptied", false)
		w.refused()
		if _, err := w.Conversations(t.Context(), query.ListOptions{}); err == nil {
			t.Error("rows are read from an empty file")
		}
		w.write(w.path, w.read(w.other))
		w.says("state.db was overwritten", true)
		w.shows(want)
		check(t, w.path)
	})
}

func TestFileIsOverwrittenWithGarbage(t *testing.T) {
	t.Parallel()
	journals(t, func(t *testing.T, w *watched) {
		want := w.of(w.copy)
		w.write(w.path, []byte(strings.Repeat("no database ", 5000)))
		w.says("cannot be used: this is not a SQLite database", false)
		w.refused()
		w.write(w.path, w.read(w.copy))
		w.says("state.db was overwritten", true)
		w.shows(want)
		check(t, w.path)
	})
}

func TestLogIsRemoved(t *testing.T) {
	t.Parallel()
	w := watch(t, "wal")
	w.poll()
	write(t, w.path, `UPDATE sessions SET title = id || ' by another'`)
	w.says("", true)
	w.do(os.Remove(w.path + "-wal"))
	w.says("state.db-wal was removed", true)
	if c, err := w.Conversation(t.Context(), w.ids()[0]); err != nil || !strings.Contains(c.Title, "by another") {
		t.Error(c.Title, err)
	}
	check(t, w.path)
}

// What Hermes does is no reason to open the file again.
func TestOrdinaryChangesAreNoReplacement(t *testing.T) {
	t.Parallel()
	journals(t, func(t *testing.T, w *watched) {
		first := w.Current()
		ids := w.ids()
		db, err := sql.Open("sqlite", "file:"+w.path)
		w.do(err)
		defer db.Close()
		for _, s := range []string{
			`UPDATE sessions SET title = id || ' by another'`, `PRAGMA wal_checkpoint(PASSIVE)`, `PRAGMA wal_checkpoint(TRUNCATE)`,
			`CREATE INDEX another ON sessions(title)`, `DROP INDEX another`, `DELETE FROM messages WHERE id = (SELECT max(id) FROM messages)`,
			`VACUUM`, `PRAGMA wal_checkpoint(RESTART)`, `INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'x', 1.0 FROM sessions`,
		} {
			if _, err := db.Exec(s); err != nil {
				t.Fatal(s, err)
			}
			if _, notice := w.poll(); notice != "" || w.Current() != first {
				t.Fatalf("%s: %q", s, notice)
			}
		}
		u, err := w.Delete(t.Context(), ids, model.DeleteOptions{})
		w.do(err)
		w.poll()
		w.do(w.Restore(t.Context(), u, model.RestoreOptions{}))
		if _, notice := w.poll(); notice != "" || w.Current() != first {
			t.Errorf("%q", notice)
		}
		w.do(u.Close())
	})
}

func TestFolderBecomesReadOnly(t *testing.T) {
	t.Parallel()
	if fixtures.AsUser(t) {
		return
	}
	journals(t, func(t *testing.T, w *watched) {
		dir := filepath.Dir(w.path)
		w.do(os.Chmod(w.path, 0o400))
		w.do(os.Chmod(dir, 0o500))
		defer os.Chmod(dir, 0o700)
		w.says("can no longer be changed", false)
		w.do(os.Chmod(dir, 0o700))
		w.do(os.Chmod(w.path, 0o600))
		w.says("can be changed again", false)
		w.do(os.Chmod(w.path, 0))
		w.says("can no longer be read", false)
		w.ids()
		w.refused()
		w.do(os.Chmod(w.path, 0o600))
		w.says("is back", true)
		w.do(os.Chmod(w.path, 0o400))
		w.do(os.Chmod(dir, 0o500))
		w.says("can no longer be changed", false)
		w.do(os.Chmod(dir, 0o700))
		w.do(os.Chmod(w.path, 0))
		w.says("can no longer be read", false)
		w.do(os.Chmod(w.path, 0o600))
		w.says("is back", true) // which is more than that it can be changed again
	})
}

// While a vacuum has the file, or waits for it, no other is opened in its place; the next
// look opens what is there then.
func TestFileIsReplacedDuringAVacuum(t *testing.T) {
	t.Parallel()
	w := watch(t, "delete")
	_, _, done, err := w.use(t.Context()) // the vacuum waits for this call
	if err != nil {
		t.Fatal(err)
	}
	vacuumed, seen := make(chan error, 1), make(chan error, 1)
	go func() { vacuumed <- w.Vacuum(t.Context(), "") }()
	for begun := false; !begun; runtime.Gosched() {
		w.mu.Lock()
		begun = w.busy
		w.mu.Unlock()
	}
	if err := os.Rename(w.other, w.path); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := w.DataVersion(t.Context())
		seen <- err
	}()
	runtime.Gosched()
	if number := w.opened.number; number != 1 {
		t.Errorf("opened %d times beside a vacuum", number)
	}
	done()
	if err := <-vacuumed; err == nil {
		t.Error("the vacuum was made in a file that is no longer there")
	}
	if err := <-seen; err != nil || w.opened.number != 2 || !strings.Contains(w.FileNotice(), "replaced") {
		t.Errorf("%v, opened %d times", err, w.opened.number)
	}
}
