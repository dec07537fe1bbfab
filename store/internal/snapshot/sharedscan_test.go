package snapshot

import (
	"fmt"
	"math"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/sessiontable"
)

// The ranges of a split follow each other and have both ends, whatever the rowids are.
func TestSplitRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		all rowRange
		n   int
	}{
		{rowRange{1, 1}, 1},
		{rowRange{1, 1}, 7},
		{rowRange{1, 10}, 3},
		{rowRange{-5, 5}, 4},
		{rowRange{1, 1000}, 2000},
		{rowRange{math.MinInt64, math.MaxInt64}, 64},
		{rowRange{math.MaxInt64 - 1, math.MaxInt64}, 5},
		{rowRange{math.MinInt64, math.MinInt64 + 3}, 2},
	} {
		ranges := splitRows(c.all, c.n)
		if len(ranges) > c.n {
			t.Errorf("%v in %d: %d ranges", c.all, c.n, len(ranges))
		}
		next := c.all.first
		for i, r := range ranges {
			if r.first != next || r.last < r.first || (i == len(ranges)-1) != (r.last == c.all.last) {
				t.Errorf("%v in %d: range %d is %v", c.all, c.n, i, r)
			}
			next = r.last + 1
		}
	}
}

// sharedSessions makes a history of n sessions with gaps in their rowids.
func sharedSessions(t *testing.T, n int, rowid string) *Sessions {
	t.Helper()
	return openFixture(t, "v11.db", `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT `+fmt.Sprint(n)+`)
		INSERT INTO sessions (rowid, id, source, started_at, title) SELECT `+rowid+`, 'shared-' || i, 'cli', 1700000000 + i, 'Title ' || i FROM n`)
}

// tableIDs returns the ids of a table in its order.
func tableIDs(table *sessiontable.Table) (ids []string) {
	for i := range table.Len() {
		ids = append(ids, table.ID(i))
	}
	return ids
}

// However two goroutines share a scan, the table is the one that a single statement reads.
func TestSharedScanEqualsOneStatement(t *testing.T) {
	t.Parallel()
	for name, rowid := range map[string]string{
		"dense":    `1000 + i`,
		"sparse":   `1000 + i * i * 1000003`,
		"negative": `i * 7 - 9000000`,
		"largest":  `9223372036854775807 - i`,
		"far":      `CASE WHEN i % 2 THEN -9223372036854775807 + i ELSE 9223372036854775807 - i END`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sharedSessions(t, 2000, rowid)
			all := sessiontable.NewBuilder(0)
			if err := s.eachSession(t.Context(), s.db.Pool, "", nil, all.Add); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprint(tableIDs(all.Build()))
			for front := range 5 {
				scan, err := s.newSharedScan(t.Context(), s.db.Pool)
				if err != nil {
					t.Fatal(err)
				}
				if !scan.split || len(scan.ranges) < 2 {
					t.Fatalf("%d ranges", len(scan.ranges))
				}
				for range min(front, len(scan.ranges)) { // the other goroutine takes the rest
					r, _ := scan.take(false)
					if err := scan.eachOf(t.Context(), s.db.Pool, r, scan.read.Add); err != nil {
						t.Fatal(err)
					}
				}
				if err := scan.backward(t.Context(), s.db.Pool); err != nil {
					t.Fatal(err)
				}
				table, err := scan.table(t.Context(), s.db.Pool)
				if err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(tableIDs(table)); got != want {
					t.Errorf("%d ranges from the front: another order or other sessions", front)
				}
			}
		})
	}
}

// Sessions that are in no range or in two, as in a file whose rows are out of order, are read
// once.
func TestSharedScanOfRowsOutOfOrder(t *testing.T) {
	t.Parallel()
	s := sharedSessions(t, 1500, `100000 + i`)
	n := 0
	if err := s.eachSession(t.Context(), s.db.Pool, "", nil, func(*model.Session) { n++ }); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(*sharedScan){
		"in no range": func(scan *sharedScan) { scan.take(true) },
		"in two":      func(scan *sharedScan) { scan.ranges = append(scan.ranges, scan.ranges[0]) },
		"one for another": func(scan *sharedScan) {
			scan.ranges = []rowRange{{math.MinInt64, 100_100}, {100_001, 100_100}, {100_201, math.MaxInt64}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scan, err := s.newSharedScan(t.Context(), s.db.Pool)
			if err != nil {
				t.Fatal(err)
			}
			damage(scan)
			if err := scan.forward(t.Context(), s.db.Pool); err != nil {
				t.Fatal(err)
			}
			table, err := scan.table(t.Context(), s.db.Pool)
			if err != nil {
				t.Fatal(err)
			}
			if table.Len() != n || !table.IDsDistinct() {
				t.Errorf("%d sessions, want %d", table.Len(), n)
			}
		})
	}
}

// Behind the views that hide damaged indexes there are no rowids.
func TestSharedScanWithoutIndexes(t *testing.T) {
	t.Parallel()
	s := sharedSessions(t, 1500, `100000 + i`)
	sound, err := s.ReadSnapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.db.BypassIndexes()
	snap, err := s.ReadSnapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(tableIDs(snap.Table)), fmt.Sprint(tableIDs(sound.Table)); got != want {
		t.Error("other sessions, or another order")
	}
}
