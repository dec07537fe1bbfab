package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/sessiondb"
)

// kind returns the kind of a typed error, or its text.
func kind(err error) string {
	if e, ok := errors.AsType[*model.Error](err); ok {
		return e.Kind
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// rename is a change of one row.
func rename(ctx context.Context, title string) func(*db.Tx) error {
	return func(t *db.Tx) error {
		_, err := t.Exec(ctx, `UPDATE sessions SET title = ? WHERE id = (SELECT min(id) FROM sessions)`, title)
		return err
	}
}

func Must(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, q := range statements {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

func TestWriteIsSeenByReaders(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		s := openFixture(t, name)
		before, err := s.DataVersion(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var mode string
		if err := s.db.Pool.QueryRow(`PRAGMA journal_mode`).Scan(&mode); err != nil {
			t.Fatal(err)
		}
		if err := s.db.Write(t.Context(), "test", func(x *db.Tx) error {
			_, err := x.Exec(t.Context(), `UPDATE sessions SET model = 'seen by all'`)
			return err
		}); err != nil {
			t.Fatal(name, err)
		}
		if after, err := s.DataVersion(t.Context()); err != nil || after == before {
			t.Errorf("%s: data version stays %d after our own write (%v)", name, after, err)
		}
		c, err := s.sessions.CurrentSnapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range c.All() {
			if m.Model != "seen by all" {
				t.Errorf("%s: the snapshot is stale", name)
				break
			}
		}
		var now string
		if err := s.db.Pool.QueryRow(`PRAGMA journal_mode`).Scan(&now); err != nil || now != mode {
			t.Errorf("%s: journal mode %s became %s (%v)", name, mode, now, err)
		}
	}
}

func TestNoConnectionBeforeTheFirstChange(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	if _, err := s.sessions.CurrentSnapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.db.Writer.Pool != nil {
		t.Error("browsing opened a connection that can write")
	}
}

func TestReadOnlyStoreNeverWrites(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), fixture(t, "v11.db"), ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.db.Write(t.Context(), "rename", rename(t.Context(), "x")); kind(err) != model.KindReadOnly {
		t.Error(err)
	}
	if s.db.Writer.Pool != nil {
		t.Error("a connection that can write was opened")
	}
}

func TestFileWithoutPermissionIsReadOnly(t *testing.T) {
	t.Parallel()
	if fixtures.AsUser(t) {
		return
	}
	path := fixture(t, "v25.db")
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.db.Write(t.Context(), "rename", rename(t.Context(), "x")); kind(err) != model.KindReadOnly {
		t.Error(err)
	}
}

// Where a new file cannot be made, the error is about the folder, not about the file.
func TestNewFileInAFolderWithoutPermission(t *testing.T) {
	t.Parallel()
	if fixtures.AsUser(t) {
		return
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := Migrate(t.Context(), filepath.Join(folder, "new.db"))
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Kind != model.KindReadOnly || !strings.Contains(e.Message, "the folder of the database cannot be written") || strings.Contains(e.Remedy.Command, "new.db") {
		t.Errorf("%v", err)
	}
}

// The patience with other writers is that of Hermes (store/README.md#write-rules).
func TestWriterHasTheRetriesOfHermes(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	if err := s.db.Write(t.Context(), "test", func(x *db.Tx) error {
		ms, _, err := x.One(t.Context(), `PRAGMA busy_timeout`)
		if db.AsInt(ms) != 1000 {
			t.Error("a lock is waited for", ms, "ms")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if db.MaxWriteTries != 15 || db.MinRetryPause != 20*time.Millisecond || db.MaxRetryPause != 150*time.Millisecond || db.CheckpointEvery != 50 {
		t.Error(db.MaxWriteTries, db.MinRetryPause, db.MaxRetryPause, db.CheckpointEvery)
	}
}

func TestWriteWaitsForOtherProcesses(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	other := otherConnection(t, s.Path())
	Must(t, other, `BEGIN IMMEDIATE`)
	var pauses []time.Duration
	s.db.Writer.BusyTimeout = time.Millisecond
	s.db.Writer.Sleep = func(_ context.Context, d time.Duration) error {
		if pauses = append(pauses, d); len(pauses) == 3 {
			Must(t, other, `COMMIT`)
		}
		return nil
	}
	runs := 0
	if err := s.db.Write(t.Context(), "rename", func(x *db.Tx) error {
		runs++
		return rename(t.Context(), "patient")(x)
	}); err != nil {
		t.Fatal(err)
	}
	if len(pauses) != 3 || runs != 1 {
		t.Errorf("%d pauses, %d runs", len(pauses), runs)
	}
	for _, d := range pauses {
		if d < db.MinRetryPause || d >= db.MaxRetryPause {
			t.Errorf("pause of %v", d)
		}
	}
}

func TestWriteGivesUpOnAKeptLock(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	Must(t, otherConnection(t, s.Path()), `BEGIN IMMEDIATE`)
	pauses := 0
	s.db.Writer.BusyTimeout = time.Millisecond
	s.db.Writer.Sleep = func(context.Context, time.Duration) error { pauses++; return nil }
	err := s.db.Write(t.Context(), "rename", rename(t.Context(), "x"))
	if kind(err) != model.KindLocked || pauses != db.MaxWriteTries-1 {
		t.Errorf("%v after %d pauses", err, pauses)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	Must(t, otherConnection(t, s.Path()), `BEGIN IMMEDIATE`)
	ctx, cancel := context.WithCancel(t.Context())
	s.db.Writer.BusyTimeout = time.Millisecond
	s.db.Writer.Sleep = func(ctx context.Context, d time.Duration) error {
		cancel()
		return db.SleepContext(ctx, time.Hour)
	}
	if err := s.db.Write(ctx, "rename", rename(ctx, "x")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAFailedWriteIsRolledBack(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	const dump = `SELECT count(*) FROM sessions WHERE title = 'half'`
	failed := errors.New("failed")
	ctx, cancel := context.WithCancel(t.Context())
	for name, f := range map[string]func(*db.Tx) error{
		"error":  func(*db.Tx) error { return failed },
		"cancel": func(*db.Tx) error { cancel(); return nil },
	} {
		c := t.Context()
		if name == "cancel" {
			c = ctx
		}
		err := s.db.Write(c, "test", func(x *db.Tx) error {
			if err := rename(t.Context(), "half")(x); err != nil {
				return err
			}
			return f(x)
		})
		if !errors.Is(err, failed) && !errors.Is(err, context.Canceled) {
			t.Error(name, err)
		}
		if n := Count(t, s, dump); n != 0 {
			t.Errorf("%s: half of it stayed", name)
		}
	}
	func() {
		defer func() { recover() }()
		s.db.Write(t.Context(), "test", func(x *db.Tx) error {
			if err := rename(t.Context(), "half")(x); err != nil {
				t.Error(err)
			}
			panic("in the middle")
		})
	}()
	if n := Count(t, s, dump); n != 0 {
		t.Error("panic: half of it stayed")
	}
	if err := s.db.Write(t.Context(), "test", rename(t.Context(), "whole")); err != nil {
		t.Error("after all that:", err)
	}
}

func TestWriteChecksForeignKeys(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	err := s.db.Write(t.Context(), "test", func(x *db.Tx) error {
		_, err := x.Exec(t.Context(), `UPDATE sessions SET parent_session_id = 'unknown'`)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "FOREIGN KEY constraint failed") {
		t.Error(err)
	}
}

func TestWriteSeesASchemaChangedByAnotherProcess(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	if err := s.db.Write(t.Context(), "test", rename(t.Context(), "a")); err != nil {
		t.Fatal(err)
	}
	Must(t, otherConnection(t, s.Path()), `ALTER TABLE sessions ADD COLUMN title_source TEXT`)
	if err := s.db.Write(t.Context(), "test", func(x *db.Tx) error {
		if !x.Schema.Has("sessions", "title_source") {
			t.Error("the column is not seen")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestFullDiskIsTyped(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	if err := s.db.Write(t.Context(), "test", rename(t.Context(), "a")); err != nil {
		t.Fatal(err)
	}
	s.db.Writer.Pool.Exec(`PRAGMA max_page_count = 1`) // SQLite makes it the present size
	err := s.db.Write(t.Context(), "grow", func(x *db.Tx) error {
		_, err := x.Exec(t.Context(), `UPDATE sessions SET system_prompt = ?`, strings.Repeat("x", 1<<20))
		return err
	})
	if kind(err) != model.KindDiskFull {
		t.Error(err)
	}
	if n := Count(t, s, `SELECT count(*) FROM sessions WHERE system_prompt LIKE 'xxx%'`); n != 0 {
		t.Error("part of it stayed")
	}
}

func TestTriggerOfANewerHermesIsQuoted(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	const words = "sessions are held by a newer Hermes (31). Downgrading is unsupported; run: hermes update"
	Must(t, otherConnection(t, s.Path()), `CREATE TRIGGER sessions_runtime_ledger_delete_guard BEFORE DELETE ON sessions
		BEGIN SELECT RAISE(ABORT, '`+words+`'); END`)
	err := s.db.Write(t.Context(), "delete", func(x *db.Tx) error {
		_, err := x.Exec(t.Context(), `DELETE FROM messages WHERE session_id = (SELECT min(id) FROM sessions);
			DELETE FROM sessions WHERE id = (SELECT min(id) FROM sessions)`)
		return err
	})
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Kind != model.KindRefused || e.Message != words {
		t.Errorf("%#v", err)
	}
	if Count(t, s, `SELECT count(*) FROM messages WHERE session_id = (SELECT min(id) FROM sessions)`) == 0 {
		t.Error("the messages are gone")
	}
}

// trapped lays the trap of messages_fts_cjk: an index with a tokenizer that is
// not here, and triggers that write to it.
func trapped(t testing.TB, path string) {
	t.Helper()
	db := otherConnection(t, path)
	Must(t, db, `CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content, tokenize='trigram')`,
		`CREATE TRIGGER messages_fts_cjk_insert AFTER INSERT ON messages BEGIN INSERT INTO messages_fts_cjk(rowid, content) VALUES (new.id, new.content); END`,
		`CREATE TRIGGER messages_fts_cjk_delete AFTER DELETE ON messages BEGIN DELETE FROM messages_fts_cjk WHERE rowid = old.id; END`,
		`CREATE TRIGGER messages_fts_cjk_update AFTER UPDATE ON messages BEGIN DELETE FROM messages_fts_cjk WHERE rowid = old.id; END`,
		`PRAGMA writable_schema = 1`,
		`UPDATE sqlite_master SET sql = replace(sql, 'trigram', 'cjk_unicode61') WHERE name = 'messages_fts_cjk'`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := otherConnection(t, path).Exec(`INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'x', 1 FROM sessions LIMIT 1`); err == nil || !strings.Contains(err.Error(), "no such tokenizer") {
		t.Fatal("this is no trap:", err)
	}
}

// Where an index needs a tokenizer that only Hermes has, no call touches a
// message, each says why, and all that needs none goes on (store/README.md#tokenizer-trap).
func TestWritesRefuseAnUnknownTokenizer(t *testing.T) {
	t.Parallel()
	const id = "mine"
	path := fixture(t, "v25.db")
	Must(t, otherConnection(t, path), session(id), message(id, 2))
	trapped(t, path)
	s := reopen(t, path)
	q := otherConnection(t, path)
	ctx := t.Context()
	before := dump(t, q)
	for what, change := range map[string]func() error{
		"append": func() error {
			_, err := s.AppendMessage(ctx, id, sessiondb.NewMessage{Role: "user", Content: "x"})
			return err
		},
		"replace": func() error { return s.ReplaceMessages(ctx, id, []sessiondb.NewMessage{{Role: "user", Content: "x"}}) },
		"clear":   func() error { return s.ClearMessages(ctx, id) },
		"plan": func() error {
			_, err := s.PlanDelete(ctx, []string{id}, model.DeleteOptions{})
			return err
		},
		"delete": func() error {
			_, err := s.Delete(ctx, []string{id}, model.DeleteOptions{})
			return err
		},
		"import": func() error {
			_, err := s.Import(ctx, strings.NewReader(`{"id": "new", "source": "cli", "started_at": 1.0, "messages": [{"role": "user", "content": "x", "timestamp": 1.0}]}`), model.ImportOptions{})
			return err
		},
	} {
		err := change()
		if kind(err) != model.KindTokenizer {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if expect(t, err, model.KindTokenizer); !strings.Contains(err.Error(), "cjk_unicode61, which only Hermes loads") {
			t.Errorf("%s: %v", what, err)
		}
		same(t, what, before, dump(t, q))
	}
	if _, err := s.SetTitle(ctx, id, "named all the same"); err != nil {
		t.Error(err)
	}
	if err := s.EndSession(ctx, id, "user_exit"); err != nil {
		t.Error(err)
	}
	if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: "new", Source: "cli"}); err != nil {
		t.Error(err)
	}
	if n, err := s.Export(ctx, io.Discard, model.ExportOptions{}); err != nil || n == 0 {
		t.Error(n, err)
	}
	if found, err := s.Search(ctx, query.Parse("the", false), query.ListOptions{Scope: model.ScopeAll}); err != nil || found.Hits == 0 {
		t.Error(found.Hits, err)
	}
}

func TestSessionInUseIsRefused(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	var parent, child string
	if err := s.db.Pool.QueryRow(`SELECT p.id, c.id FROM sessions p JOIN sessions c ON c.parent_session_id = p.id WHERE p.end_reason = 'compression'
		AND p.parent_session_id IS NULL AND c.model_config IS NULL`).Scan(&parent, &child); err != nil {
		t.Fatal(err)
	}
	q := otherConnection(t, s.Path())
	guard := func() string {
		return kind(s.db.Write(t.Context(), "test", func(x *db.Tx) error {
			return s.db.CheckNotInUse(t.Context(), x, "unknown", child)
		}))
	}
	Must(t, q, `INSERT INTO compression_locks VALUES ('`+child+`', 'pid 1', 1789999999, 1790000001)`)
	if got := guard(); got != model.KindInUse {
		t.Error("a live compression lock:", got)
	}
	Must(t, q, `UPDATE compression_locks SET expires_at = 1790000000`)
	if got := guard(); got != "" {
		t.Error("a lock that has run out:", got)
	}
	Must(t, q, `CREATE TABLE session_turn_leases (conversation_id TEXT, expires_at REAL)`,
		`INSERT INTO session_turn_leases VALUES ('`+parent+`', 1790000001)`)
	if got := guard(); got != model.KindInUse {
		t.Error("a live turn lease on the first segment:", got)
	}
	Must(t, q, `UPDATE session_turn_leases SET expires_at = 1`)
	if got := guard(); got != "" {
		t.Error("a lease that has run out:", got)
	}
}

// Every fiftieth change moves what it can of the log into the file, as Hermes
// does, while others have it open (store/README.md#write-rules).
func TestWritesCheckpointTheWAL(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	file := func() []byte {
		b, err := os.ReadFile(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	before := file()
	for n := 1; n < db.CheckpointEvery; n++ {
		if err := s.db.Write(t.Context(), "test", rename(t.Context(), fmt.Sprint("title ", n))); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(file(), before) {
		t.Fatal("the file has changed before its time")
	}
	if err := s.db.Write(t.Context(), "test", rename(t.Context(), "the fiftieth")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(file(), []byte("the fiftieth")) {
		t.Error("the change is not in the file")
	}
}

func TestLastCloseLeavesNoWAL(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for range db.CheckpointEvery + 1 {
		if err := s.db.Write(t.Context(), "test", rename(t.Context(), "a")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(path + "*")
	if err != nil || len(left) != 1 {
		t.Error(left, err)
	}
}

func TestSecondsAreThoseOfPython(t *testing.T) {
	t.Parallel()
	for micro, want := range map[int64]float64{
		1773577901508087: 1773577901.508087, 1790000000000000: 1790000000, 1772882530372460: 1772882530.37246,
	} {
		if got := db.Seconds(time.UnixMicro(micro)); got != want {
			t.Errorf("%v, not %v", got, want)
		}
	}
}
