package store

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// migrated migrates a copy of a fixture and opens it.
func migrated(t testing.TB, name string) (*Store, model.Migrated) {
	t.Helper()
	path := fixture(t, name)
	r, err := Migrate(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(name, err)
	}
	return reopen(t, path), r
}

func reopen(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// sound checks a file of version 11 from end to end.
func sound(t testing.TB, s *Store) {
	t.Helper()
	if lines := strings.Join(texts(t, s, `PRAGMA integrity_check`), "\n"); lines != "ok" && !strings.Contains(lines, "messages_fts_trigram") {
		t.Errorf("integrity: %s", lines)
	}
	if lines := texts(t, s, `SELECT "table" || rowid FROM pragma_foreign_key_check`); len(lines) > 0 {
		t.Errorf("foreign keys: %v", lines)
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if n := Count(t, s, `SELECT count(*) FROM (SELECT id FROM messages EXCEPT SELECT id FROM `+table+`_docsize)`); n != 0 {
			t.Errorf("%d messages are not in %s", n, table)
		}
		if n := Count(t, s, `SELECT count(*) FROM (SELECT id FROM `+table+`_docsize EXCEPT SELECT id FROM messages)`); n != 0 {
			t.Errorf("%d rows of %s have no message", n, table)
		}
	}
}

// texts asks the file itself for one column.
func texts(t testing.TB, s *Store, query string) []string {
	t.Helper()
	rows, err := s.db.Pool.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(query, err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var v any
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, db.AsText(v))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(query, err)
	}
	return out
}

// What Hermes 11 made of the files of older versions, we make of them too.
func TestMigrateAsRecorded(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures.Names(t, "oracle/migrated-to-v11/*.json", 12) {
		name := strings.TrimSuffix(path.Base(f), ".json")
		t.Run(name, func(t *testing.T) {
			var want struct {
				Before int                 `json:"schema_version_before"`
				After  int                 `json:"schema_version_after"`
				Tables map[string][]string `json:"tables_after"`
				IDs    []string            `json:"session_ids"`
				Count  int                 `json:"message_count"`
				FTS    int                 `json:"fts_rows"`
			}
			Recorded(t, "migrated-to-v11/"+name, &want)
			s, r := migrated(t, name+".db")
			if r.From != want.Before || r.To != want.After || s.db.Schema.Version != want.After {
				t.Errorf("from %d to %d, the file says %d; recorded %d to %d", r.From, r.To, s.db.Schema.Version, want.Before, want.After)
			}
			for table, columns := range want.Tables {
				if got := texts(t, s, `SELECT name FROM pragma_table_info('`+table+`')`); !slices.Equal(got, columns) {
					t.Errorf("%s has %v, recorded %v", table, got, columns)
				}
			}
			ids := texts(t, s, `SELECT id FROM sessions ORDER BY id`)
			slices.Sort(want.IDs)
			if !slices.Equal(ids, want.IDs) {
				t.Errorf("sessions %v, recorded %v", ids, want.IDs)
			}
			if n := Count(t, s, `SELECT count(*) FROM messages`); n != want.Count {
				t.Errorf("%d messages, recorded %d", n, want.Count)
			}
			for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
				if n := Count(t, s, `SELECT count(*) FROM `+table); n != want.FTS {
					t.Errorf("%s has %d rows, recorded %d", table, n, want.FTS)
				}
			}
			if changed := want.Before < 11 || name == "v11-first"; changed != (r.Backup != "") {
				t.Errorf("copy %q", r.Backup)
			}
			sound(t, s)
		})
	}
}

