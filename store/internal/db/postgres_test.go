package db

import "testing"

// The backend is found in every form in which YAML can state it.
func TestConfiguredBackendReadsDatabaseBackend(t *testing.T) {
	for yaml, want := range map[string]string{
		"":                                 "",
		"database:\n  backend: postgres\n": "postgres",
		"database:\r\n\tbackend: \"PostgreSQL\"\r\n":   "postgresql",
		"database:\n  # x\n  backend: sqlite # why\n":  "sqlite",
		"database: {backend: postgres, url: x}\n":      "postgres",
		"other:\n  backend: postgres\n":                "",
		"database:\n  journal_mode: wal\nbackend: x\n": "",
		"database:\n  pool:\n    backend: postgres\n":  "",
		"# database:\n#   backend: postgres\n":         "",
		"database:\n  url: a:b\n\n  backend: postgres": "postgres",
	} {
		if got := configuredBackend(yaml); got != want {
			t.Errorf("backend(%q) = %q, want %q", yaml, got, want)
		}
	}
}
