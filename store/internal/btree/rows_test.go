package btree

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
)

// ScanRows reads the rows that a statement reads, in the same order, whatever the depth of
// the tree.
func TestScanRowsReadsWhatAStatementReads(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 100, 3_000, 60_000} {
		db := open(t, filepath.Join(t.TempDir(), "rows.db"))
		for _, statement := range []string{
			`PRAGMA page_size = 512`, `CREATE TABLE filler (x)`,
			`CREATE TABLE x_idx (segid, term, pgno, PRIMARY KEY (segid, term)) WITHOUT ROWID`,
			fmt.Sprintf(`WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT %d)
				INSERT OR IGNORE INTO x_idx SELECT value %% 3, CAST(hex(randomblob(1 + abs(random() %% 20))) AS BLOB), value FROM n`, count),
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		var want, got []string
		rows, err := db.QueryContext(t.Context(), `SELECT segid, term, pgno FROM x_idx ORDER BY segid, term`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var segment, page int64
			var term []byte
			if err := rows.Scan(&segment, &term, &page); err != nil {
				t.Fatal(err)
			}
			want = append(want, fmt.Sprint(segment, string(term), page))
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		values := make([]Value, 3)
		err = ScanRows(t.Context(), db, "x_idx", values, func() error {
			segment, _ := values[0].Int()
			term, _ := values[1].Blob()
			page, _ := values[2].Int()
			got = append(got, fmt.Sprint(segment, string(term), page))
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d rows: %d by the pages, %d by a statement; %v", count, len(got), len(want), err)
		}
	}
}

// A damaged page, a long row or another kind of table is an error, not a wrong answer or a
// panic.
func TestScanRowsOfDamagedPages(t *testing.T) {
	t.Parallel()
	s := rowScan{usable: 512, pagesLeft: 1, values: make([]Value, 3), each: func() error { return nil }}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		page := make([]byte, 512)
		for range random.IntN(40) {
			page[random.IntN(len(page))] = byte(random.Uint32())
		}
		page[0], page[3] = leafPage, 0
		if err := s.readLeaf(page); err != nil && !errors.Is(err, ErrUnsupported) {
			t.Fatal(err)
		}
	}
	db := open(t, filepath.Join(t.TempDir(), "rows.db"))
	for _, statement := range []string{
		`CREATE TABLE with_rowid (a, b, c)`, `INSERT INTO with_rowid VALUES (1, 2, 3)`,
		`CREATE TABLE long (a PRIMARY KEY, b, c) WITHOUT ROWID`, `INSERT INTO long VALUES (zeroblob(5000), 1, 2)`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"with_rowid", "long", "missing"} {
		if err := ScanRows(t.Context(), db, name, make([]Value, 3), s.each); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s gives %v", name, err)
		}
	}
}
