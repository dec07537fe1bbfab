package snapshot

import (
	"context"
	"math"
	"slices"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessiontable"
)

// sessionsPerRange is how many sessions a range of a [sharedScan] has where their rowids
// follow each other.
const sessionsPerRange = 512

// sharedScan reads all sessions in ranges of rowids, so that two goroutines can share the
// work: one reads from the first range on, the other from the last one back. Most of the time
// goes to the pages of the system prompts, behind which the other columns are stored.
type sharedScan struct {
	sessions *Sessions
	count    int // of the sessions, by an index
	read     *sessiontable.Builder
	split    bool              // into several ranges
	later    [][]model.Session // ranges that were read from the last one back

	mu     sync.Mutex
	ranges []rowRange // to be read
}

// rowRange is a range of rowids, with both ends.
type rowRange struct{ first, last int64 }

// allRows is the range of a table that is read at once.
var allRows = rowRange{math.MinInt64, math.MaxInt64}

// newSharedScan prepares a scan. A table of few sessions is one range, and one without
// rowids, as are the views that hide the indexes of a damaged file.
func (s *Sessions) newSharedScan(ctx context.Context, q db.Querier) (*sharedScan, error) {
	n, err := db.QueryValue(ctx, q, `SELECT count(*) FROM sessions`)
	scan := &sharedScan{sessions: s, count: int(db.AsInt(n)), ranges: []rowRange{allRows}}
	scan.read = sessiontable.NewBuilder(scan.count)
	if err != nil || scan.count <= sessionsPerRange || s.db.IndexesBypassed.Load() || s.db.Schema.RowKey("sessions") != "rowid" {
		return scan, err
	}
	err = db.EachRow(ctx, q, `SELECT (SELECT min(rowid) FROM sessions), (SELECT max(rowid) FROM sessions)`, nil, func(r db.Row) {
		scan.split, scan.ranges = true, splitRows(rowRange{r.Int(0), r.Int(1)}, scan.count/sessionsPerRange)
	})
	return scan, err
}

// splitRows splits a range into about n of the same width.
func splitRows(all rowRange, n int) (ranges []rowRange) {
	width := (uint64(all.last)-uint64(all.first))/uint64(n) + 1
	for uint64(all.last)-uint64(all.first) >= width {
		next := all.first + int64(width)
		ranges = append(ranges, rowRange{all.first, next - 1})
		all.first = next
	}
	return append(ranges, all)
}

// take returns the first range that is left, or the last one.
func (scan *sharedScan) take(last bool) (r rowRange, ok bool) {
	scan.mu.Lock()
	defer scan.mu.Unlock()
	n := len(scan.ranges)
	switch {
	case n == 0:
		return rowRange{}, false
	case last:
		r, scan.ranges = scan.ranges[n-1], scan.ranges[:n-1]
	default:
		r, scan.ranges = scan.ranges[0], scan.ranges[1:]
	}
	return r, true
}

// eachOf reads the sessions of a range.
func (scan *sharedScan) eachOf(ctx context.Context, q db.Querier, r rowRange, each func(*model.Session)) error {
	if r == allRows {
		return scan.sessions.eachSession(ctx, q, "", nil, each)
	}
	return scan.sessions.eachSession(ctx, q, `s.rowid BETWEEN ? AND ?`, []any{r.first, r.last}, each)
}

// forward reads from the first range on.
func (scan *sharedScan) forward(ctx context.Context, q db.Querier) error {
	for r, ok := scan.take(false); ok; r, ok = scan.take(false) {
		if err := scan.eachOf(ctx, q, r, scan.read.Add); err != nil {
			return err
		}
	}
	return nil
}

// backward reads from the last range back, beside forward.
func (scan *sharedScan) backward(ctx context.Context, q db.Querier) error {
	for r, ok := scan.take(true); ok; r, ok = scan.take(true) {
		var found []model.Session
		if err := scan.eachOf(ctx, q, r, func(m *model.Session) { found = append(found, *m) }); err != nil {
			return err
		}
		scan.later = append(scan.later, found)
	}
	return nil
}

// table returns all sessions, in the order of the table, after both goroutines have ended.
// Where the ranges did not have each session of the index that was counted once, all are read
// at once: rows that a damaged file has out of order are in no range, or in two.
func (scan *sharedScan) table(ctx context.Context, q db.Querier) (*sessiontable.Table, error) {
	for _, found := range slices.Backward(scan.later) {
		for i := range found {
			scan.read.Add(&found[i])
		}
	}
	all := scan.read.Build()
	if !scan.split || all.Len() == scan.count && all.IDsDistinct() {
		return all, nil
	}
	scan.read = sessiontable.NewBuilder(scan.count)
	err := scan.eachOf(ctx, q, allRows, scan.read.Add)
	return scan.read.Build(), err
}
