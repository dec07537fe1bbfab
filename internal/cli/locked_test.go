package cli

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
)

// A file without a write-ahead log that another process keeps locked for seconds is waited
// for, as one with a log is.
func TestLockedFileIsWaitedFor(t *testing.T) {
	if !campaign.On() {
		t.Skip("takes seconds; runs in a campaign")
	}
	dir := home(t)
	path := filepath.Join(dir, "state.db")
	damage(t, path, `PRAGMA journal_mode = delete`)
	for _, args := range [][]string{{"list"}, {"rename", "second", "renamed"}} {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		if _, err := db.Exec(`BEGIN EXCLUSIVE`); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(3*time.Second, func() { _ = db.Close() })
		if code, _, errs := run(t, dir, "", args...); code != 0 {
			t.Errorf("%q: %d %s", args, code, errs)
		}
	}
}
