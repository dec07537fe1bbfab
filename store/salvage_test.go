package store

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// salvaged salvages a file into a new one and checks that the new one is sound.
func salvaged(t *testing.T, s *Store) (model.Salvaged, *Store) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "saved.db")
	done, err := s.Salvage(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if files := filesBeside(t, out); len(files) != 1 {
		t.Errorf("beside the new file: %v", files)
	}
	if info, err := os.Stat(out); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	saved := reopen(t, out)
	c, err := saved.Check(t.Context(), true)
	// What a row says stays as it is.
	c.Problems = slices.DeleteFunc(c.Problems, func(n model.HealthNote) bool { return n.Kind == model.NoteNoVersion || n.Kind == model.NoteCycles })
	if err != nil || !c.Healthy() || c.Sessions != done.Sessions || c.Messages != done.Messages {
		t.Errorf("the new file: %+v %v, of %+v", c, err, done)
	}
	return done, saved
}

// tableRows returns all rows of the columns that a table has in both files, as text.
func tableRows(t *testing.T, s *Store, table string, columns []string) []string {
	t.Helper()
	var quoted []string
	for _, c := range columns {
		quoted = append(quoted, "quote("+c+")")
	}
	return texts(t, s, `SELECT rowid || ' ' || `+strings.Join(quoted, " || ' ' || ")+` FROM main.`+table+` NOT INDEXED ORDER BY rowid`)
}

// Of a sound file every row comes through, of every version: one beyond 11 keeps its own
// tables, columns and triggers.
func TestSalvageOfSoundFiles(t *testing.T) {
	t.Parallel()
	for _, name := range someOf(versionsToTest(t), 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openFixture(t, name)
			done, saved := salvaged(t, s)
			if !done.Whole() || len(done.Notes) > 0 || done.Version != max(s.db.Schema.Version, 11) {
				t.Errorf("%+v", done)
			}
			for _, table := range []string{"sessions", "messages"} {
				columns := s.db.Schema.ColumnOrder[table]
				if got, want := tableRows(t, saved, table, columns), tableRows(t, s, table, columns); !slices.Equal(got, want) {
					t.Errorf("%s: %d rows of %d are as they were", table, len(got), len(want))
				}
			}
			if s.db.Schema.Version > 11 {
				for made, ddl := range s.db.Schema.Tables {
					if saved.db.Schema.Tables[made] != ddl {
						t.Errorf("%s is made by %q", made, saved.db.Schema.Tables[made])
					}
				}
			}
		})
	}
}

// Of a damaged file the new one has what a reading of the tables gives, and what it
// lacks is listed.
func TestSalvageOfDamagedFiles(t *testing.T) {
	t.Parallel()
	lossy := []string{"damaged/index-lacks-rows-b.db", "damaged/loop.db", "damaged/sessions-root-wrong.db", "damaged/sessions-unreadable.db", "bad/damaged-pages.db", "bad/truncated.db"}
	for _, name := range slices.Concat(fixtures.Names(t, "damaged/*.db", 7), someOf(fixtures.Names(t, "bad/*.db", 20), 4)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), fixture(t, name), WithClock(clock))
			if err != nil {
				return // nothing can be read
			}
			defer s.Close() //nolint:errcheck // nothing was written
			done, _ := salvaged(t, s)
			if done.Whole() == slices.Contains(lossy, name) {
				t.Errorf("%+v", done)
			}
			readable := 0
			if _, err := s.sessions.Salvage.Rows(t.Context(), "messages", `SELECT rowid FROM main.messages NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT ?`, func(db.Row) { readable++ }); err != nil {
				t.Fatal(err)
			}
			if done.Messages < readable && done.Whole() {
				t.Errorf("%d of %d messages", done.Messages, readable)
			}
			t.Logf("%d sessions, %d messages of %d: lost %+v, rows %+v, unknown %v; %q", done.Sessions, done.Messages, readable, done.Lost, done.LostRows, done.Incomplete, done.Notes)
		})
	}
}

// With any page destroyed, a salvage writes a sound file with every message that can be
// read, and says that something is lost where something is.
func TestSalvageWithAnyPageDestroyed(t *testing.T) {
	t.Parallel()
	const page = 4096
	for _, name := range []string{"v06.db", "v18.db", "v25.db", "v31.db"} {
		whole := openFixture(t, name)
		content, err := os.ReadFile(whole.Path())
		if err != nil {
			t.Fatal(err)
		}
		messages := Count(t, whole, `SELECT count(*) FROM messages`)
		sessions := Count(t, whole, `SELECT count(*) FROM sessions`)
		lossy := 0
		for p := 1; p < len(content)/page; p += campaign.Length(61, 3) {
			damaged := slices.Clone(content)
			clear(damaged[p*page : (p+1)*page])
			path := filepath.Join(t.TempDir(), "damaged.db")
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(t.Context(), path, WithClock(clock))
			if err != nil {
				expect(t, err, model.KindDamaged)
				continue
			}
			done, _ := salvaged(t, s)
			if !done.Whole() {
				lossy++
			}
			if done.Whole() && (done.Messages != messages || done.Sessions != sessions) {
				t.Errorf("%s, page %d: %d of %d sessions, %d of %d messages and nothing is said to be lost", name, p, done.Sessions, sessions, done.Messages, messages)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		t.Logf("trust: salvages of %s with any of %d pages destroyed: all sound, %d with losses, all listed", name, len(content)/page, lossy)
	}
}

// A salvage writes over nothing and leaves nothing half made.
func TestSalvageWritesOverNothing(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	dir := t.TempDir()
	for _, there := range []string{"saved.db", "saved.db-wal"} {
		path := filepath.Join(dir, there)
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Salvage(t.Context(), filepath.Join(dir, "saved.db"))
		expect(t, err, model.KindInvalid)
		if got, err := os.ReadFile(path); err != nil || string(got) != "mine" {
			t.Errorf("%q %v", got, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Salvage(t.Context(), filepath.Join(dir, "no folder", "saved.db")); err == nil {
		t.Error("a file in no folder")
	}
	// What a killed run has left is no obstacle.
	if err := os.WriteFile(filepath.Join(dir, "saved.db.incomplete"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Salvage(t.Context(), filepath.Join(dir, "saved.db")); err != nil {
		t.Error(err)
	}
	if files := filesBeside(t, filepath.Join(dir, "saved.db")); len(files) != 1 {
		t.Errorf("left: %v", files)
	}
}