// The schema that a migration ends with is the schema of a new file, but for
// the order of columns in old tables.
func TestMigratedSchemaIsThatOfANewFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "home", "state.db")
	r, err := Migrate(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if want := (model.Migrated{Path: path, To: 11}); !reflect.DeepEqual(r, want) {
		t.Errorf("%+v", r)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Error("readable for others:", info.Mode(), err)
	}
	fresh := reopen(t, path)
	sound(t, fresh)
	var mode string
	if err := fresh.db.Pool.QueryRow(`PRAGMA journal_mode`).Scan(&mode); err != nil || mode != "wal" {
		t.Error(mode, err)
	}
	const objects = `SELECT type || ' ' || name || CASE type WHEN 'table' THEN '' ELSE ' ' || coalesce(sql, '') END
		FROM sqlite_master WHERE name <> 'sqlite_stat1' ORDER BY 1`
	want := texts(t, fresh, objects)
	for _, name := range []string{"v01.db", "v04.db", "v09.db", "v10.db", "v11.db"} {
		s, _ := migrated(t, name)
		if got := texts(t, s, objects); !slices.Equal(got, want) {
			t.Errorf("%s has\n%s\na new file has\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestMigrateCreatesTablesInAnEmptyFile(t *testing.T) {
	path := fixture(t, "bad/empty.db")
	if _, err := Migrate(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	sound(t, reopen(t, path))
}

// Columns that version 11 has and older software never wrote are added, whichever
// they are.
func TestMigrateAddsTheEndReason(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v10.db")
	Must(t, otherConnection(t, path), `DROP INDEX IF EXISTS idx_sessions_parent`,
		`ALTER TABLE sessions DROP COLUMN end_reason`, `ALTER TABLE sessions DROP COLUMN ended_at`)
	if _, err := Migrate(t.Context(), path, WithClock(clock)); err != nil {
		t.Fatal(err)
	}
	s := reopen(t, path)
	sound(t, s)
	if n := Count(t, s, `SELECT count(*) FROM sessions WHERE ended_at IS NULL AND end_reason IS NULL`); n == 0 {
		t.Error("the sessions are gone")
	}
}

func TestMigrateAgainChangesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v10.db", "v11.db"} {
		s, first := migrated(t, name)
		again, err := Migrate(t.Context(), s.Path(), WithClock(clock))
		if err != nil || again.Backup != "" || len(again.Repairs) > 0 || again.From != 11 {
			t.Errorf("%s: %+v %v", name, again, err)
		}
		copies, _ := filepath.Glob(s.Path() + ".bak*")
		if want := first.Backup != ""; want != (len(copies) == 1) {
			t.Error(name, copies)
		}
	}
}

func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"v12.db": model.KindNewer, "v25.db": model.KindNewer, "life-long.db": model.KindNewer, "bad/future.db": model.KindNewer,
		"bad/other-application.db": model.KindForeign, "bad/not-a-database.db": model.KindNotADatabase,
		"bad/truncated.db": model.KindTruncated, "bad/damaged-pages.db": model.KindDamaged,
	} {
		path := fixture(t, name)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Migrate(t.Context(), path)
		if got := kind(err); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
		after, err := os.ReadFile(path)
		if err != nil || string(after) != string(before) {
			t.Errorf("%s was changed (%v)", name, err)
		}
		if copies, _ := filepath.Glob(path + ".bak*"); len(copies) > 0 {
			t.Error(name, copies)
		}
	}
	if _, err := Migrate(t.Context(), t.TempDir()); kind(err) != model.KindDirectory {
		t.Error(err)
	}
	if _, err := Migrate(t.Context(), fixture(t, "v01.db"), ReadOnly()); kind(err) != model.KindReadOnly {
		t.Error(err)
	}
}

func TestMigrateRefusesAFileWhoseVersionWasLowered(t *testing.T) {
	s := openFixture(t, "v16.db")
	Must(t, otherConnection(t, s.Path()), `UPDATE schema_version SET version = 9`)
	if _, err := Migrate(t.Context(), s.Path()); kind(err) != model.KindNewer {
		t.Error(err)
	}
}

func TestMigrateRepairsVersionRows(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bad/no-version-row.db", "bad/two-version-rows.db"} {
		s, r := migrated(t, name)
		if got := texts(t, s, `SELECT version FROM schema_version`); !slices.Equal(got, []string{"11"}) {
			t.Error(name, got)
		}
		if len(r.Repairs) != 1 || !strings.Contains(r.Repairs[0], "version") {
			t.Error(name, r.Repairs)
		}
		sound(t, s)
	}
}

