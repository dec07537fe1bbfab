package snapshot

import (
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/store/internal/db"
)

// Beside a writer, a list of many sessions reads what has changed, and all of them after a while.
func TestAListOfManySessionsIsReadAgainNowAndThen(t *testing.T) {
	t.Parallel()
	path := fixtures.Database(t, "v25.db")
	fixtures.Exec(t, path, `INSERT INTO sessions(id, source, started_at) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) SELECT 'many' || i, 'cli', 1000 + i FROM n`,
		`INSERT INTO messages(session_id, role, content, timestamp) VALUES ('many7', 'user', 'hello', 1789999000)`)
	now := clock()
	d := db.New(path)
	d.Clock = func() time.Time { return now }
	if err := d.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer d.Close() //nolint:errcheck // nothing was written
	s := New(d)
	read := func() *Snapshot {
		snap, err := s.RecentSnapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	titleOf := func(snap *Snapshot, id string) string {
		if i, ok := snap.Position(id); ok {
			return snap.Title(i)
		}
		return "none"
	}
	first := read()
	if read() != first || s.Renewals() != 0 {
		t.Fatal("an unchanged file was read again")
	}
	fixtures.Exec(t, path, `UPDATE sessions SET pinned = 1 WHERE id = 'many1'`, `UPDATE sessions SET title = 'new' WHERE id = 'many2'`,
		`DELETE FROM sessions WHERE id = 'many3'`, `INSERT INTO sessions(id, source, started_at) VALUES ('came', 'cli', 5)`,
		`INSERT INTO messages(session_id, role, content, timestamp) VALUES ('many4', 'user', 'hello', 1789999001)`,
		`UPDATE sessions SET end_reason = 'user_exit' WHERE id = 'many7'`)
	snap := read()
	at := func(id string) int {
		i, ok := snap.Position(id)
		if !ok {
			t.Fatalf("%s is not there", id)
		}
		return i
	}
	visible, _ := snap.MessageStats(at("many4"))
	if titleOf(snap, "many2") != "new" || titleOf(snap, "many3") != "none" || titleOf(snap, "came") != "" || visible != 1 || snap.Session(at("many7")).EndReason != "user_exit" {
		t.Error("the refreshed list lacks what a list shows at once")
	}
	if !snap.stale || snap.Pinned(at("many1")) || s.Renewals() != 0 {
		t.Error("all sessions were read for a few changes")
	}
	now = now.Add(renewAfter(snap.Len()))
	for range 2 {
		if s.Renewals() != 1 {
			t.Error("a stale list is not to be read again, once")
		}
	}
	if snap = read(); snap.stale || !snap.Pinned(at("many1")) || s.Renewals() != 1 {
		t.Error("the list stays stale")
	}
}
