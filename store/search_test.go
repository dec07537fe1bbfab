package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/store/sessiondb"
)

// said adds a conversation with the id "asked" to a fixture and opens it: one
// message of the user per text.
func openWithMessages(t *testing.T, name string, texts ...string) *Store {
	t.Helper()
	path := fixture(t, name)
	statements := []string{`INSERT INTO sessions (id, source, started_at) VALUES ('asked', 'cli', 1780000000)`}
	for i, s := range texts {
		statements = append(statements, fmt.Sprintf(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('asked', 'user', CAST(x'%x' AS TEXT), %d)`, s, 1780000001+i))
	}
	fixtures.Exec(t, path, statements...)
	return openAt(t, path)
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

// An index that is of another kind is asked through FTS5, and doctor says so.
func TestUnknownKindOfIndexFallsBackAndIsTold(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v11.db")
	want := searchAllScopes(t, openAt(t, path), "docker")
	fixtures.Exec(t, path, `INSERT INTO messages_fts(messages_fts, rank) VALUES ('secure-delete', 1)`,
		`DELETE FROM messages WHERE id = (SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'docker' LIMIT 1)`)
	s := openAt(t, path)
	got := searchAllScopes(t, s, "docker")
	if got.Hits != want.Hits-1 || got.IndexNote != "" {
		t.Errorf("%d hits, want %d; note %q", got.Hits, want.Hits-1, got.IndexNote)
	}
	c, err := s.Check(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(c.Advice, func(n model.HealthNote) bool {
		return n.Kind == model.NoteSlowSearch && strings.Contains(n.Message, "version 5")
	}) {
		t.Errorf("doctor does not say why search is slower: %v", c.Advice)
	}
	if c, err = openFixture(t, "v11.db").Check(t.Context(), false); err != nil || slices.ContainsFunc(c.Advice, func(n model.HealthNote) bool { return n.Kind == model.NoteSlowSearch }) {
		t.Errorf("doctor finds search slow: %v %v", c.Advice, err)
	}
}

// With the next key a snippet is cut from what the message says then.
func TestTheNextSearchShowsChangesOfOtherProcesses(t *testing.T) {
	s := openWithMessages(t, "v11.db", "the old xylophone stands here")
	shows := func(query, want string) {
		t.Helper()
		m := searchAllScopes(t, s, query).Matches
		if len(m) != 1 || !strings.Contains(marked(m[0].Best.Snippet), want) {
			t.Errorf("%s shows %+v, not %q", query, m, want)
		}
	}
	shows("xylophone", "old «xylophone»")
	shows("the xylophone", "«the» old «xylophone»")
	fixtures.Exec(t, s.Path(), `UPDATE messages SET content = 'the new xylophone stands here' WHERE content LIKE '%old xylophone%'`)
	shows("xylophone", "new «xylophone»")
	if _, err := s.AppendMessage(t.Context(), "asked", sessiondb.NewMessage{Role: "user", Content: "one more xylophone"}); err != nil {
		t.Fatal(err)
	}
	shows("xylophone", "one more «xylophone»")
}