// Hermes 11 could never open such a file again.
func TestQ15DuplicateTitlesAreRepairedAndReported(t *testing.T) {
	t.Parallel()
	path := fixture(t, "bad/duplicate-titles.db")
	before := reopen(t, path)
	newest := texts(t, before, `SELECT id FROM sessions s WHERE title IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM sessions t WHERE t.title = s.title AND t.rowid > s.rowid) ORDER BY id`)
	lost := Count(t, before, `SELECT count(*) FROM sessions WHERE title IS NOT NULL`) - len(newest)
	if lost == 0 {
		t.Fatal("the fixture has no duplicates")
	}
	r, err := Migrate(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s := reopen(t, path)
	if got := texts(t, s, `SELECT id FROM sessions WHERE title IS NOT NULL ORDER BY id`); !slices.Equal(got, newest) {
		t.Errorf("%v keep their titles, not %v", got, newest)
	}
	if len(r.Repairs) != lost {
		t.Error(r.Repairs)
	}
	sound(t, s)
}

// Hermes 11 made missing tables anew but left them empty, and missing
// triggers missing.
func TestQ16LostIndexIsRebuiltAndReported(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"bad/fts-missing.db":     "",
		"bad/fts-out-of-step.db": "",
		"bad/fts-corrupt.db":     "",
		"v11.db":                 `DROP TRIGGER messages_fts_trigram_insert`,
		"v11-first.db":           `DROP TRIGGER messages_fts_update; DROP TRIGGER messages_fts_insert; DROP TABLE messages_fts`,
	} {
		path := fixture(t, name)
		if damage != "" {
			Must(t, otherConnection(t, path), damage)
		}
		r, err := Migrate(t.Context(), path)
		if err != nil {
			t.Error(name, err)
			continue
		}
		if !slices.ContainsFunc(r.Repairs, func(l string) bool { return strings.Contains(l, "full-text index was rebuilt") }) {
			t.Error(name, r.Repairs)
		}
		s := reopen(t, path)
		sound(t, s)
		if n := Count(t, s, `SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'the'`); n == 0 {
			t.Error(name, "finds nothing")
		}
	}
}

// The copy is the file as it was, with what stood in the -wal only.
func TestMigrationBackupEqualsTheFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v07.db", "v10.db"} {
		path := fixture(t, name)
		db := otherConnection(t, path)
		Must(t, db, `PRAGMA wal_autocheckpoint = 0`, `INSERT INTO sessions (id, source, started_at) VALUES ('only in the wal', 'cli', 1)`)
		before := reopen(t, path)
		rows := texts(t, before, `SELECT id || source || started_at FROM sessions ORDER BY id`)
		messages := texts(t, before, `SELECT id || role || coalesce(quote(content), '') FROM messages ORDER BY id`)
		r, err := Migrate(t.Context(), path, WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		if want := path + ".bak-v" + strconv.Itoa(r.From) + "-" + clock().Format("20060102-150405"); r.Backup != want {
			t.Errorf("%s, not %s", r.Backup, want)
		}
		b := reopen(t, r.Backup)
		if b.db.Schema.Version != r.From {
			t.Error("the copy is of version", b.db.Schema.Version)
		}
		if got := texts(t, b, `SELECT id || source || started_at FROM sessions ORDER BY id`); !slices.Equal(got, rows) {
			t.Error(name, "sessions differ")
		}
		if got := texts(t, b, `SELECT id || role || coalesce(quote(content), '') FROM messages ORDER BY id`); !slices.Equal(got, messages) {
			t.Error(name, "messages differ")
		}
	}
	path := fixture(t, "v07.db")
	if r, err := Migrate(t.Context(), path, WithoutBackup()); err != nil || r.Backup != "" {
		t.Error(r, err)
	}
	if copies, _ := filepath.Glob(path + ".bak*"); len(copies) > 0 {
		t.Error(copies)
	}
}

func TestCanceledMigrationLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v09.db")
	ctx, cancel := context.WithCancel(t.Context())
	s := newStore(path, []Option{WithClock(func() time.Time { cancel(); return clock() })})
	if _, err := s.upkeep.Migrate(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if after := reopen(t, path); after.db.Schema.Version != 9 {
		t.Error("version", after.db.Schema.Version)
	}
	if copies, _ := filepath.Glob(path + ".bak*"); len(copies) > 0 {
		t.Error("an unneeded copy stays:", copies)
	}
}

// doomed is a context that ends the process when it is asked for the n-th
// time: SQLite is asked to do something between any two of these.
type doomed struct {
	context.Context
	left *atomic.Int64
}

