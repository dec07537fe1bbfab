package db

import (
	"database/sql"
	"testing"
)

// What doctor could not check is named in plain words, not in SQLite's.
func TestCauseOfAValueThatIsTooLong(t *testing.T) {
	t.Parallel()
	pool, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var size int
	err = pool.QueryRowContext(t.Context(), `SELECT length(zeroblob(2000000000))`).Scan(&size)
	if cause := CauseOf(err); cause != "a value in it states an impossible length" {
		t.Errorf("%q", cause)
	}
}
