package ddl_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/store/ddl"
)

// TestSchema11IsTheOneHermesMakes makes an empty database from the statements and compares it with
// the one that Hermes Agent left: object by object, columns in their order.
func TestSchema11IsTheOneHermesMakes(t *testing.T) {
	ours := objects(t, filepath.Join(t.TempDir(), "ours.db"), ddl.Tables, ddl.TitleIndex, ddl.Index, ddl.Triggers)
	want := []string{
		"idx_messages_session", "idx_sessions_parent", "idx_sessions_source", "idx_sessions_started",
		"idx_sessions_title_unique", "messages", "messages_fts", "messages_fts_delete", "messages_fts_insert",
		"messages_fts_trigram", "messages_fts_trigram_delete", "messages_fts_trigram_insert",
		"messages_fts_trigram_update", "messages_fts_update", "schema_version", "sessions", "state_meta",
	}
	for _, name := range want {
		if ours[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	theirs := objects(t, fixtures.Database(t, "v11.db"))
	for name, def := range theirs {
		if ours[name] != def {
			t.Errorf("%s:\n ours   %s\n theirs %s", name, ours[name], def)
		}
	}
	if len(ours) != len(theirs) {
		t.Errorf("we make %d objects, the recorded database has %d", len(ours), len(theirs))
	}
}

// objects returns the DDL text of everything in a database, by name, after statements
// have made it.
func objects(t *testing.T, path string, create ...string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, stmt := range create {
		if _, err := db.ExecContext(t.Context(), stmt); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := db.QueryContext(t.Context(), `SELECT name, coalesce(sql, 'auto') FROM sqlite_master`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var name, def string
		if err := rows.Scan(&name, &def); err != nil {
			t.Fatal(err)
		}
		found[name] = strings.TrimSpace(def)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}