func (d doomed) Done() <-chan struct{} {
	if d.left.Add(-1) == 0 {
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			p.Kill()
		}
		select {}
	}
	return d.Context.Done()
}

// child runs one test of this binary as a process of its own, killed when ctx
// ends.
func child(ctx context.Context, test string, env ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+test+"$", "-test.count=1")
	c.Env = append(os.Environ(), env...)
	return c
}

// The other half of TestKilledMigration.
func TestKilledMigrationChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_MIGRATE")
	if path == "" {
		t.Skip("runs inside TestKilledMigration")
	}
	n, err := strconv.ParseInt(os.Getenv("STORE_TEST_LEFT"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	left := &atomic.Int64{}
	left.Store(n)
	if _, err := Migrate(doomed{t.Context(), left}, path, WithClock(clock)); err != nil {
		t.Fatal(err)
	}
}

// Killed at any point, the file is at the old or at the new version and sound,
// and the next attempt gets there.
func TestKilledMigration(t *testing.T) {
	t.Parallel()
	old, whole, killed := 0, 0, 0
	try := func(name string, after time.Duration, left int64) (finished bool) {
		path := fixture(t, name)
		ctx, cancel := context.WithTimeout(t.Context(), after)
		defer cancel()
		c := child(ctx, "TestKilledMigrationChild", "STORE_TEST_MIGRATE="+path, "STORE_TEST_LEFT="+strconv.FormatInt(left, 10))
		out, err := c.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			if exit.ExitCode() > 0 && ctx.Err() == nil && runtime.GOOS != "windows" {
				t.Fatalf("%s at %d: %s", name, left, out)
			}
			killed++
		} else if err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		finished = err == nil
		s := reopen(t, path)
		v := s.db.Schema.Version
		switch {
		case v == 11:
			whole++
			sound(t, s)
		case finished:
			t.Errorf("%s: finished at version %d", name, v)
		default:
			old++
			if got := texts(t, s, `PRAGMA integrity_check`); !slices.Equal(got, []string{"ok"}) {
				t.Errorf("%s killed after %v at %d: %v", name, after, left, got)
			}
			if s.db.Schema.Has("sessions", "handoff_state") {
				t.Errorf("%s killed after %v at %d is between the versions", name, after, left)
			}
		}
		copies, err := filepath.Glob(path + ".bak-v*")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range copies {
			if b, err := Open(t.Context(), file); err != nil {
				t.Errorf("%s killed after %v at %d leaves half a copy: %v", name, after, left, err)
			} else if sum := texts(t, b, `PRAGMA integrity_check`); !slices.Equal(sum, []string{"ok"}) || b.Close() != nil {
				t.Errorf("%s killed after %v at %d leaves a bad copy: %v", name, after, left, sum)
			}
		}
		if r, err := Migrate(t.Context(), path, WithoutBackup()); err != nil || r.To != 11 {
			t.Errorf("%s killed after %v at %d: %v", name, after, left, err)
		}
		if files, err := filepath.Glob(path + ".bak-*"); err != nil || len(files) != len(copies) {
			t.Errorf("%s killed after %v at %d: after the next attempt there are %v", name, after, left, files)
		}
		return finished
	}
	const long = time.Minute
	step := int64(campaign.Length(300, 60)) // between two statements
	for _, name := range []string{"v03.db", "v10.db"} {
		for n := int64(1); !try(name, long, n); n += step {
		}
	}
	if old == 0 || whole < 2 || killed == 0 {
		t.Errorf("killed %d times, old version %d, new version %d: the points are not spread", killed, old, whole)
	}
	if !campaign.On() {
		return
	}
	for after := 20 * time.Millisecond; after < 120*time.Millisecond; after += 5 * time.Millisecond { // in the middle of one
		try("v10.db", after, 1<<40)
	}
	t.Logf("trust: %d kills during a migration: %d files at the old version, %d at the new, 0 between", killed, old, whole)
}

