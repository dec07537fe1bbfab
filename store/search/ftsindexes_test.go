package search

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model/query"
)

// The index readers work on files of every version, and FTS5 gives the same answers
// where they do not.
func TestIndexReaderAndFTS5GiveTheSameAnswer(t *testing.T) {
	t.Parallel()
	for k, name := range append(fixtures.Names(t, "*.db", 27), "bad/future.db", "bad/hot-wal.db", "bad/invalid-utf8.db") {
		s := openFixture(t, name)
		asked, byPages := 0, 0
		for i, q := range fixtures.Queries {
			if (i+k)%campaign.Length(4, 1) > 0 || q == besideScript {
				continue
			}
			asked++
			ask := func() ([]int64, []string) {
				f := s.newExecutor(s.db.Pool, query.Parse(q, false), 0)
				ids, err := f.messages(t.Context())
				if err != nil {
					t.Fatalf("%s: %s: %v", name, q, err)
				}
				return ids.Rowids(), f.plan
			}
			got, route := ask()
			if slices.ContainsFunc(route, func(r string) bool { return strings.HasPrefix(r, "the pages of") }) {
				byPages++
			}
			clear(s.indexes.readers)
			indexes := s.db.Schema.Tables
			s.db.Schema.Tables = withoutReaders(indexes)
			want, route := ask()
			s.db.Schema.Tables = indexes
			if slices.ContainsFunc(route, func(r string) bool { return strings.HasPrefix(r, "the pages of") }) {
				t.Fatalf("%s: %s: MATCH was not used: %v", name, q, route)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s: by pages %v more and %v less", name, q, minus(got, want), minus(want, got))
			}
		}
		if byPages < asked/2 && s.db.Schema.Tables["messages_fts"] != "" {
			t.Errorf("%s: %d of %d questions were answered by pages", name, byPages, asked)
		}
	}
}

// withoutReaders changes the tables' statements so that no reader supports them.
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

// A damaged page of the index makes a search slower and does not change its answer.
func TestDamagedIndexPageFallsBackToFTS5(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	want := searchAllScopes(t, openAt(t, path), "docker OR deploy")
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
	got := searchAllScopes(t, openAt(t, path), "docker OR deploy")
	if got.Hits != want.Hits || got.IndexNote == "" {
		t.Errorf("%d hits, want %d; note %q", got.Hits, want.Hits, got.IndexNote)
	}
}
