package db

import (
	"os"
	"path/filepath"
	"testing"
)

// Every setting by which a Hermes moves its sessions to PostgreSQL is found in every form in
// which YAML can state it; the values that leave them in the file are not taken for one.
func TestPostgresSetting(t *testing.T) {
	for yaml, want := range map[string]string{
		"":                                 "",
		"database:\n  backend: postgres\n": "database.backend",
		"database:\r\n\tbackend: \"PostgreSQL\"\r\n":                         "database.backend",
		"database:\n  # x\n  backend: sqlite # why\n":                        "",
		"database: {backend: postgres, url: x}\n":                            "database.backend",
		"other:\n  backend: postgres\n":                                      "",
		"database:\n  journal_mode: wal\nbackend: postgres":                  "",
		"database:\n  pool:\n    backend: postgres\n":                        "",
		"# database:\n#   backend: postgres\n":                               "",
		"database:\n  url: a:b\n\n  backend: postgres":                       "database.backend",
		"sessions:\n  auto_prune: true\n  state_backend: 'postgres'\n":       "sessions.state_backend",
		"sessions: {state_backend: authority}\n":                             "sessions.state_backend",
		"sessions:\n  state_backend: probe\n":                                "",
		"sessions:\n  state_backend: sqlite\n":                               "",
		"sessions:\n  state_backend: postgress\n":                            "", // Hermes refuses to start
		"sessiondb:\n  provider: postgresql\n":                               "sessiondb.provider",
		"sessiondb:\n  provider: sqlite\n":                                   "",
		"database:\n  backend: sqlite\nsessiondb:\n  provider: postgresql\n": "sessiondb.provider",
	} {
		d := &DB{Path: filepath.Join(t.TempDir(), "state.db")}
		if err := os.WriteFile(filepath.Join(filepath.Dir(d.Path), "config.yaml"), []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := d.postgresSetting(); got != want {
			t.Errorf("%q: %q, want %q", yaml, got, want)
		}
	}
}
