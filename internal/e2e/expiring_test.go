//go:build !windows

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// What Hermes deletes next is a key away, with the rule in a sentence; a pin keeps it.
func TestExpiringJourney(t *testing.T) {
	t.Parallel()
	s := open(t, 130, 30, nil, "--demo")
	s.Sees("Search…")
	s.Press("Ctrl+X")
	s.Sees("expiring")
	s.Types("X")
	s.Sees("Hermes deletes ended conversations inactive for 90 days; Hermes 0.20.6 and later keep pinned ones")
	s.Sees("Expires")
	s.Sees(" now ")
	s.Types("p")
	s.Sees("Pinned “")
	s.Press("Esc")
	s.Loses("Expires")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}

// The rule is that of the config.yaml beside the database and of its schema; commands say it, and where
// it cannot be told.
func TestExpiringByTheSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fixture, config string
		found           bool
		says            string
	}{
		{"v25.db", "", false, "Hermes deletes nothing automatically: sessions.auto_prune is not on in config.yaml"},
		{"v25.db", "sessions:\n  auto_prune: true\n  retention_days: 7\n", true, "Hermes deletes ended conversations inactive for 7 days; Hermes 0.20.6 and later keep pinned ones"},
		{"v11.db", "sessions: {auto_prune: true}\n", true, "Hermes deletes ended sessions 90 days after their start"},
		{"v16.db", "sessions:\n  auto_prune: true\n", true, "Hermes deletes ended sessions 90 days after their start"},
		{"v23.db", "sessions:\n  auto_prune: true\n", false, "What Hermes deletes is unknown: the rule differs between releases of schema 23"},
		{"v25.db", "sessions:\n  auto_prune: ${PRUNE}\n", false, "What Hermes deletes is unknown: sessions in config.yaml uses a variable, an alias or a tag"},
	} {
		t.Run(c.fixture+" "+c.says, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if err := os.Rename(fixtures.Database(t, c.fixture), filepath.Join(home, "state.db")); err != nil {
				t.Fatal(err)
			}
			if c.config != "" {
				if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(c.config), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := run(t, "--home", home, "list", "--all", "--limit", "0", "is:expiring")
			if (r.code == 0) != c.found || !strings.Contains(r.stderr, c.says) {
				t.Errorf("%d %q\n%s", r.code, r.stderr, r.stdout)
			}
			r = run(t, "--home", home, "list", "--json", "--limit", "0", "--all")
			var list struct {
				Sessions []struct {
					ExpiresAt *float64 `json:"expires_at"`
				}
			}
			if err := json.Unmarshal([]byte(r.stdout), &list); err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, s := range list.Sessions {
				if s.ExpiresAt != nil {
					n++
				}
			}
			if (n > 0) != c.found {
				t.Errorf("%d of %d expire", n, len(list.Sessions))
			}
		})
	}
}
