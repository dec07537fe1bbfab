package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// openForVisits opens a fixture with the functions of this package.
func openForVisits(t *testing.T, name string) *sql.DB {
	t.Helper()
	if err := registerFunctions(); err != nil {
		t.Fatal(err)
	}
	q, err := sql.Open("sqlite", fixtures.Database(t, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() }) // only read
	return q
}

// The rows and values are those that a plain query returns, of every type.
func TestVisitRowsEqualsEachRow(t *testing.T) {
	t.Parallel()
	columns := []string{`id`, `session_id`, `role`, `content`, `timestamp`, `CAST(content AS BLOB)`, `NULL`}
	const from = ` FROM messages WHERE id > ? AND role <> ?`
	q := openForVisits(t, "life-long.db")
	var want, got []string
	if err := EachRow(t.Context(), q, `SELECT `+strings.Join(columns, ", ")+from, []any{3, "user"}, func(r Row) { want = append(want, fmt.Sprint(r...)) }); err != nil {
		t.Fatal(err)
	}
	if err := VisitRows(t.Context(), q, columns, from, []any{3, "user"}, func(r Row) { got = append(got, fmt.Sprint(r...)) }); err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%d rows, of %d", len(got), len(want))
	}
}

// A statement that makes up the number of a visitor calls none, whatever its type.
func TestVisitsOfStrangersAreIgnored(t *testing.T) {
	t.Parallel()
	q, visited := openForVisits(t, "v11.db"), 0
	err := VisitRows(t.Context(), q, []string{`hermes_visit(0, 1, 2)`, `hermes_visit(x'00', 1, 2)`, `hermes_visit('1', 1, 2)`, `hermes_visit()`},
		`FROM (SELECT 1)`, nil, func(Row) { visited++ })
	if err != nil || visited != 1 {
		t.Errorf("%d visits, error %v", visited, err)
	}
}

// A visit that is no longer wanted ends within its statement.
func TestVisitRowsCanBeCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows := 0
	err := VisitRows(ctx, openForVisits(t, "v11.db"), []string{`i`},
		`FROM (WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 1000000000)`, nil, func(Row) {
			if rows++; rows == 10 {
				cancel()
			}
		})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after %d rows: %v", rows, err)
	}
}
