package btree

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	_ "modernc.org/sqlite" // the driver

	"hermes-sessions/internal/fixtures"
)

// open opens a file.
func open(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(off)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // only read from then on
	return db
}

// byStatement reads what [Scan] reads.
func byStatement(t *testing.T, db *sql.DB) (rows []string) {
	t.Helper()
	r, err := db.QueryContext(t.Context(), `SELECT id, session_id, timestamp FROM messages`)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for r.Next() {
		var id int64
		var session string
		var at float64
		if err := r.Scan(&id, &session, &at); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprint(id, session, at))
	}
	slices.Sort(rows)
	return rows
}

func byPages(ctx context.Context, db *sql.DB) (rows []string, err error) {
	err = Scan(ctx, db, "messages", []string{"session_id", "timestamp"}, func(v []Value, id int64) error {
		session, ok := v[0].Text()
		at, timed := v[1].Number()
		if !ok || !timed {
			return ErrUnsupported
		}
		rows = append(rows, fmt.Sprint(id, string(session), at))
		return nil
	})
	slices.Sort(rows)
	return rows, err
}

// The pages of an index have what a statement reads, of one page and of three levels of
// them, with numbers of every length.
func TestScanEqualsStatement(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v25.db", "life-long.db"} {
		db := open(t, fixtures.Database(t, name))
		rows, err := byPages(t.Context(), db)
		if want := byStatement(t, db); err != nil || len(rows) == 0 || !slices.Equal(rows, want) {
			t.Errorf("%s: %d rows and %v, by a statement %d", name, len(rows), err, len(want))
		}
	}
	db := open(t, generated(t))
	rows, err := byPages(t.Context(), db)
	if want := byStatement(t, db); err != nil || !slices.Equal(rows, want) {
		t.Errorf("generated: %d rows and %v, by a statement %d", len(rows), err, len(want))
	}
}

// generated makes a table with small pages, so that its index has several levels.
func generated(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pages.db")
	db := open(t, path)
	_, err := db.ExecContext(t.Context(), `PRAGMA page_size = 512;
		CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, timestamp REAL);
		CREATE INDEX partly ON messages(session_id, timestamp) WHERE role = 'tool';
		CREATE INDEX expressed ON messages(session_id, timestamp, upper(role));
		CREATE INDEX whole ON messages(session_id, timestamp, role);
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
		INSERT INTO messages SELECT iif(i % 100 = 0, -i << (i / 60), i * 7), printf('session %d', i % 90), substr('assistant', 1, i % 9), iif(i % 3, i / 7.0, i) FROM n`)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// What is not an index of whole rows, or has long entries, is not read.
func TestScanRefusesOtherIndexes(t *testing.T) {
	t.Parallel()
	for _, statements := range []string{
		`CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, timestamp)`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, timestamp); CREATE INDEX i ON messages(session_id)`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, timestamp); CREATE INDEX i ON messages(session_id, timestamp) WHERE id > 5`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, timestamp); CREATE INDEX i ON messages(session_id, timestamp); INSERT INTO messages VALUES (1, printf('%2000d', 1), 2)`,
		`CREATE TABLE messages (id TEXT PRIMARY KEY, session_id, timestamp); CREATE INDEX i ON messages(session_id, timestamp)`,
		`CREATE TABLE messages (id INT PRIMARY KEY, session_id, timestamp) WITHOUT ROWID; CREATE INDEX i ON messages(session_id, timestamp)`,
		`PRAGMA encoding = 'UTF-16'; CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, timestamp); CREATE INDEX i ON messages(session_id, timestamp)`,
		`CREATE TABLE other (id INTEGER PRIMARY KEY)`,
	} {
		db := open(t, filepath.Join(t.TempDir(), "other.db"))
		if _, err := db.ExecContext(t.Context(), statements); err != nil {
			t.Fatal(err)
		}
		if rows, err := byPages(t.Context(), db); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %d rows and %v", statements, len(rows), err)
		}
	}
}

// Damaged pages end with an error or with other rows, soon and without a panic.
func TestScanOfDamagedPagesEnds(t *testing.T) {
	t.Parallel()
	sound, err := os.ReadFile(generated(t))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "damaged.db")
	for range 60 {
		damaged := slices.Clone(sound)
		for range 200 {
			damaged[1024+r.IntN(len(damaged)-1024)] = byte(r.UintN(256))
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		db := open(t, path)
		rows, err := byPages(t.Context(), db)
		if err == nil && len(rows) == 0 {
			t.Error("no rows and no error")
		}
		_ = db.Close() // it was only read
	}
}
