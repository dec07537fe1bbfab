package store

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
)

// fixture puts a copy of a recorded database into a fresh folder, its -wal
// with it, and gives the path.
func fixture(t testing.TB, name string) string {
	t.Helper()
	return fixtures.Database(t, name)
}

// recorded reads answers of the real software.
func recorded(t testing.TB, name string, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(fixtures.Read(t, "oracle/"+name+".json")))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// clock is the time of the recordings: after all of their rows.
func clock() time.Time { return time.Unix(1790000000, 0) }

// open opens a fixture and closes it with the test.
func open(t testing.TB, name string) *Store {
	t.Helper()
	s, err := Open(t.Context(), fixture(t, name), WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// versions are the fixtures of every schema version.
func versions(t testing.TB) []string {
	t.Helper()
	return fixtures.Names(t, "*.db", 27)
}

// count asks the file itself.
func count(t testing.TB, s *Store, query string) int {
	t.Helper()
	var n int
	if err := s.db.QueryRowContext(context.Background(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
