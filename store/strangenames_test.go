package store

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// renamed makes the names of the tables sessions and messages, and of all their columns,
// capital letters.
func renamed(t *testing.T, path string) {
	t.Helper()
	c := otherConnection(t, path)
	Must(t, c, `PRAGMA writable_schema = 1`)
	for _, table := range []string{"sessions", "messages"} {
		made, err := db.QueryValue(t.Context(), c, `SELECT sql FROM sqlite_master WHERE name = ?`, table)
		if err != nil {
			t.Fatal(err)
		}
		large := regexp.MustCompile(`\b[a-z_]+\b`).ReplaceAllStringFunc(db.AsText(made), strings.ToUpper)
		Must(t, c, `UPDATE sqlite_master SET sql = '`+strings.ReplaceAll(large, `'`, `''`)+`', name = upper(name) WHERE name = '`+table+`'`,
			`UPDATE sqlite_master SET tbl_name = upper(tbl_name) WHERE tbl_name = '`+table+`'`)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// Tables and columns whose names are in another case are listed, searched and exported as
// others are, and nothing is changed in them. A salvage gives them the names that Hermes writes.
func TestNamesInAnotherCase(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v11-first.db", "v25.db"} {
		path := fixture(t, name)
		renamed(t, path)
		before, s := openFixture(t, name), reopen(t, path)
		exported := func(s *Store) string {
			t.Helper()
			var lines bytes.Buffer
			if _, err := s.Export(t.Context(), &lines, model.ExportOptions{}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return lines.String()
		}
		whole := exported(before)
		if exported(s) != whole {
			t.Errorf("%s: the export differs", name)
		}
		q := query.Parse("docker", false)
		want, err := before.Search(t.Context(), q, query.ListOptions{})
		got, e := s.Search(t.Context(), q, query.ListOptions{})
		if err != nil || e != nil || got.Hits != want.Hits || got.Conversations != want.Conversations {
			t.Errorf("%s: %d of %d messages found: %v %v", name, got.Hits, want.Hits, err, e)
		}
		_, err = s.Delete(t.Context(), conversations(t, s)[:1], model.DeleteOptions{})
		expect(t, err, model.KindRefused)
		if c := inspected(t, path, false); !strings.Contains(strings.Join(kinds(c.Problems), " "), model.NoteOtherCase) {
			t.Errorf("%s: the doctor finds %v", name, c.Problems)
		}
		done, saved := salvaged(t, s)
		if !done.Whole() || len(done.Notes) > 0 || len(saved.Notes()) > 0 {
			t.Errorf("%s: %+v %v", name, done, saved.Notes())
		}
		if name == "v25.db" && exported(saved) != whole { // the others get columns of schema 11
			t.Errorf("%s: the export of what was salvaged differs", name)
		}
		if name == "v01.db" {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			_, err = Migrate(t.Context(), path)
			expect(t, err, model.KindRefused)
		}
	}
}

// A column of a collation that only another program has stops no salvage. The new file has no
// such collation.
func TestSalvageWithoutACollation(t *testing.T) {
	t.Parallel()
	for _, column := range []string{"sessions.title TEXT", "sessions.id TEXT", "messages.session_id TEXT", "messages.role TEXT"} {
		table, declared, _ := strings.Cut(column, ".")
		path := fixture(t, "v25.db")
		Must(t, otherConnection(t, path), `PRAGMA writable_schema = 1`,
			`UPDATE sqlite_master SET sql = replace(sql, '`+declared+`', '`+declared+` COLLATE "klingon"') WHERE name = '`+table+`'`)
		s := reopen(t, path)
		done, saved := salvaged(t, s)
		if done.Sessions != 101 || done.Messages != 374 || done.Version != 25 {
			t.Errorf("%s: %+v", column, done)
		}
		if c := inspected(t, saved.Path(), true); !c.Healthy() {
			t.Errorf("%s: %+v", column, c.Problems)
		}
		_, err := s.Conversations(t.Context(), query.ListOptions{})
		if e, ok := err.(*model.Error); ok && (strings.Contains(e.Message, "SQL logic error") || e.Remedy.Kind != model.RemedySalvage) {
			t.Errorf("%s: %+v", column, e)
		}
	}
}

// A name that is too long for any file is said to be that, with a remedy.
func TestNameThatIsTooLong(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), strings.Repeat("x", 5000))
	expect(t, err, model.KindAbsent)
	if e := err.(*model.Error); !strings.Contains(e.Message, "too long") {
		t.Error(e.Message)
	}
}
