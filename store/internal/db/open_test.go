package db

import (
	"testing"

	"hermes-sessions/internal/fixtures"
)

// The pages of all connections lie in one pool of the size of all caches together, those of
// their temporary databases among them.
func TestConnectionsCacheFewPages(t *testing.T) {
	t.Parallel()
	d := New(fixtures.Database(t, "v25.db"))
	if err := d.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, of := range []string{"main", "temp"} {
		size, err := QueryValue(t.Context(), d.Pool, `PRAGMA `+of+`.cache_size`)
		if n := AsInt(size); err != nil || n == 0 || n < -100 || n > 25 { // kilobytes below 0, pages above; 0 is the default
			t.Errorf("cache of %s: %v, %v", of, size, err)
		}
	}
}
