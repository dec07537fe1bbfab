package search

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/idset"
	"hermes-sessions/store/internal/snapshot"
)

// openAt opens the engine on a database file, at the time of the recordings, and
// closes the file with the test.
func openAt(t testing.TB, path string) *Engine {
	t.Helper()
	d := db.New(path)
	d.Clock = func() time.Time { return time.Unix(1790000000, 0) }
	if err := d.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(d, snapshot.New(d))
}

// openFixture opens the engine on a copy of a fixture.
func openFixture(t testing.TB, name string) *Engine {
	t.Helper()
	return openAt(t, fixtures.Database(t, name))
}

// otherConnection opens another connection to the same file, as another process would.
// It does not sync: no test loses power.
func otherConnection(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(1000)&_pragma=synchronous(off)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// must runs statements on a connection.
func must(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, q := range statements {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

// count runs a query that returns one number.
func count(t testing.TB, e *Engine, query string) int {
	t.Helper()
	var n int
	if err := e.db.Pool.QueryRowContext(context.Background(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// openWithMessages adds a conversation with the id "asked" to a fixture and opens it: one
// message of the user per text.
func openWithMessages(t *testing.T, name string, texts ...string) *Engine {
	t.Helper()
	path := fixtures.Database(t, name)
	statements := []string{`INSERT INTO sessions (id, source, started_at) VALUES ('asked', 'cli', 1780000000)`}
	for i, s := range texts {
		statements = append(statements, fmt.Sprintf(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('asked', 'user', CAST(x'%x' AS TEXT), %d)`, s, 1780000001+i))
	}
	fixtures.Exec(t, path, statements...)
	return openAt(t, path)
}

// searchAllScopes searches in every scope, with the last word complete.
func searchAllScopes(t *testing.T, e *Engine, asked string) model.SearchResults {
	t.Helper()
	r, err := e.Search(t.Context(), query.Parse(asked, false), query.ListOptions{Scope: model.ScopeAll})
	if err != nil {
		t.Fatalf("%s: %v", asked, err)
	}
	return r
}

// finds returns how many messages of the conversation "asked" a query finds.
func finds(t *testing.T, e *Engine, query string) int {
	t.Helper()
	for _, m := range searchAllScopes(t, e, query).Matches {
		if m.RootID == "asked" {
			return m.Hits
		}
	}
	return 0
}

// marked writes a snippet with its hits in «».
func marked(s match.Snippet) string {
	var b strings.Builder
	for _, p := range s {
		if p.Hit {
			b.WriteString("«" + p.Text + "»")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// ids returns the messages that the executor finds, after prepare has changed it.
func ids(t *testing.T, e *Engine, asked string, prepare func(*executor)) []int64 {
	t.Helper()
	f := e.newExecutor(e.db.Pool, query.ParseForMessages(asked), 0)
	if err := f.probeOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if prepare != nil {
		prepare(f)
	}
	found, err := f.searchIndexes(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", asked, err)
	}
	return found.Rowids()
}

// minus returns the ids of a that are not in b, ascending.
func minus(a, b []int64) []int64 {
	left := &idset.Set{}
	for _, id := range a {
		left.Add(id)
	}
	for _, id := range b {
		left.Remove(id)
	}
	return left.Rowids()
}