func TestMigrateKeepsOddContent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"bad-json", "cycle", "invalid-utf8", "invalid-utf8-title", "nulls-everywhere", "orphan-parent", "timestamps", "hot-wal",
	} {
		path := fixture(t, "bad/"+name+".db")
		Must(t, otherConnection(t, path), `DROP TRIGGER messages_fts_insert`) // something to do
		const dump = `SELECT quote(id) || quote(session_id) || quote(role) || quote(content) || quote(tool_calls) || quote(timestamp) FROM messages ORDER BY id`
		before := reopen(t, path)
		want := texts(t, before, dump)
		r, err := Migrate(t.Context(), path)
		if err != nil || len(r.Repairs) == 0 {
			t.Error(name, r, err)
			continue
		}
		if got := texts(t, before, dump); !slices.Equal(got, want) {
			t.Error(name, "messages have changed")
		}
	}
}

// The lists, transcripts and chats of a migrated file are the recorded ones.
func TestMigratedFilesAnswerAsRecorded(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		version := strings.TrimSuffix(name, ".db")
		if !fixtures.Exists("oracle/migrated-to-v11/" + version + ".json") {
			continue
		}
		t.Run(version, func(t *testing.T) {
			s, _ := migrated(t, name)
			var r struct {
				Lists    []item `json:"list_sessions_rich"`
				IDs      []item `json:"list_sessions_rich_ids"`
				Messages []item `json:"get_messages"`
				Chats    []item `json:"get_messages_as_conversation"`

				Tips     [][2]string `json:"get_compression_tip"`
				All      []string    `json:"session_ids"`
				Sessions []any
			}
			Recorded(t, "migrated-to-v11/"+version, &r)
			y := newVerdicts(t)
			for _, it := range r.Lists {
				o, _ := options(t, it.Input)
				got, err := s.Sessions(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				y.checkRows("list "+string(it.Input), sparse(t, got), Numbers(it.Output))
			}
			for _, it := range r.IDs {
				o, _ := options(t, it.Input)
				got, err := s.Sessions(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				y.checkRows("ids "+string(it.Input), short(got), Numbers(it.Output))
			}
			for _, it := range r.Messages {
				got, err := s.Messages(t.Context(), strings.Trim(string(it.Input), `"`))
				if err != nil {
					t.Fatal(err)
				}
				y.check("messages "+string(it.Input), sparse(t, got), Numbers(it.Output), "")
			}
			chats(t, y, s, r.Chats)
			moved := map[string]string{}
			for _, tip := range r.Tips {
				moved[tip[0]] = tip[1]
			}
			for _, id := range r.All {
				got, err := s.Tip(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				y.check("tip of "+id, got, any(cmp.Or(moved[id], id)), otherTips[id])
			}
			for _, want := range r.Sessions {
				got, err := s.Session(t.Context(), want.(map[string]any)["id"].(string))
				if err != nil {
					t.Fatal(err)
				}
				y.check("session", WithoutNulls(plain(t, got)), Numbers(want), "")
			}
		})
	}
}

// Of a message with a NUL, a rebuilt trigram index has the text without it, of which every
// SQLite makes the same trigrams. Else that of Hermes calls the index malformed.
func TestMigrationLeavesNULsOutOfTrigrams(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v06.db", "v09.db", "v11.db"} {
		path := fixture(t, version)
		q := otherConnection(t, path)
		Must(t, q, `DROP TABLE IF EXISTS messages_fts_trigram`, `DROP TRIGGER IF EXISTS messages_fts_trigram_insert`,
			`INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', char(0) || 'json:[{"type": "text", "text": "what is in this picture"}]', 1.0 FROM sessions LIMIT 1`)
		if _, err := Migrate(t.Context(), path, WithClock(clock), WithoutBackup()); err != nil {
			t.Fatal(err)
		}
		s := reopen(t, path)
		begins := `FROM messages m JOIN messages_fts_trigram_docsize d USING (id) JOIN messages_fts_trigram_content c USING (id) WHERE instr(CAST(m.content AS BLOB), x'00') = 1`
		n := Count(t, s, `SELECT count(*) `+begins)
		if whole := Count(t, s, `SELECT count(*) `+begins+` AND (d.sz = x'00' OR instr(CAST(c.c0 AS BLOB), substr(CAST(m.content AS BLOB), 2)) <> 1)`); n == 0 || whole > 0 {
			t.Errorf("%s: of %d messages %d are indexed otherwise", version, n, whole)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
