package store

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model"
)

// The pages of the index are read on files of every version, and where they
// can not be, FTS5 answers the same.
func TestPagesAndFTS5GiveTheSameAnswer(t *testing.T) {
	t.Parallel()
	for _, name := range append(versions(t), "bad/future.db", "bad/hot-wal.db", "bad/invalid-utf8.db") {
		s := open(t, name)
		byPages := 0
		for _, q := range questions {
			ask := func() ([]int64, []string) {
				f := s.finder(s.db, model.ParseQuery(q, false), 0)
				ids, err := f.find(t.Context())
				if err != nil {
					t.Fatalf("%s: %s: %v", name, q, err)
				}
				return ids.Rows(), f.route
			}
			got, route := ask()
			if slices.ContainsFunc(route, func(r string) bool { return strings.HasPrefix(r, "the pages of") }) {
				byPages++
			}
			clear(s.pages.indexes)
			indexes := s.schema.tables
			s.schema.tables = withoutReaders(indexes)
			want, route := ask()
			s.schema.tables = indexes
			if slices.ContainsFunc(route, func(r string) bool { return strings.HasPrefix(r, "the pages of") }) {
				t.Fatalf("%s: %s: FTS5 was not asked: %v", name, q, route)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s: by pages %v more and %v less", name, q, minus(got, want), minus(want, got))
			}
		}
		if byPages < len(questions)/2 && s.schema.tables["messages_fts"] != "" {
			t.Errorf("%s: %d of %d questions were answered by pages: %v", name, byPages, len(questions), s.pages.refusals())
		}
	}
}

// withoutReaders spells the tables' statements so that no reader takes them.
func withoutReaders(tables map[string]string) map[string]string {
	out := map[string]string{}
	for name, ddl := range tables {
		if strings.Contains(ddl, "fts5(") {
			ddl = strings.Replace(ddl, ")", ", strange=1)", 1)
		}
		out[name] = ddl
	}
	return out
}

// An index that is of another kind is asked through FTS5, and doctor says so.
func TestUnknownKindOfIndexFallsBackAndIsTold(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	want := everything(t, openAt(t, path), "docker")
	change(t, path, `INSERT INTO messages_fts(messages_fts, rank) VALUES ('secure-delete', 1)`,
		`DELETE FROM messages WHERE id = (SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'docker' LIMIT 1)`)
	s := openAt(t, path)
	got := everything(t, s, "docker")
	if got.Hits != want.Hits-1 || got.Note != "" {
		t.Errorf("%d hits, want %d; note %q", got.Hits, want.Hits-1, got.Note)
	}
	c, err := s.Check(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(c.Advice, func(n model.Note) bool { return n.Kind == NoteSlowSearch && strings.Contains(n.Message, "version 5") }) {
		t.Errorf("doctor does not say why search is slower: %v", c.Advice)
	}
	if c, err = open(t, "v11.db").Check(t.Context(), false); err != nil || slices.ContainsFunc(c.Advice, func(n model.Note) bool { return n.Kind == NoteSlowSearch }) {
		t.Errorf("doctor finds search slow: %v %v", c.Advice, err)
	}
}

// A page of the index that is damaged costs time, not truth.
func TestDamagedPageOfTheIndexFallsBack(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	want := everything(t, openAt(t, path), "docker OR deploy")
	if want.Hits == 0 {
		t.Fatal("nothing to find")
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE messages_fts_data SET block = zeroblob(length(block)) WHERE id > 1000`); err != nil {
		t.Fatal(err)
	}
	got := everything(t, openAt(t, path), "docker OR deploy")
	if got.Hits != want.Hits || got.Note == "" {
		t.Errorf("%d hits, want %d; note %q", got.Hits, want.Hits, got.Note)
	}
}
