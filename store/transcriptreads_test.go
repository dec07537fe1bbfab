package store

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"hermes-sessions/store/internal/db"
)

// plans notes how SQLite carries out the queries of a connection.
type plans struct {
	db.Querier
	t     *testing.T
	steps []string
}

func (p *plans) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := p.Querier.QueryContext(ctx, `EXPLAIN QUERY PLAN `+query, args...)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := db.ScanRecords(rows, func(r db.Record) error {
		p.steps = append(p.steps, db.AsText(r.Get("detail")))
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
	return p.Querier.QueryContext(ctx, query, args...)
}

// The messages of an export are not sorted with their texts: SQLite would hold several copies
// of a long one, and write many to a temporary file.
func TestMessagesAreReadInOrderWithoutSortingTexts(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		s := openFixture(t, name)
		for _, id := range conversations(t, s) {
			p := &plans{Querier: s.db.Pool, t: t}
			last, n := int64(0), 0
			if err := s.db.EachMessage(t.Context(), p, id, func(r db.Record) error {
				if at := db.AsInt(r.Get("id")); at <= last {
					t.Errorf("%s: message %d is read after %d", name, at, last)
				} else {
					last = at
				}
				n++
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if plan := strings.Join(p.steps, "; "); plan == "" || strings.Contains(plan, "TEMP B-TREE") {
				t.Fatalf("%s: %d messages are read by %s", name, n, plan)
			}
		}
	}
}
