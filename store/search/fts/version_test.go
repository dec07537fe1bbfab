package fts

import (
	"math/rand/v2"
	"testing"

	"hermes-sessions/internal/campaign"
)

// Every row whose text differs from an earlier version is among those that
// ChangedSince returns, whatever was written and merged in between.
func TestChangedSinceReturnsEveryChangedRow(t *testing.T) {
	t.Parallel()
	for _, tokenizer := range []string{"unicode61", "trigram"} {
		db := openDB(t, "")
		exec(t, db, `CREATE VIRTUAL TABLE f USING fts5(a, tokenize='`+tokenizer+`')`)
		exec(t, db, `INSERT INTO f(f, rank) VALUES ('pgsz', 100)`)
		r := rand.New(rand.NewPCG(4, 4))
		l := &testTable{t: t, db: db, r: r, texts: map[int64]string{}, kind: "contentless"}
		for id := int64(1); id < 300; id++ {
			exec(t, db, `INSERT INTO f(rowid, a) VALUES (?, ?)`, id, l.text())
		}
		x := openIndex(t, db, "f")
		known, all := 0, 0
		texts := func() map[int64]string {
			ids, all := column[int64](t, db, `SELECT rowid FROM f ORDER BY rowid`), column[string](t, db, `SELECT a FROM f ORDER BY rowid`)
			out := map[int64]string{}
			for i, id := range ids {
				out[id] = all[i]
			}
			return out
		}
		version, before := x.Version(), texts()
		for step := range campaign.Length(200, 400) {
			id := int64(1 + r.IntN(310))
			n := r.IntN(100)
			switch {
			case n < 30:
				exec(t, db, `INSERT OR REPLACE INTO f(rowid, a) VALUES (?, ?)`, id, l.text())
			case n < 60:
				exec(t, db, `UPDATE f SET a = ? WHERE rowid = ?`, l.text(), id)
			case n < 75:
				exec(t, db, `UPDATE f SET a = '' WHERE rowid = ?`, id)
			case n < 85:
				exec(t, db, `DELETE FROM f WHERE rowid = ?`, id)
			case n < 93:
				exec(t, db, `INSERT INTO f(f, rank) VALUES ('merge', ?)`, r.IntN(60)-30)
			default:
				exec(t, db, `INSERT INTO f(f) VALUES ('optimize')`)
			}
			if r.IntN(3) > 0 {
				continue
			}
			if _, err := x.Refresh(t.Context(), db, 1000); err != nil {
				t.Fatal(err)
			}
			rows, ok, err := x.ChangedSince(t.Context(), version)
			if err != nil {
				t.Fatal(err)
			}
			all++
			now := texts()
			if ok {
				known++
				for id, text := range now {
					if text != before[id] && !rows.Has(id) {
						t.Fatalf("%s, step %d: row %d had %q and has %q", tokenizer, step, id, before[id], text)
					}
				}
			}
			version, before = x.Version(), now
		}
		if known < all/2 || known == all {
			t.Errorf("%s: of %d times %d could be computed", tokenizer, all, known)
		}
		if rows, ok, err := x.ChangedSince(t.Context(), version); err != nil || !ok || !rows.Empty() {
			t.Errorf("nothing was written, but %d rows changed (%v, %v)", rows.Len(), ok, err)
		}
	}
}
